"""Size and limits of the car, and its joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bxi_framework.mod_api import ConfigReader

LEFT_WHEELS: Final = ("front_left_wheel_joint", "rear_left_wheel_joint")
RIGHT_WHEELS: Final = ("front_right_wheel_joint", "rear_right_wheel_joint")
ULTRASONIC_PAN: Final = "ultrasonic_pan_joint"
CAMERA_TILT: Final = "camera_tilt_joint"
CAMERA_PAN: Final = "camera_pan_joint"
WHEELS: Final = (*LEFT_WHEELS, *RIGHT_WHEELS)
SERVOS: Final = (ULTRASONIC_PAN, CAMERA_TILT, CAMERA_PAN)


@dataclass(frozen=True)
class CarShape:
    """Metres and metres per second.

    ``track_width`` is that of an ideal car that turns as fast as the real one, which skids: 0.73 m/s per side
    and 380 degrees per second make 0.22 m. ``dead_zone`` is the share of the top speed below which the motors
    do not turn when they get a steady voltage.
    """

    wheel_radius: float = 0.0325
    track_width: float = 0.22
    top_speed: float = 0.73
    dead_zone: float = 0.35

    @classmethod
    def read(cls, params: ConfigReader) -> CarShape:
        """From the parameters of the node."""
        return cls(
            params.float("wheel_radius", cls.wheel_radius, minimum=0.01, maximum=0.2),
            params.float("track_width", cls.track_width, minimum=0.05, maximum=1.0),
            params.float("top_speed", cls.top_speed, minimum=0.05, maximum=5.0),
            params.float("dead_zone", cls.dead_zone, minimum=0.0, maximum=0.9),
        )

    @property
    def top_wheel_speed(self) -> float:
        """Rad/s of a wheel at top speed."""
        return self.top_speed / self.wheel_radius
