"""Where the car should be, reckoned from what it was told: it has neither encoders nor a gyroscope."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from ..shape import CarShape

SPEED_ERROR: Final = 0.15
"""Share of the way by which it is off."""

TURN_ERROR: Final = 0.3
"""Share of the angle by which it is off: a turn depends on battery and floor that much."""

DRIFT: Final = 0.09
"""Rad by which it leaves a straight line per metre."""


@dataclass
class Odometry:
    """Pose (m, m, rad), speed (m/s) and turn rate (rad/s) as commanded; ``way`` and ``turned`` are all metres
    and all radians so far, from which the errors grow.
    """

    shape: CarShape
    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    speed: float = 0.0
    turn: float = 0.0
    way: float = 0.0
    turned: float = 0.0

    def step(self, left: float, right: float, dt: float) -> None:
        """The sides have turned with these shares of the top speed for ``dt`` seconds."""
        top = self.shape.top_speed
        self.speed = (left + right) / 2.0 * top
        self.turn = (right - left) / self.shape.track_width * top
        middle = self.heading + self.turn * dt / 2.0
        self.x += self.speed * dt * math.cos(middle)
        self.y += self.speed * dt * math.sin(middle)
        self.heading = math.remainder(self.heading + self.turn * dt, math.tau)
        self.way += abs(self.speed) * dt
        self.turned += abs(self.turn) * dt

    @property
    def heading_sigma(self) -> float:
        """Standard deviation of the heading in rad; beyond a full turn it means nothing any more."""
        return min(TURN_ERROR * self.turned + DRIFT * self.way, math.tau)

    @property
    def place_sigma(self) -> float:
        """Standard deviation of x and y in metres."""
        return SPEED_ERROR * self.way + self.way * min(self.heading_sigma, 1.0) / 2.0

    @property
    def twist_sigmas(self) -> tuple[float, float]:
        """Standard deviations of speed (m/s) and turn rate (rad/s)."""
        return SPEED_ERROR * abs(self.speed) + 0.05, TURN_ERROR * abs(self.turn) + 0.1
