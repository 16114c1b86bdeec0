"""Which topic a distance reading belongs to, by where the sensor pointed when it was made."""

from __future__ import annotations

from typing import Final

from .readings import Echo, Stamped

SETTLE: Final = 0.3
"""Seconds after a turn of the sensor before its readings count for the new direction."""

SECTORS: Final = (
    ("ultrasonic/left", 120.0, 180.0),
    ("ultrasonic/front", 75.0, 105.0),
    ("ultrasonic/right", 0.0, 60.0),
)
"""Topic, and the servo angles from which its readings come."""


class Sectors:
    """Sorts readings, each of which is offered once."""

    def __init__(self) -> None:
        self._angle = (90.0, -float("inf"))

    def topic(self, echo: Stamped[Echo]) -> str | None:
        """The topic of a reading; ``None`` while the sensor turns, and between the sectors."""
        angle, since = self._angle
        if echo.value.angle != angle:
            # The first reading that tells of a new direction may have been made on the way there.
            self._angle = (echo.value.angle, echo.at)
            return None
        if echo.at - since < SETTLE:
            return None
        return next((topic for topic, low, high in SECTORS if low <= angle <= high), None)
