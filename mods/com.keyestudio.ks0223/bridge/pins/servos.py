"""The three servos: a pulse of 500 + 11 µs per degree, fifty times a second."""

from __future__ import annotations

from typing import Any, Final

from gpiozero import PWMOutputDevice

FREQUENCY: Final = 50
_PERIOD_US: Final = 1e6 / FREQUENCY
_ZERO_US, _DEGREE_US = 500.0, 11.0


class Servo:
    """One servo; it gets no pulse, and so does not move, until it is pointed somewhere."""

    def __init__(self, pin: int, factory: Any) -> None:
        self._output = PWMOutputDevice(pin, frequency=FREQUENCY, pin_factory=factory)
        self.angle: float | None = None

    def point(self, angle: float) -> None:
        """Go to an angle in degrees from 0 to 180."""
        if angle != self.angle:
            self._output.value = (_ZERO_US + _DEGREE_US * angle) / _PERIOD_US
            self.angle = angle

    def close(self) -> None:
        """Give the pin back."""
        self._output.close()
