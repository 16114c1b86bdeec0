"""A state for a Mod that is read but never runs."""

from __future__ import annotations

from bxi_framework.mod_api import PoseState


class RestState(PoseState[None]):
    """Holds zero."""

    def target_position(self, ctx):
        return 0.0
