"""What a machine may lack when a node is to start, and what a person can do about it."""

from __future__ import annotations

import errno
import os
from typing import Final

_NO_PROCESSES: Final = (
    "No more processes or threads may be started here: end what is not needed, or raise the limit "
    "(ulimit -u, TasksMax of the service)"
)
_NO_HANDLES: Final = (
    "No file handles are left: close what is not needed, or raise the limit (ulimit -n, LimitNOFILE of the "
    "service)"
)
_NO_SPACE: Final = "The disk is full: free some space, or let TMPDIR name a folder that has some"
_NO_FOLDER: Final = "Let TMPDIR name a folder that can be written"
_NO_MEMORY: Final = "No memory is left: end what is not needed"

_ADVICE: Final = {
    errno.EAGAIN: _NO_PROCESSES,
    errno.EMFILE: _NO_HANDLES,
    errno.ENFILE: _NO_HANDLES,
    errno.ENOSPC: _NO_SPACE,
    errno.EDQUOT: _NO_SPACE,
    errno.EROFS: _NO_FOLDER,
    errno.ENOMEM: _NO_MEMORY,
}
_OF_FOLDERS: Final = (errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTDIR)


def advice(error: BaseException) -> str:
    """What to do about an error that comes from something this machine lacks; empty for any other."""
    if isinstance(error, MemoryError):
        return f"{_NO_MEMORY}."
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return f"{_NO_PROCESSES}."
    if isinstance(error, OSError) and error.errno in _ADVICE:
        return f"{_ADVICE[error.errno]}."
    return ""


def lacking(what: str, error: BaseException, *, folder: bool = False) -> str:
    """One line: what could not be done, the machine's reason, and what to do.

    Args:
        what: what could not be done.
        error: why.
        folder: True if it was about the folder for temporary files.
    """
    reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    named = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
    said = f"{what}: {reason or type(error).__name__}{named}"
    todo = advice(error)
    if not todo and folder and isinstance(error, OSError) and error.errno in _OF_FOLDERS:
        todo = f"{_NO_FOLDER}."
    return f"{said}. {todo}" if todo else said
