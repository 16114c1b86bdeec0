"""The safe ending: the configured measure, the next one where that cannot be done, and what became of each
joint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bxi_framework.control.controller import Controller
from bxi_framework.control.inputs import FRESH
from bxi_framework.machine.hooks import Failure
from bxi_framework.machine.requests import AskState, Verdict
from bxi_framework.machine.snapshot import EngineSnapshot
from bxi_framework.manifest.system import SafeEnding
from bxi_framework.robot import InputSnapshot, MotorFrame

STIFF, DAMPED, FREE = "still stiff", "free to move, damped", "free to move"
"""How the last frame leaves a joint."""

STILL: Final = 0.2
"""Seconds without motion after which a robot counts as parked."""

MOVED: Final = 0.01
"""A joint that went further than this (rad) has moved."""

_DAMP, _CUT = "passive damping", "no torque: all commands are zero"
_SURE: Final = 3
"""Looks in a row at a robot that rests elsewhere: one may fall between the end of a wait and the switch."""


@dataclass(frozen=True, slots=True)
class JointEnd:
    """How a joint was left: where it was reported (rad; ``None`` if nobody knows), where it had been told to
    be (rad; ``None`` if it was limp), and `STIFF`, `DAMPED` or `FREE`.
    """

    name: str
    position: float | None
    told: float | None
    left: str

    def __str__(self) -> str:
        if self.position is None:
            said = f"{self.name} not heard for {FRESH:g} s"
        else:
            said = f"{self.name} at {self.position:.3f} rad"
        return said if self.told is None else f"{said} (told {self.told:.3f})"


@dataclass(frozen=True, slots=True)
class Ended:
    """What really happened at the end.

    ``asked`` is the configured mode, ``parked`` the state that was reached first, if one was, ``missed`` why
    something that was asked for was not done (empty if it was), ``frame`` the last frame.
    """

    asked: str
    parked: str | None
    missed: str
    measure: str
    frame: MotorFrame
    joints: tuple[JointEnd, ...]

    def __str__(self) -> str:
        parts = [f"{self.missed}; so {self.measure}" if self.missed else self.measure]
        for left in (STIFF, DAMPED, FREE):
            joints = [str(joint) for joint in self.joints if joint.left == left]
            if joints:
                parts.append(f"{left}: {', '.join(joints)}")
        return ". ".join(parts)


class SafeEnd:
    """Ends a session by its configuration. A measure that cannot be taken is followed by the next: ``park``
    by ``damp``, and a joint without passive damping is free, as after ``cut``.

    Args:
        ending: the configured measure.
        controller: whose robot it is.
        now_ns: monotonic time.
    """

    def __init__(self, ending: SafeEnding, controller: Controller, now_ns: Callable[[], int]) -> None:
        self._ending = ending
        self._controller = controller
        self._now_ns = now_ns
        self._parked: str | None = None
        self._missed = ""

    def park(self, wait: Callable[[], object]) -> None:
        """Bring the robot to the state in which it may lose its torque, if the configuration names one; give
        up when it cannot get there, at the latest after the configured time.

        Args:
            wait: lets some time pass in which the loop goes on.
        """
        ending = self._ending
        if ending.mode != "park" or ending.state is None:
            return
        missed = _park(ending.state, ending.timeout, self._controller, self._now_ns, wait)
        self._parked = None if missed else ending.state
        self.miss(missed)

    def miss(self, reason: str) -> None:
        """Note why the joints are let go without being parked, if they were to be."""
        if self._ending.mode == "park" and reason:
            self._parked, self._missed = None, f"not parked in '{self._ending.state}': {reason}"

    def let_go(self, inputs: InputSnapshot, *, cut: bool | None = None) -> Ended:
        """The last frame, and how it leaves the joints.

        Args:
            inputs: the newest readings.
            cut: True for a frame of zeros, False for the passive one; the default is what the configuration
                wants.
        """
        if cut is None:
            cut = self._ending.mode == "cut"
        if self._parked is None and not self._missed:
            self.miss("the loop was ended without it")
        passive = self._controller.engine.passive_frame
        frame = MotorFrame.empty(passive.layout) if cut else passive.copy()
        measure = _CUT if cut else _DAMP
        if self._parked is not None:
            measure = f"parked in '{self._parked}', then {measure}"
        return Ended(
            self._ending.mode,
            self._parked,
            self._missed,
            measure,
            frame,
            _joints(frame, self._controller.safety.emitted, inputs),
        )


def unsent(ended: Ended, problem: str, last: MotorFrame, inputs: InputSnapshot) -> Ended:
    """The report of an end whose frame nobody got: the joints keep ``last``."""
    missed = "; ".join(part for part in (ended.missed, f"the last frame was not sent: {problem}") if part)
    return Ended(
        ended.asked, ended.parked, missed, "the joints keep their command", last, _joints(last, last, inputs)
    )


def _joints(frame: MotorFrame, before: MotorFrame, inputs: InputSnapshot) -> tuple[JointEnd, ...]:
    readings, ends = inputs.joints, []
    heard = inputs.ages.joint_states <= FRESH
    for index, name in enumerate(frame.layout.names):
        known = heard and (readings.known is None or bool(readings.known[index]))
        left = STIFF if frame.kp[index] > 0.0 else DAMPED if frame.kd[index] > 0.0 else FREE
        ends.append(
            JointEnd(
                name,
                float(readings.position[index]) if known else None,
                float(before.qpos[index]) if before.kp[index] > 0.0 else None,
                left,
            )
        )
    return tuple(ends)


class _Stillness:
    """Whether what the joints are told and where they are stays the same."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._seen = self._look()
        self._since_ns: int | None = None

    def lasts(self, now_ns: int) -> bool:
        """True once nothing has moved for `STILL` seconds."""
        seen = self._look()
        if self._since_ns is None or float(np.abs(seen - self._seen).max()) > MOVED:
            self._seen, self._since_ns = seen, now_ns
        return now_ns - self._since_ns >= round(STILL * 1e9)

    def _look(self) -> NDArray[np.float32]:
        inputs = self._controller.engine.context.inputs
        return np.concatenate((self._controller.safety.emitted.qpos, inputs.joints.position))


