"""One tick: a snapshot of the inputs, the engine's frame, the safety stage, the emitted frame."""

from __future__ import annotations

from collections import Counter

from bxi_framework.control.reactions import InputWatch
from bxi_framework.machine.engine import Engine
from bxi_framework.machine.hooks import Failure
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot import InputSnapshot, MotorFrame
from bxi_framework.safety import Clamp, NotFinite, SafetyStage

FRESH = 0.1
"""Seconds that joint readings may be old for the torque estimate."""


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
        self.verdict: tuple[Clamp, ...] | NotFinite | None = None
        """What the safety stage said of the last tick's frame."""
        self._log = log
        self._told: set[tuple[str, str]] = set()

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
        self.verdict = None if wanted is None else safety.apply(wanted, cycles, readings)
        if self.verdict is not None:
            fault = self._judge(self.verdict)
        emitted = safety.emitted
        engine.emitted(emitted, fault)
        return emitted

    def passive(self) -> MotorFrame:
        """The frame for the time when nobody is in control."""
        self.safety.force(self.engine.passive_frame)
        return self.safety.emitted

    def after_stall(self, owner: str, seconds: float) -> MotorFrame:
        """The frame after ``owner`` held the loop for some seconds in which passive frames were sent: passive
        once more, and the machine leaves for the fault state.
        """
        self.safety.force(self.engine.passive_frame)
        emitted = self.safety.emitted
        self.engine.emitted(emitted, Failure(owner, f"it held the control loop for {seconds:.2f} s"))
        return emitted

    def _judge(self, verdict: tuple[Clamp, ...] | NotFinite) -> Failure | None:
        owner = self.engine.owner
        if isinstance(verdict, NotFinite):
            place = self.engine.owner_place
            said = f"{verdict.field} of '{verdict.joint}' is {verdict.value}, which is not finite"
            return Failure(owner, f"{place}: {said}" if place else said)
        counts = Counter(clamp.field for clamp in verdict)
        for clamp in verdict:
            key = (owner, clamp.field)
            if key in self._told:
                continue
            self._told.add(key)
            others = counts[clamp.field] - 1
            more = f", and {others} more joint{'' if others == 1 else 's'}" if others else ""
            self._log(
                "warning",
                owner,
                f"{clamp.field} of '{clamp.joint}' limited from {clamp.wanted:.4g} to {clamp.sent:.4g}"
                f"{more}; told once for each state and field",
            )
        return None
