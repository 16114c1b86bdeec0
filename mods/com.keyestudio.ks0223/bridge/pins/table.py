"""Which part of the car is on which pin; all numbers are those of the BCM chip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PWM_FREQUENCY: Final = 100
"""Hz, the kit's value."""


@dataclass(frozen=True)
class MotorPins:
    """Two direction pins with the level that each has for forward, and the pin of the speed."""

    first: int
    second: int
    speed: int
    forward: tuple[bool, bool]


LEFT_MOTORS: Final = (
    MotorPins(20, 21, 0, (False, True)),
    MotorPins(22, 23, 1, (True, False)),
)
RIGHT_MOTORS: Final = (
    MotorPins(24, 25, 12, (True, False)),
    MotorPins(26, 27, 13, (False, True)),
)
MOTOR_PINS: Final = tuple(
    pin for motor in (*LEFT_MOTORS, *RIGHT_MOTORS) for pin in (motor.first, motor.second, motor.speed)
)

ULTRASONIC_SERVO, TILT_SERVO, PAN_SERVO = 5, 6, 7
TRIGGER, ECHO = 14, 4
LINE_OUTER: Final = (17, 19)
"""The maker's own pages disagree on which of the two is left."""

LINE_MIDDLE: Final = 18
INFRARED: Final = 15
MATRIX_CLOCK, MATRIX_DATA = 8, 9
BUZZER: Final = 16
