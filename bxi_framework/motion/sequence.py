"""Transitions one after the other, as one."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Steps
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.mod_api.transition import SingleClassTransition, TransitionContext
from bxi_framework.robot import JointLayout, MotorFrame

if TYPE_CHECKING:
    from bxi_framework.mod_api.context import StateContext

_SAME_INSTANT = 1e-9


@dataclass(slots=True)
class _StepContext:
    """The context of a step: it begins from where the step before it ended."""

    whole: TransitionContext
    start_frame: MotorFrame
    source_frozen: bool

    @property
    def source(self) -> RobotControlState:
        return self.whole.source

    @property
    def target(self) -> RobotControlState:
        return self.whole.target

    @property
    def state(self) -> StateContext:
        return self.whole.state

    @property
    def robot_layout(self) -> JointLayout:
        return self.whole.robot_layout

    def entry_frame(self) -> MotorFrame:
        return self.whole.entry_frame()

    def source_frame(self, dt: float, *, advance: bool) -> MotorFrame:
        return self.start_frame if self.source_frozen else self.whole.source_frame(dt, advance=advance)

    def target_frame(self, dt: float, *, advance: bool) -> MotorFrame:
        return self.whole.target_frame(dt, advance=advance)


class Sequence(SingleClassTransition):
    """Steps of other types on one time line: at the instant one ends, the next begins at its progress 0.

    Each step after the first starts from the end frame of the one before and treats the source as frozen
    there.
    """

    type_name = "sequence"

    def __init__(self, steps: Steps[SingleClassTransition]) -> None:
        self.steps = tuple(steps)
        self.duration = sum(step.duration for step in self.steps)
        self._index = 0
        self._begin = 0.0
        self._context: _StepContext | None = None

    @classmethod
    def from_config(cls, reader: ConfigReader) -> Sequence:
        """Never called: only the registry can build the steps, see `TransitionTypes.build`."""
        raise reader.error("steps", "are built by the transition registry")

    def validate_states(self, source: RobotControlState, target: RobotControlState) -> None:
        """Whatever the steps need."""
        for step in self.steps:
            step.validate_states(source, target)

    def on_start(self, ctx: TransitionContext) -> None:
        """Start the first step."""
        self._index = 0
        self._begin = 0.0
        self._context = _StepContext(ctx, ctx.start_frame, ctx.source_frozen)
        self.steps[0].on_start(self._context)

    def apply(self, ctx: TransitionContext, dt: float, progress: float) -> MotorFrame | None:
        """The frame of the step that is under way."""
        context = self._context
        assert context is not None
        elapsed = progress * self.duration
        while self._index < len(self.steps) - 1:
            step = self.steps[self._index]
            end = self._begin + step.duration
            if progress < 1.0 and elapsed < end - _SAME_INSTANT:
                break
            last = step.apply(context, 0.0, 1.0)
            if last is not None:
                context.start_frame = last.copy()
            context.source_frozen = True
            self._begin = end
            self._index += 1
            self.steps[self._index].on_start(context)
        step = self.steps[self._index]
        done = progress >= 1.0 or step.duration <= 0.0
        within = 1.0 if done else min(1.0, max(0.0, (elapsed - self._begin) / step.duration))
        return step.apply(context, dt, within)

    def config_snapshot(self) -> Mapping[str, object]:
        """The steps in order."""
        return {
            "type": self.type_name,
            "duration": self.duration,
            "steps": [dict(step.config_snapshot()) for step in self.steps],
        }
