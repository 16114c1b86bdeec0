"""Writes to a terminal, pipe or file that may stop to take anything."""

from __future__ import annotations

import fcntl
import os
import select
import stat
import struct
import termios
import time
from typing import Final

_LOOK: Final = 0.05
"""Seconds between two looks for room in a pipe."""

_ROOM: Final = 4096
"""Bytes that a pipe takes at once when it takes anything."""


class LogWriter:
    """Waits for room as long as it takes; belongs to one thread that may wait.

    It fills a pipe to half at most. The other half is for those who cannot wait: last words, and C code that
    writes while it holds the interpreter.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._most = _half_of_pipe(descriptor)

    def write(self, data: bytes) -> bool:
        """Write all of it; False if that is not possible, as with a full disk."""
        try:
            while data:
                self._wait_for_room()
                data = data[os.write(self._descriptor, data[:_ROOM]) :]
        except BlockingIOError:
            return self.write(data)
        except OSError:
            return False
        return True

    def _wait_for_room(self) -> None:
        if self._most is None:
            # Others may have made it one that does not block.
            select.select((), (self._descriptor,), ())
            return
        while _unread(self._descriptor) > self._most and not _broken(self._descriptor):
            time.sleep(_LOOK)


def _half_of_pipe(descriptor: int) -> int | None:
    """Half of what a pipe holds, in bytes; None if it is no pipe."""
    try:
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            return None
        size: int = fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)
    except OSError:
        return None
    return size // 2 - _ROOM


def _unread(descriptor: int) -> int:
    count: int = struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, b"\0" * 4))[0]
    return count


def _broken(descriptor: int) -> bool:
    """True once nobody can read any more."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))
