"""A switch from one state to another: the plan that was accepted, and the run of its transition."""

from __future__ import annotations

from dataclasses import dataclass

from bxi_framework.machine.context import ControlContext
from bxi_framework.machine.graph import NamedTransition, Route, StateNode
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.robot import JointLayout, MotorFrame

ROUNDING = 1e-9
"""Times and progress this close to a bound count as having reached it."""


@dataclass(slots=True)
class Plan:
    """An accepted switch.

    ``source`` was in control when it was accepted; ``rescue`` marks the way to the fault state. ``waited``
    counts the cycles of the delay, -1 before its first tick; ``prepared`` is set once the preparation has
    begun. While ``preparing``, ``cycles_preparing`` have passed and ``awaits`` says what for.
    """

    source: StateNode
    target: StateNode
    motion: NamedTransition
    route: Route | None
    trigger: str
    delay: float = 0.0
    rescue: bool = False
    waited: int = -1
    preparing: bool = False
    prepared: bool = False
    cycles_preparing: int = 0
    awaits: str = ""

    def repeats(self, other: Plan) -> bool:
        """True if this is the same wish once more."""
        return (
            self.target is other.target
            and self.motion is other.motion
            and (self.trigger, self.delay) == (other.trigger, other.delay)
        )


class Run:
    """A running transition and the context it sees.

    Args:
        plan: the switch.
        source: the state in control.
        left: where the motion comes from in an operator's eyes: the source, or the target of the run that is
            replaced.
        ctx: the control context.
        period: seconds per cycle.
        frozen: the source is not to be sampled; the motion begins at the last emitted frame.
        returning: the target is the state in control itself, which takes over again without exit and entry.
    """

    def __init__(
        self,
        plan: Plan,
        source: StateNode,
        left: StateNode,
        ctx: ControlContext,
        period: float,
        frozen: bool,
        returning: bool,
    ) -> None:
        self.plan = plan
        self.left = left
        self.returning = returning
        self.state = ctx
        self.robot_layout: JointLayout = ctx.robot_layout
        self.source: RobotControlState = source.state
        self.target: RobotControlState = plan.target.state
        self._sample_source = getattr(source.state, "sample_running_frame", None)
        self._sample_target = getattr(plan.target.state, "sample_running_frame", None)
        self.start_frame: MotorFrame = ctx.last_motor_frame.copy()
        self.source_frozen = frozen
        self.progress = 0.0
        self._period = period
        self._cycles = -1

    def apply(self, cycles: int) -> MotorFrame | None:
        """The frame of this tick; the first call has progress 0, whatever ``cycles`` says."""
        transition = self.plan.motion.transition
        if self._cycles < 0:
            self._cycles = 0
            transition.on_start(self)
        else:
            self._cycles += cycles
        duration = transition.duration
        progress = self._cycles * self._period / duration if duration > ROUNDING else 1.0
        self.progress = 1.0 if progress > 1.0 - ROUNDING else progress
        return transition.apply(self, cycles * self._period, self.progress)

    @property
    def done(self) -> bool:
        """True once the end frame has been made."""
        return self.progress >= 1.0

    def entry_frame(self) -> MotorFrame:
        provide = getattr(self.target, "get_entry_frame", None)
        if provide is None:
            raise TypeError(f"'{self.target.name}' has no get_entry_frame()")
        return self.state.in_robot_layout(provide(self.state), "target", self.target)

    def source_frame(self, dt: float, *, advance: bool) -> MotorFrame:
        if self.source_frozen:
            return self.start_frame
        if self._sample_source is None:
            raise TypeError(f"'{self.source.name}' has no sample_running_frame()")
        ctx = self.state
        return ctx.in_robot_layout(self._sample_source(ctx, dt, advance=advance), "source", self.source)

    def target_frame(self, dt: float, *, advance: bool) -> MotorFrame:
        if self._sample_target is None:
            raise TypeError(f"'{self.target.name}' has no sample_running_frame()")
        ctx = self.state
        return ctx.in_robot_layout(self._sample_target(ctx, dt, advance=advance), "target", self.target)
