"""What all states of the car share: frames for wheels and servos, and how a speed becomes wheel speeds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import numpy as np

from bxi_framework.mod_api import FloatArray, JointLayout, MotorFrame, RobotControlState, StateContext

from .shape import (
    CAMERA_PAN,
    CAMERA_TILT,
    LEFT_WHEELS,
    RIGHT_WHEELS,
    SERVOS,
    ULTRASONIC_PAN,
    WHEELS,
    CarShape,
)

HOLD: Final = 0.02
"""N·m·s/rad with which a wheel's speed is held, or braked."""

STIFFNESS: Final = 1.0
"""N·m/rad with which a servo is held."""

ParamsT = TypeVar("ParamsT", bound="CarParams")


@dataclass(frozen=True)
class CarParams:
    """Size and limits, as in `CarShape`; ``top_turn`` is in degrees per second. Every state has them."""

    wheel_radius: float = CarShape.wheel_radius
    track_width: float = CarShape.track_width
    top_speed: float = CarShape.top_speed
    top_turn: float = 380.0

    def __post_init__(self) -> None:
        for name in ("wheel_radius", "track_width", "top_speed", "top_turn"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"{name} must be greater than 0, not {getattr(self, name)}")


class CarState(RobotControlState, Generic[ParamsT]):
    """A state of the car. Joints that the robot lacks make it unavailable."""

    params: ParamsT

    def __init__(self, name: str, state_id: int, params: ParamsT) -> None:
        super().__init__(name, state_id)
        self.params = params
        self._layout: JointLayout | None = None
        self._qpos: FloatArray = np.zeros(0, dtype=np.float32)
        self._vel: FloatArray = self._qpos
        self._kp: FloatArray = self._qpos
        self._kd: FloatArray = self._qpos

    def is_available(self, ctx: StateContext) -> bool:
        """Only a robot with the joints of the car."""
        missing = [name for name in (*WHEELS, *SERVOS) if name not in ctx.robot_layout]
        if missing:
            self.logger.warning(f"this robot lacks {', '.join(missing)}", once=True)
        return not missing

    def rest(self, ctx: StateContext) -> MotorFrame:
        """The frame of this state at rest: the wheels braked."""
        return self.drive_frame(ctx, 0.0, 0.0)

    def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
        """At rest: motion begins with the first update."""
        return self.rest(ctx)

    def sample_running_frame(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        """At rest: nobody steers while a transition runs."""
        return self.rest(ctx)

    def drive_frame(
        self, ctx: StateContext, speed: float, turn: float, look: float | None = None
    ) -> MotorFrame:
        """Wheels that drive the car.

        Args:
            ctx: the context.
            speed: forward, m/s.
            turn: counter-clockwise, rad/s. What is too much for a wheel is cut so that the curve stays.
            look: rad to the left that the distance sensor turns to; ``None`` leaves it where it is.
        """
        self._adopt(ctx.robot_layout)
        left, right = self._side_speeds(speed, turn)
        layout = ctx.robot_layout
        for names, side in ((LEFT_WHEELS, left), (RIGHT_WHEELS, right)):
            for name in names:
                self._vel[layout.index(name)] = side
                self._kd[layout.index(name)] = HOLD
        pan = layout.index(ULTRASONIC_PAN)
        self._kp[pan] = 0.0 if look is None else STIFFNESS
        self._qpos[pan] = 0.0 if look is None else look
        return self._motor_frame(ctx, self._qpos, self._kp, self._kd, vel=self._vel)

    def aim_camera(self, ctx: StateContext, tilt: float, pan: float) -> None:
        """Where the camera looks in the frames from now on; rad up and to the left."""
        self._adopt(ctx.robot_layout)
        for name, angle in ((CAMERA_TILT, tilt), (CAMERA_PAN, pan)):
            index = ctx.robot_layout.index(name)
            self._qpos[index], self._kp[index] = angle, STIFFNESS

    def coast_frame(self, ctx: StateContext) -> MotorFrame:
        """Nothing is asked of any joint."""
        return self._motor_frame(ctx, 0.0, 0.0, 0.0)

    def _side_speeds(self, speed: float, turn: float) -> tuple[float, float]:
        """Rad/s of the wheels of both sides."""
        params = self.params
        if not (math.isfinite(speed) and math.isfinite(turn)):
            return 0.0, 0.0
        top_turn = math.radians(params.top_turn)
        side = min(max(turn, -top_turn), top_turn) * params.track_width / 2.0
        scale = min(1.0, params.top_speed / max(abs(speed) + abs(side), 1e-9)) / params.wheel_radius
        return (speed - side) * scale, (speed + side) * scale

    def _adopt(self, layout: JointLayout) -> None:
        if layout is not self._layout:
            self._layout = layout
            self._qpos, self._vel, self._kp, self._kd = (
                np.zeros(layout.dof_num, dtype=np.float32) for _ in range(4)
            )
