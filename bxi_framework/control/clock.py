"""The clock that the loop is given, so that tests can stand in for time."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Monotonic time in nanoseconds."""

    def now_ns(self) -> int:
        """Nanoseconds since some fixed moment; never steps back."""

    def sleep_until(self, deadline_ns: int) -> None:
        """Return at ``deadline_ns`` or as soon after as the machine allows; at once if it has passed."""
