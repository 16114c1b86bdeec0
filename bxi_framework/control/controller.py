"""One tick: a snapshot of the inputs, the engine's frame, the safety stage, the emitted frame."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

import numpy as np

from bxi_framework.control.clamps import ClampCounts
from bxi_framework.control.inputs import FRESH
from bxi_framework.control.reactions import InputWatch
from bxi_framework.diagnostics.guard import describe_error
from bxi_framework.machine.engine import Engine
from bxi_framework.machine.hooks import Failure
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot import InputSnapshot, JointReadings, MotorFrame
from bxi_framework.safety import Clamp, NotFinite, SafetyStage

Said: TypeAlias = "tuple[Clamp, ...] | NotFinite | Failure | None"
"""What became of a frame: cut, refused as a whole, unreadable, or sent as it was."""


class Controller:
    """Joins engine and safety stage; knows nothing of time or threads."""

    def __init__(
        self,
        engine: Engine,
        safety: SafetyStage,
        log: LogSink,
        watch: InputWatch | None = None,
    ) -> None:
        self.engine = engine
        self.safety = safety
        self.watch = watch
        self.verdict: Said = None
        """What the safety stage said of the last tick's frame."""
        self.clamps = ClampCounts()
        self._log = log
        self._told: set[tuple[str, str]] = set()
        self._blind: set[str] = set()

    def tick(self, inputs: InputSnapshot, cycles: int) -> MotorFrame:
        """Run one tick and return the frame to emit, valid until the next tick.

        Args:
            inputs: what was last heard.
            cycles: control periods since the last tick, at least 1.
        """
        engine, safety = self.engine, self.safety
        if self.watch is not None:
            inputs = self.watch.apply(inputs, cycles)
        wanted = engine.tick(inputs, cycles)
        fault = None
        readings = inputs.joints if inputs.ages.joint_states <= FRESH else None
        self.verdict = None if wanted is None else self._limit(wanted, cycles, readings)
        if self.verdict is not None:
            fault = self._judge(self.verdict)
        if safety.blind:
            self._tell_blind()
        emitted = safety.emitted
        engine.emitted(emitted, fault)
        return emitted

    def passive(self) -> MotorFrame:
        """The frame for the time when nobody is in control."""
        self.safety.force(self.engine.passive_frame)
        return self.safety.emitted

    def after_stall(self, owner: str, seconds: float, place: str) -> MotorFrame:
        """The frame after ``owner`` held the loop for some seconds in which passive frames were sent: passive
        once more, and the machine leaves for the fault state. ``place`` is the ``file:line`` that held it.
        """
        self.safety.force(self.engine.passive_frame)
        emitted = self.safety.emitted
        self.engine.emitted(
            emitted, Failure(owner, f"it held the control loop for {seconds:.2f} s, at {place}")
        )
        return emitted

    def _limit(self, wanted: MotorFrame, cycles: int, readings: JointReadings | None) -> Said:
        try:
            return self.safety.apply(wanted, cycles, readings)
        except BaseException as error:
            return self._limit_again(wanted, cycles, readings, error)

    def _limit_again(
        self, wanted: MotorFrame, cycles: int, readings: JointReadings | None, error: BaseException
    ) -> Said:
        """The stage itself never raises: either code of a Mod has made numpy raise, or call something, where
        a number overflows, or what it gave is no frame but in name.
        """
        np.seterr(all="ignore")
        owner = self.engine.owner
        try:
            verdict = self.safety.apply(wanted, cycles, readings)
        except BaseException:
            return Failure(owner, f"its frame cannot be read: {describe_error(error)}")
        said = f"numpy's error handling was changed in the control thread ({describe_error(error)})"
        self._log("error", owner, f"{said}; it is set back")
        return verdict

    def _tell_blind(self) -> None:
        """Name each joint once whose step could not be limited, since nobody knows where it is."""
        names = [name for name in self.safety.blind if name not in self._blind]
        self.safety.blind = ()
        if names:
            self._blind.update(names)
            everything = len(names) == self.safety.emitted.layout.dof_num
            who = "all joints" if everything else ", ".join(f"'{name}'" for name in names)
            said = f"{who} got stiffness, but joint_states has not named them within {FRESH:g} s"
            # A robot that reports nothing at all is built that way.
            level = "info" if everything else "warning"
            self._log(level, "joint_states", f"{said}: their first step was not limited; told once")

    def _judge(self, verdict: tuple[Clamp, ...] | NotFinite | Failure) -> Failure | None:
        owner = self.engine.owner
        if isinstance(verdict, Failure):
            return verdict
        if isinstance(verdict, NotFinite):
            place = self.engine.owner_place
            said = f"{verdict.field} of '{verdict.joint}' is {verdict.value}, which is not finite"
            return Failure(owner, f"{place}: {said}" if place else said)
        self.clamps.add(owner, verdict)
        counts = Counter(clamp.field for clamp in verdict)
        for clamp in verdict:
            key = (owner, clamp.field)
            if key in self._told:
                continue
            self._told.add(key)
            others = counts[clamp.field] - 1
            more = f", and {others} more joint{'' if others == 1 else 's'}" if others else ""
            # A motion that begins with limp joints has steps to catch up with; a state should not.
            catching_up = clamp.field == "step" and self.engine.moving
            self._log(
                "info" if catching_up else "warning",
                owner,
                f"{clamp.field} of '{clamp.joint}' limited from {clamp.wanted:.4g} to {clamp.sent:.4g}"
                f"{more}; told once for each state and field",
            )
        return None
