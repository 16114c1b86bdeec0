"""What transitions may ask of a state besides its life cycle."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from bxi_framework.mod_api.context import StateContext
from bxi_framework.robot import MotorFrame


@runtime_checkable
class EntryFrameProvider(Protocol):
    """A state that knows the frame with which it begins."""

    def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
        """The first frame of this state, in any layout; nothing observable changes."""


@runtime_checkable
class RunningFrameProvider(Protocol):
    """A state whose motion can be sampled while another one is in control."""

    def sample_running_frame(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        """The frame this state would command now, in any layout.

        With ``advance`` its own time moves on by ``dt`` first; without it nothing observable changes.
        """
