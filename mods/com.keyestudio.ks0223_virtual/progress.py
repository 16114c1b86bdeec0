"""How far a car has come on its track."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Protocol

Point = tuple[float, float]

BESIDE: Final = 0.3
"""Metres; farther away from the line a car makes no way along it."""


class Progress(Protocol):
    """Told of every place of the car, in order."""

    value: float

    def look(self, x: float, y: float) -> None:
        """The car is here now (m)."""


class NoProgress:
    """A world without a way: always 0."""

    value = 0.0

    def look(self, x: float, y: float) -> None:
        """Nothing comes of it."""


class Along:
    """The farthest way along a polyline, in metres from its begin."""

    def __init__(self, points: Sequence[Point]) -> None:
        self._points = list(points)
        self.value = 0.0

    def look(self, x: float, y: float) -> None:
        self.value = max(self.value, _nearest(self._points, x, y)[0])


class Laps:
    """Laps around a closed line in its direction; backwards counts down, beside the line nothing counts."""

    def __init__(self, points: Sequence[Point]) -> None:
        self._points = [*points, points[0]]
        self._length = sum(math.dist(a, b) for a, b in pairwise(self._points))
        self._at = 0.0
        self.value = 0.0

    def look(self, x: float, y: float) -> None:
        along, beside = _nearest(self._points, x, y)
        if beside > BESIDE:
            return
        step = (along - self._at + self._length / 2.0) % self._length - self._length / 2.0
        self._at = along
        self.value += step / self._length


def _nearest(points: Sequence[Point], x: float, y: float) -> tuple[float, float]:
    """The way along a polyline to its point nearest to a place, and the distance of both; m."""
    way, best, beside = 0.0, 0.0, math.inf
    for (ax, ay), (bx, by) in pairwise(points):
        dx, dy = bx - ax, by - ay
        length = math.hypot(dx, dy)
        share = min(max(((x - ax) * dx + (y - ay) * dy) / length**2, 0.0), 1.0)
        away = math.hypot(x - ax - share * dx, y - ay - share * dy)
        if away < beside:
            best, beside = way + share * length, away
        way += length
    return best, beside
