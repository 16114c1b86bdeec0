"""The passive buzzer: a square wave of the tone's frequency."""

from __future__ import annotations

from typing import Any, Final

from gpiozero import PWMOutputDevice

LOWEST, HIGHEST = 50.0, 5000.0
_HALF: Final = 0.5


class Buzzer:
    """Sounds one tone at a time."""

    def __init__(self, pin: int, factory: Any) -> None:
        self._output = PWMOutputDevice(pin, frequency=440, pin_factory=factory)

    def tone(self, frequency: float) -> None:
        """Sound a tone in Hz from 50 to 5000; any other is silence."""
        if LOWEST <= frequency <= HIGHEST:
            self._output.frequency = round(frequency)
            self._output.value = _HALF
        else:
            self._output.value = 0.0

    def close(self) -> None:
        """Be silent and give the pin back."""
        self._output.close()
