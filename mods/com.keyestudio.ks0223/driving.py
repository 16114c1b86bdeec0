"""The states that a person drives with, and the two that do not move."""

from __future__ import annotations

from bxi_framework.mod_api import MotorFrame, StateContext

from .states import CarParams, CarState


class Idle(CarState[CarParams]):
    """Asks for nothing: the wheels coast and the servos stay. It depends on no input."""

    Params = CarParams

    def rest(self, ctx: StateContext) -> MotorFrame:
        """Nothing at all."""
        return self.coast_frame(ctx)

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Ask for nothing."""
        ctx.set_motor_target(self.coast_frame(ctx))


class Brake(CarState[CarParams]):
    """Holds the wheels still."""

    Params = CarParams

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Brake."""
        ctx.set_motor_target(self.rest(ctx))


class Drive(CarState[CarParams]):
    """Follows the stick or ``cmd_vel``, through its speed profile; both cameras look ahead."""

    Params = CarParams

    def on_enter(self, ctx: StateContext) -> None:
        """Look where it goes."""
        self.aim_camera(ctx, 0.0, 0.0)

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Drive."""
        command = self.get_cmd_vel(ctx)
        ctx.set_motor_target(self.drive_frame(ctx, float(command[0]), float(command[2]), look=0.0))
