"""Lets a supervisor look at its nodes on a thread of its own, beside the loop and whatever ROS does."""

from __future__ import annotations

from threading import Event, Thread
from typing import Final

from bxi_framework.diagnostics.guard import describe_error, guarded
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.supervision.supervisor import Supervisor

BETWEEN: Final = 0.02
"""Seconds between two looks."""


class Rounds:
    """The thread of a supervisor. Its methods may be called by any thread but the supervisor's own."""

    def __init__(self, supervisor: Supervisor, log: LogSink) -> None:
        self._supervisor = supervisor
        self._log = log
        self._told = ""
        self._ending = Event()
        self._idle = Event()
        self._thread = Thread(target=self._run, name="nodes", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop_nodes(self, limit: float) -> bool:
        """Stop all nodes; False if some still live after ``limit`` seconds."""
        self._supervisor.stop()
        self._idle.clear()
        return self._idle.wait(limit)

    def end(self, limit: float) -> bool:
        """End the thread; False if it has not ended after ``limit`` seconds."""
        self._ending.set()
        self._thread.join(limit)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._ending.wait(BETWEEN):
            error = guarded(self._supervisor.poll).error
            said = "" if error is None else describe_error(error)
            if said and said != self._told:
                self._log("error", "nodes", f"looking after the nodes failed: {said}; it is tried again")
            self._told = said
            if self._supervisor.idle:
                self._idle.set()
