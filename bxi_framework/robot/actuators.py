"""Ideal joints for runs without hardware: they do what a motor frame says, with one time constant."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bxi_framework.robot.frame import FloatArray
from bxi_framework.robot.model import RobotModel


class IdealActuators:
    """First-order joints, stepped with motor frames; deterministic, and no step allocates an array.

    Where ``kp > 0`` a joint's position follows ``qpos``. Where ``kp`` is 0 and ``kd > 0`` its velocity
    follows ``vel`` and the position is the integral, as in a driven wheel. Where both are 0 the velocity dies
    away and the joint coasts to rest. Feed-forward torque moves nothing; it only counts in ``effort``.

    Args:
        joints: the robot model, or the joint names.
        time_constant: seconds after which 63 % of a step is done.
        position: where the joints are at first, in rad, one number or shape (N,).
    """

    def __init__(
        self, joints: RobotModel | Sequence[str], *, time_constant: float = 0.05, position: ArrayLike = 0.0
    ) -> None:
        if not (math.isfinite(time_constant) and time_constant > 0.0):
            raise ValueError(f"the time constant must be a positive number of seconds, not {time_constant}")
        self.names = joints.layout.names if isinstance(joints, RobotModel) else tuple(joints)
        self.time_constant = time_constant
        count = len(self.names)
        self.position: FloatArray = np.zeros(count, dtype=np.float32)
        self.velocity: FloatArray = np.zeros(count, dtype=np.float32)
        self.effort: FloatArray = np.zeros(count, dtype=np.float32)
        self.position[...] = position
        self._before = self.position.copy()
        self._part: FloatArray = np.zeros(count, dtype=np.float32)
        self._stiff = np.zeros(count, dtype=np.bool_)
        self._soft = np.zeros(count, dtype=np.bool_)
        self._damped = np.zeros(count, dtype=np.bool_)

    def step(self, command: FloatArray, dt: float) -> None:
        """Move on by ``dt`` seconds.

        Args:
            command: a motor frame's data, shape (5, N), finite.
            dt: seconds, more than 0.

        Raises:
            ValueError: the command has another shape, or ``dt`` is not positive.
        """
        if command.shape != (5, len(self.names)):
            raise ValueError(f"the command must have shape (5, {len(self.names)}), not {command.shape}")
        if not dt > 0.0:
            raise ValueError(f"dt must be more than 0 s, not {dt}")
        qpos, vel, kp, kd, torque = command
        share = -math.expm1(-dt / self.time_constant)
        self._sort(kp, kd)
        np.copyto(self._before, self.position)
        self._turn(vel, share, dt)
        self._follow(qpos, share, dt)
        self._estimate(qpos, vel, kp, kd, torque)

    def _sort(self, kp: FloatArray, kd: FloatArray) -> None:
        np.greater(kp, 0.0, out=self._stiff)
        np.logical_not(self._stiff, out=self._soft)
        np.greater(kd, 0.0, out=self._damped)

    def _turn(self, vel: FloatArray, share: float, dt: float) -> None:
        part = self._part
        np.multiply(vel, self._damped, out=part)
        np.subtract(part, self.velocity, out=part)
        np.multiply(part, share, out=part)
        np.add(self.velocity, part, out=self.velocity, where=self._soft)
        np.multiply(self.velocity, dt, out=part)
        np.add(self.position, part, out=self.position, where=self._soft)

    def _follow(self, qpos: FloatArray, share: float, dt: float) -> None:
        part = self._part
        np.subtract(qpos, self.position, out=part)
        np.multiply(part, share, out=part)
        np.add(self.position, part, out=self.position, where=self._stiff)
        np.subtract(self.position, self._before, out=part)
        np.divide(part, dt, out=self.velocity, where=self._stiff)

    def _estimate(
        self, qpos: FloatArray, vel: FloatArray, kp: FloatArray, kd: FloatArray, torque: FloatArray
    ) -> None:
        part, effort = self._part, self.effort
        np.subtract(qpos, self.position, out=part)
        np.multiply(part, kp, out=effort)
        np.subtract(vel, self.velocity, out=part)
        np.multiply(part, kd, out=part)
        np.add(effort, part, out=effort)
        np.add(effort, torque, out=effort)