def _park(
    state: str,
    timeout: float,
    controller: Controller,
    now_ns: Callable[[], int],
    wait: Callable[[], object],
) -> str:
    """Go to a state and wait until the joints rest there; why that was not reached, or an empty text."""
    engine, still = controller.engine, _Stillness(controller)
    verdicts: list[Verdict] = []
    deadline = now_ns() + round(timeout * 1e9)
    view = engine.snapshot()
    if not _rests_in(view, state):
        engine.post(AskState(state, "safe ending", reply=verdicts.append))
    astray, fault_before = 0, engine.fault
    while not (_rests_in(view, state) and still.lasts(now_ns())):
        if verdicts and not verdicts[0].ok:
            return verdicts[0].reason
        at_rest = view.transition is None and view.pending is None and view.preparation is None
        astray = astray + 1 if verdicts and at_rest and not _rests_in(view, state) else 0
        if astray >= _SURE:
            fault = engine.fault
            return _why_elsewhere(view, None if fault is fault_before else fault)
        if now_ns() > deadline:
            missing = "at rest there" if _rests_in(view, state) else "reached"
            return f"not {missing} within {timeout:g} s{_what_it_waits_for(view)}"
        wait()
        view = engine.snapshot()
    return ""


def _rests_in(view: EngineSnapshot, state: str) -> bool:
    at_rest = view.transition is None and view.pending is None and view.preparation is None
    return view.state == state and at_rest and view.passive is None


def _why_elsewhere(view: EngineSnapshot, fault: Failure | None) -> str:
    if view.stop is not None:
        return f"a stop came: {view.stop}"
    if view.passive is not None:
        return view.passive
    if fault is not None:
        return f"{fault.owner}: {fault.reason}"
    return f"the robot is in '{view.state}' instead"


def _what_it_waits_for(view: EngineSnapshot) -> str:
    if view.held is not None:
        return f"; the robot is held: {view.held}"
    if view.preparation is not None:
        return f"; {view.preparation.target} gets ready: {view.preparation.awaits}"
    return ""
