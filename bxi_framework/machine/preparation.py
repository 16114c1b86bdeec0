"""Work that a switch needs before it can begin, done beside the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from bxi_framework.diagnostics.guard import Outcome


class NotReadyError(Exception):
    """What a switch needs is not there; the text is the whole reason."""


class Preparation(Protocol):
    """Runs one job at a time away from the control thread; no method blocks the caller."""

    def begin(self, job: Callable[[], None], nodes: Sequence[str] = ()) -> None:
        """Start a job once all these nodes run, given by their full names; where nobody runs nodes, at once.

        A job that was cancelled may still have to end first.
        """

    def poll(self) -> Outcome | None:
        """``None`` while the newest job runs; its outcome once, when it has ended."""

    def cancel(self, cleanup: Callable[[], None]) -> None:
        """Drop the newest job's outcome; run ``cleanup`` after the job has ended, if it has begun at all."""

    def close(self) -> None:
        """Accept no more jobs and let go of the worker."""
