"""Speed profiles: how a stick's wish becomes a velocity command of a state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bxi_framework.robot import FloatArray


@dataclass(frozen=True, slots=True)
class SpeedProfile:
    """Scale, then clamp, per axis: vx and vy in m/s, yaw in rad/s. The default changes nothing but the range
    [-1, 1].
    """

    vx_scale: float = 1.0
    vx_min: float = -1.0
    vx_max: float = 1.0
    vy_scale: float = 1.0
    vy_min: float = -1.0
    vy_max: float = 1.0
    yaw_scale: float = 1.0
    yaw_min: float = -1.0
    yaw_max: float = 1.0

    def apply(self, command: FloatArray) -> FloatArray:
        """The velocity command (vx, vy, yaw) for a wish of shape (3,); a new array."""
        return np.array(
            (
                min(max(self.vx_scale * float(command[0]), self.vx_min), self.vx_max),
                min(max(self.vy_scale * float(command[1]), self.vy_min), self.vy_max),
                min(max(self.yaw_scale * float(command[2]), self.yaw_min), self.yaw_max),
            ),
            dtype=np.float32,
        )
