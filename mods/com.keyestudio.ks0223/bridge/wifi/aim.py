"""Which camera word is due, by reckoning where the camera must be.

The kit turns the camera by one degree per turn of its loop, on one axis at a time, and says nothing about it.
Any motion word stops it.
"""

from __future__ import annotations

from typing import Final

UP, DOWN, LEFT, RIGHT, HALT = "CamUp", "CamDown", "CamLeft", "CamRight", "CamStop"

TOLERANCE: Final = 1.5
"""Degrees that are near enough."""

_EFFECT: Final = {UP: (1.0, 0.0), DOWN: (-1.0, 0.0), LEFT: (0.0, 1.0), RIGHT: (0.0, -1.0), HALT: (0.0, 0.0)}


class CameraAim:
    """Where the camera must be, and how to get it where it should be.

    Args:
        degree_time: seconds that the camera takes for one degree.
    """

    def __init__(self, degree_time: float = 0.021) -> None:
        self._degree_time = degree_time
        self._at = 0.0
        self._word = HALT
        self.tilt = self.pan = 90.0

    def due(self, now: float, tilt: float | None, pan: float | None) -> str | None:
        """The word to send now; ``None`` if none is. Angles in degrees, ``None`` for wherever it is."""
        self._reckon(now)
        word = self._wanted(tilt, pan)
        return word if word != self._word else None

    def sent(self, now: float, word: str) -> None:
        """A camera word has gone out."""
        self._reckon(now)
        if word not in (HALT, self._word):
            # The first degree comes at once, the next ones after a turn each.
            tilt, pan = _EFFECT[word]
            self.tilt, self.pan = self.tilt + tilt / 2.0, self.pan + pan / 2.0
        self._word = word

    def halted(self, now: float) -> None:
        """A motion word has gone out, which stops the camera."""
        self.sent(now, HALT)

    def _wanted(self, tilt: float | None, pan: float | None) -> str:
        up = 0.0 if tilt is None else tilt - self.tilt
        left = 0.0 if pan is None else pan - self.pan
        ways = ((up, UP, DOWN), (left, LEFT, RIGHT))
        for error, positive, negative in ways:
            # What runs goes on to the end, so that both axes do not take turns at every call.
            word = positive if error > 0.0 else negative
            if word == self._word and abs(error) > TOLERANCE / 2.0:
                return word
        for error, positive, negative in ways:
            if abs(error) > TOLERANCE:
                return positive if error > 0.0 else negative
        return HALT

    def _reckon(self, now: float) -> None:
        degrees = max(0.0, now - self._at) / self._degree_time
        tilt, pan = _EFFECT[self._word]
        self.tilt = min(max(self.tilt + tilt * degrees, 0.0), 180.0)
        self.pan = min(max(self.pan + pan * degrees, 0.0), 180.0)
        self._at = now
