"""A state that holds zero."""

from __future__ import annotations

from numpy.typing import ArrayLike

from bxi_framework.mod_api import PoseState, StateContext


class Hands(PoseState[None]):
    """Holds zero."""

    def target_position(self, ctx: StateContext) -> ArrayLike:
        """Zero for all joints."""
        return 0.0
