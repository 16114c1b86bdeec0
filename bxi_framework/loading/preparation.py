"""Runs the slow part of a switch: at once for the bench, on worker threads beside the control loop
otherwise.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from types import FrameType

from bxi_framework.diagnostics.guard import Outcome, guarded


class InlinePreparation:
    """Runs every job at once on the caller's thread, so a run is the same each time."""

    inline = True

    def __init__(self) -> None:
        self._outcome: Outcome | None = None

    def begin(self, job: Callable[[], None], nodes: Sequence[str] = (), key: str = "") -> None:
        """Run the job now; it is as if the nodes ran."""
        self._outcome = Outcome(guarded(job).error)

    def poll(self) -> Outcome | None:
        """The newest job's outcome, once."""
        outcome, self._outcome = self._outcome, None
        return outcome

    def cancel(self, cleanup: Callable[[], None], key: str = "") -> None:
        """Drop the newest job's outcome and run the clean-up now."""
        self._outcome = None
        guarded(cleanup)

    def stands(self, key: str) -> FrameType | None:
        """Nothing is ever under way."""
        return None

    def close(self) -> None:
        """Nothing is held."""
        self._outcome = None


class BackgroundPreparation:
    """Runs jobs on worker threads; no method waits for them, and all but `close` belong to one thread.

    One worker is enough as long as everything returns. Only where the work of another key is still under way
    is one more started, so there are as many as there are keys whose work hangs, and one. They end after
    `close`, once the work at hand has ended. They run on the CPUs of the thread that makes this object, not
    on those of the control thread that starts them.
    """

    inline = False

    def __init__(self) -> None:
        self._cpus = os.sched_getaffinity(0)
        self._workers: list[_Worker] = []
        self._newest: _Job | None = None
        self._closed = False

    def begin(self, job: Callable[[], None], nodes: Sequence[str] = (), key: str = "") -> None:
        """Queue a job; one of the same key that was cancelled may still have to end first. Nodes are not
        waited for.

        Raises:
            RuntimeError: closed.
        """
        if self._closed:
            raise RuntimeError("no switch can be prepared any more: the runtime is closed")
        self._newest = _Job(job)
        self._worker(key).put(self._newest.run)

    def poll(self) -> Outcome | None:
        """None while the newest job runs; its outcome once, when it has ended."""
        if self._newest is None or self._newest.outcome is None:
            return None
        outcome, self._newest = self._newest.outcome, None
        return outcome

    def cancel(self, cleanup: Callable[[], None], key: str = "") -> None:
        """Drop the newest job's outcome; ``cleanup`` runs on the worker after the job has ended."""
        self._newest = None
        if not self._closed:
            self._worker(key).put(_Job(cleanup).run)

    def stands(self, key: str) -> FrameType | None:
        """The innermost frame of the thread that works for this key."""
        worker = next((each for each in self._workers if each.key == key and each.busy), None)
        return None if worker is None else sys._current_frames().get(worker.thread.ident or 0)

    def close(self) -> None:
        """Take no more jobs and let the workers end after what is queued. Safe to call twice."""
        if not self._closed:
            self._closed = True
            self._newest = None
            for worker in self._workers:
                worker.end()

    def _worker(self, key: str) -> _Worker:
        """The one that works for this key, else one that has nothing to do, else a new one."""
        idle = None
        for worker in self._workers:
            if not worker.busy:
                idle = idle or worker
            elif worker.key == key:
                return worker
        if idle is None:
            idle = _Worker(self._cpus)
            self._workers.append(idle)
        idle.key = key
        return idle


class _Worker:
    """A thread on these CPUs that works off a queue; ``key`` is for whom."""

    __slots__ = ("_cpus", "_done", "_given", "_queue", "key", "thread")

    def __init__(self, cpus: Collection[int]) -> None:
        self.key = ""
        self._cpus = cpus
        # One side counts what it gives, the other what it has done: no lock on the control thread.
        self._given = self._done = 0
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._run, name="bxi-preparation", daemon=True)
        self.thread.start()

    @property
    def busy(self) -> bool:
        """True while something is queued or under way."""
        return self._given != self._done

    def put(self, work: Callable[[], None]) -> None:
        """Queue work that raises nothing."""
        self._given += 1
        self._queue.put(work)

    def end(self) -> None:
        """End after what is queued."""
        self._queue.put(None)

    def _run(self) -> None:
        # Else it, and every thread that a job starts, would share the CPU that the control loop has claimed.
        with suppress(OSError):
            os.sched_setaffinity(0, self._cpus)
        while (work := self._queue.get()) is not None:
            work()
            self._done += 1


class _Job:
    """A job and, once it has ended, its outcome."""

    __slots__ = ("_work", "outcome")

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self.outcome: Outcome | None = None

    def run(self) -> None:
        """Run it on the worker; whatever it raises becomes the outcome."""
        self.outcome = Outcome(guarded(self._work).error)
