"""Runs the slow part of a switch: at once for the bench, on a worker thread beside the control loop
otherwise.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence

from bxi_framework.diagnostics.guard import Outcome, guarded


class InlinePreparation:
    """Runs every job at once on the caller's thread, so a run is the same each time."""

    def __init__(self) -> None:
        self._outcome: Outcome | None = None

    def begin(self, job: Callable[[], None], nodes: Sequence[str] = ()) -> None:
        """Run the job now; it is as if the nodes ran."""
        self._outcome = Outcome(guarded(job).error)

    def poll(self) -> Outcome | None:
        """The newest job's outcome, once."""
        outcome, self._outcome = self._outcome, None
        return outcome

    def cancel(self, cleanup: Callable[[], None]) -> None:
        """Drop the newest job's outcome and run the clean-up now."""
        self._outcome = None
        guarded(cleanup)

    def close(self) -> None:
        """Nothing is held."""
        self._outcome = None


class BackgroundPreparation:
    """Runs jobs one after the other on one worker thread; no method waits for it.

    The thread starts with the first job and ends after `close`, once the job at hand has ended.
    """

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._newest: _Job | None = None
        self._worker: threading.Thread | None = None
        self._closed = False

    def begin(self, job: Callable[[], None], nodes: Sequence[str] = ()) -> None:
        """Queue a job; one that was cancelled may still have to end first. Nodes are not waited for.

        Raises:
            RuntimeError: closed.
        """
        if self._closed:
            raise RuntimeError("no switch can be prepared any more: the runtime is closed")
        self._newest = _Job(job)
        self._put(self._newest.run)

    def poll(self) -> Outcome | None:
        """None while the newest job runs; its outcome once, when it has ended."""
        if self._newest is None or self._newest.outcome is None:
            return None
        outcome, self._newest = self._newest.outcome, None
        return outcome

    def cancel(self, cleanup: Callable[[], None]) -> None:
        """Drop the newest job's outcome; ``cleanup`` runs on the worker after the job has ended."""
        self._newest = None
        if not self._closed:
            self._put(_Job(cleanup).run)

    def close(self) -> None:
        """Take no more jobs and let the worker end after what is queued. Safe to call twice."""
        if not self._closed:
            self._closed = True
            self._newest = None
            self._waiting.put(None)

    def _put(self, work: Callable[[], None]) -> None:
        if self._worker is None:
            self._worker = threading.Thread(target=self._run, name="bxi-preparation", daemon=True)
            self._worker.start()
        self._waiting.put(work)

    def _run(self) -> None:
        while True:
            work = self._waiting.get()
            if work is None:
                return
            work()


class _Job:
    """A job and, once it has ended, its outcome."""

    __slots__ = ("_work", "outcome")

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self.outcome: Outcome | None = None

    def run(self) -> None:
        """Run it on the worker; whatever it raises becomes the outcome."""
        self.outcome = Outcome(guarded(self._work).error)
