"""The virtual car in real time: a thread lets its time pass by the clock, and a lock orders who asks it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from .car import PhysicalCar, Pose
from .jpeg import to_jpeg

BEAT: Final = 0.02
"""Seconds between two advances."""

LONGEST_GAP: Final = 0.5
"""Seconds; what the car is further behind the clock is not made up for."""


def _nothing(behind: float) -> None:
    """Nobody listens."""


class ClockedCar:
    """Implements the kit's `CarHardware` for any thread. Pictures are drawn and compressed elsewhere.

    Args:
        car: what moves; nobody else may use it from now on.
        late: is told, on the car's thread, by how many seconds time had to be left out.
    """

    def __init__(self, car: PhysicalCar, late: Callable[[float], None] = _nothing) -> None:
        self._car = car
        self._late = late
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="virtual car", daemon=True)

    def start(self) -> None:
        """Let time pass."""
        self._thread.start()

    def close(self) -> None:
        """Stop its time, and end its simulation."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()
        with self._lock:
            self._car.close()

    def reset(self, seed: int | None = None) -> None:
        """Begin anew, with another seed if one is given.

        Raises:
            ValueError: the seed is out of range.
        """
        with self._lock:
            self._car.reset(self._car.seed if seed is None else seed)

    @property
    def pose(self) -> Pose:
        """Where it is and how it moves."""
        with self._lock:
            return self._car.pose

    @property
    def touches(self) -> int:
        """How often its hull has touched something."""
        with self._lock:
            return self._car.touches

    def drive(self, left: float, right: float) -> None:
        with self._lock:
            self._car.drive(left, right)

    def point_camera(self, tilt: float, pan: float) -> None:
        with self._lock:
            self._car.point_camera(tilt, pan)

    def point_ultrasonic(self, angle: float) -> None:
        with self._lock:
            self._car.point_ultrasonic(angle)

    def distance(self) -> float | None:
        with self._lock:
            return self._car.distance()

    def line(self) -> tuple[int, int, int]:
        with self._lock:
            return self._car.line()

    def image(self) -> bytes | None:
        with self._lock:
            pixels = self._car.pixels()
        return None if pixels is None else to_jpeg(pixels)

    def _run(self) -> None:
        at = time.monotonic()
        while not self._ending.wait(BEAT):
            behind = time.monotonic() - at
            if behind > LONGEST_GAP:
                self._late(behind - LONGEST_GAP)
                at += behind - LONGEST_GAP
                behind = LONGEST_GAP
            with self._lock:
                self._car.advance(behind)
            at += behind
