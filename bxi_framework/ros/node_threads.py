"""The two threads of the nodes inside this process: one runs their callbacks, one makes nodes and takes them
down.

Either may be caught in code of a Mod that does not return. Then another takes its place.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Thread, current_thread
from typing import Final

from rclpy.node import Node

from bxi_framework.diagnostics.guard import describe_error, guarded
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.ros.executor import Fault, NamingExecutor, Spent, Working

_LOOK: Final = 0.1
"""Seconds after which the end of the thread is noticed while no callback runs."""

_BETWEEN: Final = 0.005


def _nothing() -> None:
    """Nothing is to be done."""


class CallbackThread:
    """Runs the callbacks of nodes until it is told to end. It starts with the first node."""

    def __init__(
        self,
        on_fault: Fault,
        whose: Callable[[Node], tuple[str, str]],
        on_spent: Spent,
        log: LogSink,
    ) -> None:
        self._log = log
        self._executor = NamingExecutor(on_fault, whose, on_spent)
        self._ending = Event()
        self._after: Callable[[], None] = _nothing
        self._thread = Thread(target=self._run, name="mod-nodes", daemon=True)

    @property
    def executor(self) -> NamingExecutor:
        """The executor that it spins."""
        return self._executor

    @property
    def nodes(self) -> list[Node]:
        """Those whose callbacks it runs."""
        return self._executor.get_nodes()

    @property
    def working(self) -> Working | None:
        """The callback under way."""
        return self._executor.working

    @property
    def alive(self) -> bool:
        """True until the thread has ended."""
        return self._thread.is_alive()

    def add(self, node: Node) -> None:
        """Run a node's callbacks from now on."""
        # By the node: it leaves the executor that it had before.
        node.executor = self._executor
        if self._thread.ident is None:
            self._thread.start()

    def remove(self, node: Node, patience: float) -> bool:
        """Run no more callbacks of a node; False if one that is under way does not end in time (s)."""
        self._executor.remove_node(node)
        end = time.monotonic() + patience
        while (working := self._executor.working) is not None and working.node is node:
            if time.monotonic() > end:
                return False
            time.sleep(_BETWEEN)
        return True

    def end(self, patience: float, after: Callable[[], None] = _nothing) -> bool:
        """End the thread, and call ``after`` then; False if a callback does not return in time (s)."""
        self._after = after
        self._ending.set()
        if self._thread.ident is None:
            self._executor.shutdown()
        else:
            self._thread.join(patience)
        return not self.alive

    def _run(self) -> None:
        told = ""
        while not self._ending.is_set():
            error = guarded(self._executor.spin_once, _LOOK).error
            if error is None:
                continue
            said = describe_error(error)
            if said != told:
                self._log("warning", "mod-nodes", f"the executor goes on after {said}")
            told = said
            # What fails at once again and again must not cost a whole core.
            self._ending.wait(_BETWEEN)
        self._executor.shutdown()
        self._after()


class Worker:
    """Does jobs one after the other on a thread of its own. It starts with the first job."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None

    @property
    def alive(self) -> bool:
        """True until the thread has ended."""
        return self._thread is not None and self._thread.is_alive()

    def put(self, job: Callable[[], None]) -> None:
        """Do a job after those before it. It must not raise."""
        self._jobs.put(job)
        if self._thread is None:
            self._start()

    def give_up(self) -> Callable[[], bool]:
        """Leave the thread to its job, which does not return, and do the other jobs on a new one.

        Returns:
            A function that says whether the old thread lives; it ends when its job does.
        """
        left = self._thread
        self._start()
        return lambda: left is not None and left.is_alive()

    def end(self, patience: float) -> bool:
        """End the thread after the jobs that are there; False if that takes longer than ``patience`` (s)."""
        self._jobs.put(None)
        if self._thread is not None:
            self._thread.join(patience)
        return not self.alive

    def _start(self) -> None:
        before = self._thread
        self._thread = Thread(target=self._run, name="mod-nodes-work", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            self._thread = before
            raise

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            if self._thread is not current_thread():
                return
