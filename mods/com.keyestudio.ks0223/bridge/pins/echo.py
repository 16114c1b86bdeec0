"""The ultrasonic sensor: a reading or a reason, within 60 ms whatever the sensor does.

The edges of the echo come with the time at which the kernel saw them, so a busy machine delays a reading and
does not change it. Nothing is waited for in a loop.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

SPEED_OF_SOUND: Final = 343.0
FARTHEST: Final = 4.5
NEAREST: Final = 0.02
RISE_LIMIT, ECHO_LIMIT = 0.03, 0.03
"""Seconds that the echo line may take to rise after the trigger, and stay high."""

TRIGGER_PULSE: Final = 1e-5


class EchoSounder:
    """Measures with two lines.

    Args:
        trigger: sets the trigger line.
        high: tells whether the echo line is high now.
    """

    def __init__(self, trigger: Callable[[bool], None], high: Callable[[], bool]) -> None:
        self._trigger = trigger
        self._high = high
        self._changed = threading.Condition()
        self._rise: float | None = None
        self._fall: float | None = None
        self._armed = False

    def edge(self, at: float, rising: bool) -> None:
        """The echo line has changed at a time in seconds, of any clock that nobody sets; from any thread."""
        with self._changed:
            if not self._armed:
                return
            if rising:
                self._rise, self._fall = at, None
            elif self._rise is not None:
                self._fall = at
            self._changed.notify_all()

    def measure(self) -> tuple[float | None, str]:
        """Metres, or ``None`` and why there is no reading."""
        if self._high():
            return None, "the echo line stands high"
        with self._changed:
            self._rise = self._fall = None
            self._armed = True
        try:
            self._trigger(True)
            time.sleep(TRIGGER_PULSE)
            self._trigger(False)
            with self._changed:
                if not self._changed.wait_for(lambda: self._rise is not None, RISE_LIMIT):
                    return None, "the sensor does not answer; is it plugged in?"
                if not self._changed.wait_for(lambda: self._fall is not None, ECHO_LIMIT):
                    return None, "no echo came back"
                assert self._rise is not None and self._fall is not None
                return _distance(self._fall - self._rise)
        finally:
            with self._changed:
                self._armed = False


def _distance(width: float) -> tuple[float | None, str]:
    distance = width * SPEED_OF_SOUND / 2.0
    if distance > FARTHEST:
        return None, "no echo came back"
    if distance < NEAREST:
        return None, "the echo is too short to be one"
    return distance, ""
