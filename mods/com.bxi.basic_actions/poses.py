"""The states that hold still: no torque at all, all joints at zero, and the standing pose."""

from __future__ import annotations

from numpy.typing import ArrayLike

from bxi_framework.mod_api import PoseState, StateContext

from .named_pose import STANDING, NamedPose


class ZeroTorque(PoseState[None]):
    """Asks the motors for nothing. It depends on no input, so it can take over when something has failed."""

    def target_position(self, ctx: StateContext) -> ArrayLike:
        """Without stiffness the position has no meaning."""
        return 0.0

    def gains(self, ctx: StateContext) -> tuple[ArrayLike, ArrayLike]:
        """No stiffness, no damping."""
        return 0.0, 0.0


class ZeroPosition(PoseState[None]):
    """Holds every joint at its zero."""

    def target_position(self, ctx: StateContext) -> ArrayLike:
        """Zero for all joints."""
        return 0.0


class Standing(PoseState[None]):
    """Holds the standing pose. It cannot balance: stiff ankles alone keep no free humanoid from toppling."""

    def __init__(self, name: str, state_id: int) -> None:
        super().__init__(name, state_id)
        self._pose = NamedPose(STANDING)

    def is_available(self, ctx: StateContext) -> bool:
        """Only a robot with these joints can stand so."""
        missing = self._pose.missing(ctx.robot_layout)
        if missing:
            self.logger.warning(f"this robot lacks {', '.join(missing)}", once=True)
        return not missing

    def target_position(self, ctx: StateContext) -> ArrayLike:
        """The standing pose in the robot's layout."""
        return self._pose.position(ctx.robot_layout)
