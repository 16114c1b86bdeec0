"""Ends one node: its own signal, then SIGTERM, then SIGKILL, down to the last descendant."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Final

from .tree import Process, descendants, send
from .words import Request

TERMINATE_IN_HASTE: Final = 0.6
KILL_IN_HASTE: Final = 1.0
"""Seconds from the beginning to SIGTERM and to SIGKILL once the main process or the guard is gone."""

_SWEEP: Final = 0.02
"""Seconds between two rounds of SIGKILL; a process may have forked during the last."""

_SWEEPING: Final = 3.0
"""Seconds after which processes that SIGKILL does not end are left to the kernel."""

_KILLED: Final = "it did not end by itself and was killed"
_LEFT_KILLED: Final = "processes that it had left were killed"


class Ending:
    """The steps by which a node ends. Times are monotonic seconds; nothing here waits.

    Args:
        request: names the signal and the times.
        pid: the node's process, a child of this one.
    """

    def __init__(self, request: Request, pid: int) -> None:
        self._request = request
        self._pid = pid
        self._alive = True
        self._terminate_at: float | None = None
        self._kill_at: float | None = None
        self._killing_since: float | None = None
        self.begun = False
        """True once the node was told to end."""
        self.note = ""
        """What was done beyond asking."""
        self.given_up = False
        """True if even SIGKILL does not help."""

    @property
    def deadline(self) -> float | None:
        """When the next step is due."""
        return min((time for time in (self._terminate_at, self._kill_at) if time is not None), default=None)

    def begin(self, now: float) -> None:
        """Send the node's own signal, to its group; once is enough."""
        if self.begun:
            return
        self.begun = True
        self._terminate_at = now + self._request.terminate_after
        self._kill_at = self._terminate_at + self._request.kill_after
        if self._alive:
            self._to_group(self._request.signal)
        else:
            self._to_all(self._request.signal)

    def hurry(self, now: float) -> None:
        """Begin, and take no more time than there is in haste."""
        self.begin(now)
        if self._terminate_at is not None:
            self._terminate_at = min(self._terminate_at, now + TERMINATE_IN_HASTE)
        if self._kill_at is not None:
            self._kill_at = min(self._kill_at, now + KILL_IN_HASTE)

    def kill(self, now: float) -> None:
        """Kill a node that had its chance; begin in haste with any other."""
        if self.begun:
            self._terminate_at, self._kill_at = None, now
        else:
            self.hurry(now)

    def process_ended(self, now: float) -> None:
        """The node's process has ended and descendants are left: those that have heard nothing are told."""
        self._alive = False
        if self.begun:
            for process in descendants(os.getpid()):
                if process.group != self._pid:
                    _ask(process, self._request.signal)
        else:
            self.begin(now)

    def step(self, now: float) -> None:
        """Do what is due."""
        if self._terminate_at is not None and now >= self._terminate_at:
            self._terminate_at = None
            self._to_all(signal.SIGTERM)
        if self._kill_at is not None and now >= self._kill_at:
            if self._killing_since is None:
                self._killing_since = now
                self.note = _KILLED if self._alive else _LEFT_KILLED
            for process in self.left():
                send(process, signal.SIGKILL)
            self._kill_at = now + _SWEEP
            self.given_up = now - self._killing_since > _SWEEPING

    def left(self) -> list[Process]:
        """The processes of the node that are alive."""
        return descendants(os.getpid())

    def _to_all(self, number: int) -> None:
        if self._alive:
            self._to_group(number)
        for process in self.left():
            if not self._alive or process.group != self._pid:
                _ask(process, number)

    def _to_group(self, number: int) -> None:
        """The group's number belongs to the node as long as its process has not been waited for."""
        try:
            os.killpg(self._pid, number)
            # One that was stopped cannot act on a signal.
            os.killpg(self._pid, signal.SIGCONT)
        except ProcessLookupError:
            # The process has not come to make its group.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, number)
        except PermissionError:
            return


def _ask(process: Process, number: int) -> None:
    if send(process, number):
        send(process, signal.SIGCONT)
