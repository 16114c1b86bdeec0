"""Monotonic time for the control loop."""

from __future__ import annotations

import time


class SystemClock:
    """The machine's monotonic clock, which no clock setting moves."""

    def now_ns(self) -> int:
        """Nanoseconds since some fixed moment."""
        return time.monotonic_ns()

    def sleep_until(self, deadline_ns: int) -> None:
        """Return at ``deadline_ns`` or as soon after as the machine allows."""
        remaining = deadline_ns - time.monotonic_ns()
        if remaining > 0:
            time.sleep(remaining / 1e9)
