"""Processes as /proc shows them, and signals that never reach a stranger.

A number of a process is used again once its process is gone; together with the time of its start it is not.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Process(NamedTuple):
    """One process: ``start`` is the time of its start in ticks since the machine's, ``group`` and
    ``session`` the numbers of the first process of each.
    """

    pid: int
    parent: int
    group: int
    session: int
    start: int
    dead: bool


def look_up(pid: int) -> Process | None:
    """A process by its number; None if there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except OSError:
        return None
    # The name stands in parentheses and may hold any character, parentheses too.
    fields = text[text.rindex(b")") + 2 :].split()
    parent, group, session, start = (int(fields[place]) for place in (1, 2, 3, 19))
    return Process(pid, parent, group, session, start, fields[0] in (b"Z", b"X"))


def all_processes() -> dict[int, Process]:
    """All processes by number."""
    found = (look_up(int(entry)) for entry in os.listdir("/proc") if entry.isdecimal())
    return {process.pid: process for process in found if process is not None}


def descendants(
    pid: int, spared: Iterable[int] = (), known: Mapping[int, Process] | None = None
) -> list[Process]:
    """The living processes below a process, those that have ended left out.

    Args:
        pid: the process, not part of the result.
        spared: processes that are left out with all below them.
        known: the processes to look through; all of this machine by default.
    """
    children: dict[int, list[Process]] = {}
    for process in (all_processes() if known is None else known).values():
        children.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    seen = {pid, *spared}
    level = [pid]
    while level:
        below = [child for parent in level for child in children.get(parent, ()) if child.pid not in seen]
        seen.update(child.pid for child in below)
        found += below
        level = [child.pid for child in below]
    return [process for process in found if not process.dead]


def carriers(variable: str) -> list[Process]:
    """The living processes that began with ``variable``, given as ``NAME=value``, in their environment."""
    wanted = variable.encode()
    return [
        process
        for process in all_processes().values()
        if not process.dead and wanted in _environment(process.pid).split(b"\0")
    ]


def send(process: Process, number: int) -> bool:
    """Send a signal to this very process; False if it is gone or not ours."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:
        return False
    try:
        now = look_up(process.pid)
        if now is None or now.start != process.start:
            return False
        signal.pidfd_send_signal(handle, number)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _environment(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""
