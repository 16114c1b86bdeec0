"""Absolute deadlines: a late tick never shifts the ones after it, and missed cycles are skipped, never run in
a burst.
"""

from __future__ import annotations

from bxi_framework.control.clock import Clock


class Pacer:
    """Waits for the next cycle of a fixed grid.

    Args:
        clock: tells the time and waits.
        period_ns: nanoseconds per cycle.
        spin_ns: the last nanoseconds before a deadline are spent awake, for a sharper edge.
    """

    def __init__(self, clock: Clock, period_ns: int, spin_ns: int = 0) -> None:
        self._clock = clock
        self._period = period_ns
        self._spin = spin_ns
        self._deadline = clock.now_ns()
        self.skipped = 0

    def wait(self) -> tuple[int, int]:
        """Wait for the next cycle.

        Returns:
            (cycles, lateness): control periods since the last call returned, at least 1, and nanoseconds
            after the deadline.
        """
        clock = self._clock
        cycles = 1
        self._deadline += self._period
        now = clock.now_ns()
        if now >= self._deadline + self._period:
            missed = (now - self._deadline) // self._period
            self._deadline += missed * self._period
            self.skipped += missed
            cycles += missed
        if now < self._deadline - self._spin:
            clock.sleep_until(self._deadline - self._spin)
            now = clock.now_ns()
        while now < self._deadline:
            now = clock.now_ns()
        return cycles, now - self._deadline
