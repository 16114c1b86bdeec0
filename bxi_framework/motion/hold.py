"""Transitions that make no motion of their own: at once, or after the last frame was held for a while."""

from __future__ import annotations

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.mod_api.transition import SingleClassTransition, TransitionContext
from bxi_framework.robot import MotorFrame


class Instant(SingleClassTransition):
    """The target takes over in the same tick: with its entry frame, or with its first update if it has
    none.
    """

    type_name = "instant"

    @classmethod
    def from_config(cls, reader: ConfigReader) -> Instant:
        """Takes no keys."""
        return cls()

    def apply(self, ctx: TransitionContext, dt: float, progress: float) -> MotorFrame | None:
        """The entry frame, if there is one."""
        return ctx.entry_frame() if hasattr(ctx.target, "get_entry_frame") else None


class Hold(SingleClassTransition):
    """The last frame again for ``duration`` seconds."""

    type_name = "hold"

    def __init__(self, duration: float) -> None:
        self.duration = duration

    @classmethod
    def from_config(cls, reader: ConfigReader) -> Hold:
        """Takes ``duration`` (s)."""
        return cls(reader.float("duration", minimum=0.0))

    def apply(self, ctx: TransitionContext, dt: float, progress: float) -> MotorFrame:
        """The frame from which the transition began."""
        return ctx.start_frame
