"""The four motors as two sides."""

from __future__ import annotations

from typing import Any, Final

from gpiozero import DigitalOutputDevice, PWMOutputDevice

from .table import LEFT_MOTORS, PWM_FREQUENCY, RIGHT_MOTORS, MotorPins

FULL_DUTY: Final = 0.8
"""The duty with which the kit reaches the top speed."""

REST: Final = 0.04


class Motor:
    """One motor."""

    def __init__(self, pins: MotorPins, factory: Any) -> None:
        self._forward = pins.forward
        self._speed = PWMOutputDevice(pins.speed, frequency=PWM_FREQUENCY, pin_factory=factory)
        self._first = DigitalOutputDevice(pins.first, pin_factory=factory)
        self._second = DigitalOutputDevice(pins.second, pin_factory=factory)

    def turn(self, duty: float) -> None:
        """Turn with a duty from -1 to 1; 0 coasts."""
        if duty == 0.0:
            self._set(0.0, False, False)
        else:
            first, second = self._forward if duty > 0.0 else (not self._forward[0], not self._forward[1])
            self._set(abs(duty), first, second)

    def brake(self) -> None:
        """Short the motor."""
        self._set(1.0, True, True)

    def close(self) -> None:
        """Coast and give the pins back."""
        self.turn(0.0)
        for device in (self._speed, self._first, self._second):
            device.close()

    def _set(self, duty: float, first: bool, second: bool) -> None:
        # Without power first: the pins change one after the other, and no motor must see a third direction.
        self._speed.value = 0.0
        self._first.value, self._second.value = first, second
        self._speed.value = duty


class Motors:
    """Both sides; they begin at rest.

    Args:
        factory: the pin factory. dead_zone: share of the top speed below which the motors do not turn; a wish
        that is no rest gets at least
            this.
    """

    def __init__(self, factory: Any, dead_zone: float) -> None:
        self._dead_zone = dead_zone
        self._left = [Motor(pins, factory) for pins in LEFT_MOTORS]
        self._right = [Motor(pins, factory) for pins in RIGHT_MOTORS]
        self._last: tuple[float, float, bool] | None = None
        self.drive(0.0, 0.0, False)

    def drive(self, left: float, right: float, brake: bool) -> None:
        """Turn both sides, as shares of the top speed; ``brake`` counts where a side is at rest."""
        wanted = (left, right, brake)
        if wanted == self._last:
            return
        self._last = None
        for motors, share in ((self._left, left), (self._right, right)):
            for motor in motors:
                if abs(share) < REST and brake:
                    motor.brake()
                else:
                    motor.turn(duty_of(share, self._dead_zone))
        self._last = wanted

    def close(self) -> None:
        """Coast and give the pins back."""
        for motor in (*self._left, *self._right):
            motor.close()


def duty_of(share: float, dead_zone: float) -> float:
    """The duty for a share of the top speed."""
    if abs(share) < REST:
        return 0.0
    duty = min(max(abs(share), dead_zone), 1.0) * FULL_DUTY
    return duty if share > 0.0 else -duty
