"""Work that a switch needs before it can begin, done beside the loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bxi_framework.diagnostics.guard import Outcome


class Preparation(Protocol):
    """Runs one job at a time away from the control thread; no method blocks the caller."""

    def begin(self, job: Callable[[], None]) -> None:
        """Start a job; one that was cancelled may still have to end first."""

    def poll(self) -> Outcome | None:
        """``None`` while the newest job runs; its outcome once, when it has ended."""

    def cancel(self, cleanup: Callable[[], None]) -> None:
        """Drop the newest job's outcome and run ``cleanup`` after the job has ended."""

    def close(self) -> None:
        """Accept no more jobs and let go of the worker."""
