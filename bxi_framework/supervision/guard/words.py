"""The messages between the guard and the main process; each is one packet, or the content of one file.

A request goes from the main process to the guard, together with a socket for the node: the main process
sends its wishes through it and gets the reports of the node's keeper.
"""

from __future__ import annotations

import errno
import json
import os
import socket
from array import array
from typing import Any, Final, NamedTuple, TypeAlias

from .lines import Line

STOP: Final = b"stop"
"""The wish that a node end in its own time."""

KILL: Final = b"kill"
"""The wish that a node end at once: one that was not asked before still gets its signal and a moment."""

MOST_BYTES: Final = 131_072
"""No packet is longer."""

CONTEXT_FD: Final = 3
"""Where a process that is handed a context finds it."""

READY_FD: Final = 4
"""Where such a process writes one byte once it has started."""


class Request(NamedTuple):
    """A process to start: ``argv[0]`` is a path, ``cpus`` empty for all, ``signal`` the one that asks it to
    end.

    ``params_file`` is written with ``params`` before the start and removed after the end; empty for none.
    ``context`` is what the process finds at `CONTEXT_FD`; None for a process that expects nothing and counts
    as running at once.
    """

    name: str
    argv: list[str]
    environment: dict[str, str]
    folder: str
    cpus: list[int]
    signal: int
    terminate_after: float
    kill_after: float
    params_file: str = ""
    params: str = ""
    context: str | None = None


class Started(NamedTuple):
    """There is a process; ``start`` is the time of its start, see `tree.Process`."""

    pid: int
    start: int


class Running(NamedTuple):
    """The process has started as far as can be told from outside, or has said so itself."""


class Stopping(NamedTuple):
    """The node is being ended, though nobody asked: its process has ended and descendants are left."""


class Output(NamedTuple):
    """What the process printed."""

    lines: list[Line]


class Ended(NamedTuple):
    """The process and all its descendants are gone. ``code`` is the exit status, negative for a signal, None
    if the process could not be started. ``reason`` says why in one line, ``last`` are the last lines
    printed, and ``notes`` what else is worth a warning.
    """

    code: int | None
    reason: str
    last: list[str]
    notes: list[str]


Report: TypeAlias = "Started | Running | Stopping | Output | Ended"

_REPORTS: Final = (Started, Running, Stopping, Output, Ended)


def send_request(control: socket.socket, channel: int, content: int) -> None:
    """Send a request to the guard.

    Args:
        control: the guard's socket.
        channel: the descriptor of the node's socket.
        content: the descriptor of a file with `request_bytes`.

    Raises:
        OSError: the guard does not take it.
    """
    descriptors = array("i", [channel, content])
    control.sendmsg([b"start"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])


def receive_request(control: socket.socket) -> tuple[int, int] | None:
    """The descriptors of the channel and of the content of a request; None at the end.

    Raises:
        BlockingIOError: there is no request.
        OSError: a request came without its descriptors, because this process can have no more.
    """
    descriptors = array("i")
    space = socket.CMSG_LEN(2 * descriptors.itemsize)
    # A descriptor that programs inherited would keep the channel open.
    data, ancillary, _, _ = control.recvmsg(64, space, socket.MSG_CMSG_CLOEXEC)
    for level, kind, found in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(found)
    if not data:
        return None
    if len(descriptors) != 2:
        for descriptor in descriptors:
            os.close(descriptor)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    return descriptors[0], descriptors[1]


def request_bytes(request: Request) -> bytes:
    """A request as the content of a file."""
    return json.dumps(request._asdict()).encode()


def read_request(data: bytes) -> Request:
    """The request that `request_bytes` wrote."""
    return Request(**json.loads(data))


def report_packet(report: Report) -> bytes:
    """A report as one packet."""
    return json.dumps([type(report).__name__, *report], ensure_ascii=False).encode(errors="backslashreplace")


def read_report(packet: bytes) -> Report:
    """The report that `report_packet` wrote."""
    kind: str
    values: list[Any]
    kind, *values = json.loads(packet)
    cls = next(cls for cls in _REPORTS if cls.__name__ == kind)
    report: Report = cls(*values)
    if isinstance(report, Output):
        return Output([Line(*line) for line in report.lines])
    return report
