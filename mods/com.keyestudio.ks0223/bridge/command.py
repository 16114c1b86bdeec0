"""What a motor frame asks of the car.

A wheel turns at ``vel`` as far as ``kd`` holds it: kp = kd = 0 lets it coast, kd > 0 with vel = 0 brakes. A
servo goes to ``qpos`` while it has stiffness, and stays where it is without.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from bxi_framework.mod_api import FloatArray, JointLayout

from ..shape import CAMERA_PAN, CAMERA_TILT, LEFT_WHEELS, RIGHT_WHEELS, ULTRASONIC_PAN, CarShape

FIELDS: Final = 5
_QPOS, _VEL, _KP, _KD = range(4)


@dataclass(frozen=True)
class CarCommand:
    """Both sides as a share of the top speed, -1 to 1; servo angles in degrees, 90 is straight ahead and more
    is left or up, ``None`` leaves a servo where it is.
    """

    left: float = 0.0
    right: float = 0.0
    brake: bool = False
    ultrasonic: float | None = None
    tilt: float | None = None
    pan: float | None = None

    @property
    def stopped(self) -> bool:
        """True if no wheel is to turn."""
        return self.left == 0.0 and self.right == 0.0


STOP: Final = CarCommand()


class FrameReader:
    """Reads frames of one layout.

    Raises:
        KeyError: the layout lacks a joint of the car.
    """

    def __init__(self, layout: JointLayout, shape: CarShape) -> None:
        self._left = [layout.index(name) for name in LEFT_WHEELS]
        self._right = [layout.index(name) for name in RIGHT_WHEELS]
        self._servos = [layout.index(name) for name in (ULTRASONIC_PAN, CAMERA_TILT, CAMERA_PAN)]
        self._size = layout.dof_num
        self._top = shape.top_wheel_speed

    def read(self, values: FloatArray) -> CarCommand | None:
        """The command of a frame of 5 × N values; ``None`` if it has another size or holds what is no
        number.
        """
        if values.size != FIELDS * self._size or not np.isfinite(values).all():
            return None
        rows = values.reshape(FIELDS, self._size)
        wheels = [*self._left, *self._right]
        ultrasonic, tilt, pan = (self._angle(rows, index) for index in self._servos)
        return CarCommand(
            self._side(rows, self._left),
            self._side(rows, self._right),
            bool((rows[_KD][wheels] > 0.0).any()),
            ultrasonic,
            tilt,
            pan,
        )

    def _side(self, rows: FloatArray, wheels: list[int]) -> float:
        held = rows[_KD][wheels] > 0.0
        mean = float(np.where(held, rows[_VEL][wheels], 0.0).mean())
        return min(max(mean / self._top, -1.0), 1.0)

    def _angle(self, rows: FloatArray, index: int) -> float | None:
        if rows[_KP][index] <= 0.0:
            return None
        return min(max(90.0 + math.degrees(float(rows[_QPOS][index])), 0.0), 180.0)
