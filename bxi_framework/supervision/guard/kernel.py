"""What Linux offers to a process and Python does not."""

from __future__ import annotations

import ctypes
import fcntl
import os
from typing import Final

_SET_SIGNAL_AT_PARENTS_DEATH: Final = 1
_SET_NAME: Final = 15
_SET_CHILD_SUBREAPER: Final = 36
_SET_PIPE_SIZE: Final = 1031

_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends. Children do not inherit this."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def signal_at_parents_death(number: int) -> None:
    """Let the kernel send this process a signal when its parent ends."""
    _prctl(_SET_SIGNAL_AT_PARENTS_DEATH, number)


def set_name(name: str) -> None:
    """Name this process in lists of processes; 15 characters at most."""
    _prctl(_SET_NAME, name.encode())


def widen_pipe(descriptor: int, size: int) -> None:
    """Let a pipe hold more bytes; it stays as it is if the user's pipes hold too many already."""
    try:
        fcntl.fcntl(descriptor, _SET_PIPE_SIZE, size)
    except OSError:
        return


def _prctl(option: int, value: int | bytes) -> None:
    if _LIBC.prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
