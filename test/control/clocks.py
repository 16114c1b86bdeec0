"""Clocks that a test turns by hand, and a real one."""

from __future__ import annotations

import time


class HandClock:
    """Time stands still until somebody sleeps, works or looks.

    ``late_by`` is how much too late each sleep ends; ``per_look`` passes with each reading.
    """

    def __init__(self, now: int = 0, per_look: int = 0) -> None:
        self.now = now
        self.late_by = 0
        self.per_look = per_look
        self.slept_until: list[int] = []
        self.looks = 0

    def now_ns(self) -> int:
        self.looks += 1
        now = self.now
        self.now += self.per_look
        return now

    def sleep_until(self, deadline_ns: int) -> None:
        self.slept_until.append(deadline_ns)
        self.now = max(self.now, deadline_ns) + self.late_by

    def work(self, ns: int) -> None:
        """Something takes so long."""
        self.now += ns


class RealClock:
    """The machine's monotonic time."""

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def sleep_until(self, deadline_ns: int) -> None:
        left = deadline_ns - time.monotonic_ns()
        if left > 0:
            time.sleep(left / 1e9)
