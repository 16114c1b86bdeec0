"""Work that a switch needs before it can begin, done beside the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType
from typing import Protocol

from bxi_framework.diagnostics.guard import Outcome


class NotReadyError(Exception):
    """What a switch needs is not there; the text is the whole reason."""


class Preparation(Protocol):
    """Runs jobs away from the control thread; no method blocks the caller.

    ``key`` names whom a job is for. Jobs and clean-ups of one key run one after the other; one that hangs
    never keeps those of another key waiting.
    """

    @property
    def inline(self) -> bool:
        """True if everything runs at once on the caller's thread, as on the bench."""

    def begin(self, job: Callable[[], None], nodes: Sequence[str] = (), key: str = "") -> None:
        """Start a job once all these nodes run, given by their full names; where nobody runs nodes, at once.

        A job of the same key that was cancelled may still have to end first.
        """

    def poll(self) -> Outcome | None:
        """``None`` while the newest job runs; its outcome once, when it has ended."""

    def cancel(self, cleanup: Callable[[], None], key: str = "") -> None:
        """Drop the newest job's outcome; run ``cleanup`` after the job of this key has ended, if it has begun
        at all.
        """

    def stands(self, key: str) -> FrameType | None:
        """Where the work of this key that is under way stands right now; ``None`` if there is none."""

    def close(self) -> None:
        """Accept no more jobs and let go of the worker."""
