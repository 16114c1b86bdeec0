"""What the cart can do."""

from __future__ import annotations

from bxi_framework.mod_api import RobotControlState, StateContext

RADIUS, HALF_TRACK, KD = 0.05, 0.09, 0.2


class Rest(RobotControlState):
    """Stands still, with the wheels held."""

    def on_update(self, ctx: StateContext, dt: float) -> None:
        self._apply_frame(ctx, self._motor_frame(ctx, qpos=0.0, kp=0.0, kd=KD))


class Drive(RobotControlState):
    """Turns the wheels as the velocity command says."""

    def on_update(self, ctx: StateContext, dt: float) -> None:
        forward, _, turn = self.get_cmd_vel(ctx)
        left, right = (forward - turn * HALF_TRACK) / RADIUS, (forward + turn * HALF_TRACK) / RADIUS
        self._apply_frame(ctx, self._motor_frame(ctx, qpos=0.0, kp=0.0, kd=KD, vel=[left, right]))
