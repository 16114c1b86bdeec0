"""What code in this process prints, by Python or by ROS's own logger, as lines of the log.

A terminal, a pipe or a disk that takes nothing more must hold up nobody. ROS's logger would: it writes while
it holds the interpreter, so that one line of one node could stop the control loop. It writes into a pipe of
ours instead, which drops what it has no room for. The standard error stream of C code stays as it is, for the
last words of a process that crashes.
"""

from __future__ import annotations

import fcntl
import io
import os
import re
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from types import MappingProxyType, TracebackType
from typing import Final, cast

from bxi_framework.mod_api.logger import LogSink
from bxi_framework.ros.refusals import working
from bxi_framework.supervision.guard.lines import Lines

_PIPE_SIZE: Final = 1_048_576
_PIECE: Final = 65_536
_STDOUT: Final = 1
_ENDING: Final = 0.2
"""Seconds that the rest of what was printed may take."""

_CONSOLE: Final = MappingProxyType(
    {
        "RCUTILS_LOGGING_USE_STDOUT": "1",
        "RCUTILS_LOGGING_BUFFERED_STREAM": "1",
        "RCUTILS_CONSOLE_OUTPUT_FORMAT": "{severity} {name}: {message}",
    }
)
_RECORD: Final = re.compile(r"(DEBUG|INFO|WARN|ERROR|FATAL) ([^\s:]*): (.*)", re.DOTALL)
_LEVELS: Final = MappingProxyType(
    {"DEBUG": "debug", "INFO": "info", "WARN": "warning", "ERROR": "error", "FATAL": "error"}
)


@contextmanager
def ros_console() -> Iterator[None]:
    """Meanwhile ROS's logger sets itself up to write where `Output` hears it, and what it writes goes to the
    standard error stream. It reads the environment once; what a person has set there counts.
    """
    added = {name: value for name, value in _CONSOLE.items() if name not in os.environ}
    os.environ.update(added)
    before = None
    with suppress(OSError):
        before = fcntl.fcntl(_STDOUT, fcntl.F_DUPFD_CLOEXEC, 3)
        os.dup2(2, _STDOUT)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]
        if before is not None:
            os.dup2(before, _STDOUT)
            os.close(before)


class Output:
    """While this is entered, what is printed goes to the log: under the full name of the node whose code
    prints, else under that of the stream. Belongs to the main thread.
    """

    def __init__(self, log: LogSink) -> None:
        self._log = log
        self._lines = Lines()
        self._source = "/dev/stdout"
        self._streams = (sys.stdout, sys.stderr)
        self._before: int | None = None
        self._thread: Thread | None = None

    def __enter__(self) -> Output:
        sys.stdout, sys.stderr = (_stream(self._log, name) for name in ("stdout", "stderr"))
        try:
            self._before = fcntl.fcntl(_STDOUT, fcntl.F_DUPFD_CLOEXEC, 3)
        except OSError:
            # There is no standard output.
            return self
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
        os.set_blocking(writing, False)
        os.dup2(writing, _STDOUT)
        os.close(writing)
        self._thread = Thread(target=self._read_all, args=(reading,), name="bxi-output", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.stdout, sys.stderr = self._streams
        if self._before is not None:
            os.dup2(self._before, _STDOUT)
            os.close(self._before)
        if self._thread is not None:
            self._thread.join(_ENDING)

    def _read_all(self, reading: int) -> None:
        poll = select.poll()
        poll.register(reading, select.POLLIN)
        while True:
            due = self._lines.due
            wait = None if due is None else max(0.0, due - time.monotonic()) * 1000.0 + 1.0
            data = os.read(reading, _PIECE) if poll.poll(wait) else None
            now = time.monotonic()
            if data is None:
                shown = self._lines.tell(now)
            else:
                shown = self._lines.feed(data, now) if data else self._lines.close()
            for line in shown:
                self._tell(line.level, line.text)
            if data == b"":
                os.close(reading)
                return

    def _tell(self, level: str, text: str) -> None:
        record = _RECORD.fullmatch(text)
        if record is not None:
            severity, name, text = record.groups()
            level, self._source = _LEVELS[severity], f"/{name.replace('.', '/')}"
        # Without a head it is a further line of the same message, or was printed by C code.
        self._log(level, self._source, text)


class _Lines(io.RawIOBase):
    """A stream whose lines go to the log; it never blocks and never fails."""

    def __init__(self, log: LogSink, name: str) -> None:
        super().__init__()
        self._log = log
        self._name = f"/dev/{name}"
        self._number = {"stdout": 1, "stderr": 2}[name]
        self._rest = ""

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The descriptor that a program takes which is told to print there."""
        return self._number

    def write(self, data: bytes | bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Take in what is printed."""
        text = self._rest + bytes(data).decode(errors="backslashreplace")
        *lines, self._rest = text.split("\n")
        if len(self._rest) > _PIECE:
            lines, self._rest = [*lines, self._rest], ""
        inside = working()
        source = self._name if inside is None or not inside.name else inside.name
        for line in lines:
            self._log("info", source, line)
        return len(data)


def _stream(log: LogSink, name: str) -> io.TextIOWrapper:
    raw = io.BufferedWriter(cast("io.FileIO", _Lines(log, name)))
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", line_buffering=True)
