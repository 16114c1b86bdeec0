"""Finds living processes by a mark of the test's own, without the tables of what is tested."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

PATIENCE = 20.0
"""Seconds that a busy machine may take for anything; nothing here waits that long on a free one."""

MARK = "BXI_TEST_MARK"


def marked(mark: str) -> list[int]:
    """The living processes with the mark in their environment or command line."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdecimal() or int(entry) == os.getpid():
            continue
        texts = _read(f"/proc/{entry}/environ") + b"\0" + _read(f"/proc/{entry}/cmdline")
        if mark.encode() in texts and alive(int(entry)):
            found.append(int(entry))
    return found


def alive(pid: int) -> bool:
    """True for a process that has not ended, whether or not anybody has waited for it."""
    state = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return bool(state) and state[0] not in (b"Z", b"X")


def children() -> list[int]:
    """The children of this process, those included that have ended and not been waited for."""
    found = []
    for entry in os.listdir("/proc"):
        fields = _read(f"/proc/{entry}/stat").rpartition(b")")[2].split() if entry.isdecimal() else []
        if fields and int(fields[1]) == os.getpid():
            found.append(int(entry))
    return found


def until(condition: Callable[[], object], what: str | Callable[[], str], patience: float = PATIENCE) -> None:
    """Wait for a condition; ``what`` says which in case it does not come."""
    end = time.monotonic() + patience
    while not condition():
        said = what if isinstance(what, str) else what()
        assert time.monotonic() < end, f"did not come: {said}"
        time.sleep(0.005)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
