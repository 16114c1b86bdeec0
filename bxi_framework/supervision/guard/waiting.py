"""Waits for descriptors, a deadline and the end of children, all at once."""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import time


class Waiting:
    """What one single-threaded process waits for. After a fork the child makes its own."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._awake, self._alarm = os.pipe()
        os.set_blocking(self._awake, False)
        os.set_blocking(self._alarm, False)
        self._poll.register(self._awake, select.POLLIN)
        # A handler must be there for the byte to be written; it has nothing to do itself.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._alarm, warn_on_full_buffer=False)

    def add(self, descriptor: int) -> None:
        """Wait for something to read, or for the end of what is read."""
        self._poll.register(descriptor, select.POLLIN)

    def remove(self, descriptor: int) -> None:
        """Wait for this no longer; one that is not waited for is fine."""
        with contextlib.suppress(KeyError):
            self._poll.unregister(descriptor)

    def wait(self, deadline: float | None) -> set[int]:
        """The descriptors that are ready; empty at the deadline (monotonic seconds) and after the end of a
        child.
        """
        rest = None if deadline is None else max(0.0, deadline - time.monotonic())
        found = {
            descriptor for descriptor, _ in self._poll.poll(None if rest is None else math.ceil(rest * 1000))
        }
        if self._awake in found:
            found.discard(self._awake)
            with contextlib.suppress(BlockingIOError):
                os.read(self._awake, 4096)
        return found

    def close(self) -> None:
        """Release the descriptors that were made here."""
        signal.set_wakeup_fd(-1)
        os.close(self._awake)
        os.close(self._alarm)


def ended_children() -> tuple[dict[int, int], bool]:
    """The children that have ended since, each with its exit code, negative for a signal; and whether any
    child is left.
    """
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended, False
        if pid == 0:
            return ended, True
        ended[pid] = os.waitstatus_to_exitcode(status)
