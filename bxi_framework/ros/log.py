"""The log of a run: one line for each message, written by a thread of its own so that no caller waits."""

from __future__ import annotations

import logging
import os
import time
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from types import MappingProxyType
from typing import Final, TypeAlias

from bxi_framework.diagnostics.clean import clean
from bxi_framework.diagnostics.guard import describe_error
from bxi_framework.ros.log_writer import LogWriter
from bxi_framework.ros.quota import Quota

LEVELS: Final = MappingProxyType({"debug": 10, "info": 20, "warning": 30, "error": 40})
"""The levels by name, in rising order."""

MOST_WAITING: Final = 10_000
"""Messages beyond this number are dropped while the terminal or disk does not take them; told later."""

_COLOURS: Final = MappingProxyType({10: "\033[2m", 20: "\033[32m", 30: "\033[33m", 40: "\033[31m"})
_PLAIN: Final = "\033[0m"

_Record: TypeAlias = tuple[float, int, str, str]


class Log:
    """Takes messages from any thread and writes each as ``time level source: message``.

    Calling it never blocks. Messages of Python's `logging` go the same way while the log is open. What it has
    no room for, and what a source says beyond its quota, is dropped; how much that was is told later.

    Args:
        level: the least severe level that is written, a key of `LEVELS`.
        descriptor: the file descriptor to write to; levels are coloured if it is a terminal.
    """

    def __init__(self, level: str = "info", descriptor: int = 2) -> None:
        self._least = LEVELS[level]
        self._writer = LogWriter(descriptor)
        self._colour = os.isatty(descriptor) and "NO_COLOR" not in os.environ
        self._waiting: SimpleQueue[_Record | None] = SimpleQueue()
        self._lock = Lock()
        self._dropped = 0
        self._quota = Quota()
        self._thread = Thread(target=self._write_all, name="bxi-log", daemon=True)
        self._thread.start()
        self._bridge = _Bridge(self)
        root = logging.getLogger()
        self._root_level = root.level
        root.addHandler(self._bridge)
        root.setLevel(self._least)
        # The state machine library tells every callback at level info.
        logging.getLogger("transitions").setLevel(logging.WARNING)

    def __call__(self, level: str, source: str, message: str) -> None:
        """Take in one message; an unknown level counts as ``info``."""
        number = LEVELS.get(level, LEVELS["info"])
        if number < self._least:
            return
        if self._waiting.qsize() >= MOST_WAITING:
            self._drop(1)
        elif self._quota.admits(source, number, time.monotonic()):
            self._waiting.put((time.time(), number, source, message))

    def close(self, timeout: float = 0.5) -> None:
        """Write what is waiting, for at most ``timeout`` seconds, and take no more from `logging`."""
        root = logging.getLogger()
        root.removeHandler(self._bridge)
        root.setLevel(self._root_level)
        self._waiting.put(None)
        self._thread.join(timeout)

    def _drop(self, count: int) -> None:
        with self._lock:
            self._dropped += count

    def _write_all(self) -> None:
        ended = False
        while not ended:
            try:
                record = self._waiting.get(timeout=self._quota.next_report(time.monotonic()))
            except Empty:
                record = None
            else:
                ended = record is None
            if record is not None:
                self._write(record)
            self._tell_losses(ended)

    def _tell_losses(self, ended: bool) -> None:
        with self._lock:
            dropped, self._dropped = self._dropped, 0
        warning = LEVELS["warning"]
        if dropped:
            said = f"messages that were dropped, since the terminal, pipe or disk took none: {dropped}"
            if not self._write((time.time(), warning, "log", said)):
                self._drop(dropped)
        for source, said in self._quota.reports(time.monotonic(), everything=ended):
            self._write((time.time(), warning, source, said))

    def _write(self, record: _Record) -> bool:
        data = (self._line(*record) + "\n").encode(errors="backslashreplace")
        written = self._writer.write(data)
        if not written:
            # A full disk or a closed terminal: the robot goes on without this line.
            self._drop(1)
        return written

    def _line(self, stamp: float, number: int, source: str, message: str) -> str:
        moment = time.strftime("%H:%M:%S", time.localtime(stamp))
        level = next(name for name, value in LEVELS.items() if value == number).upper()
        if self._colour:
            level = f"{_COLOURS[number]}{level:7}{_PLAIN}"
        text = clean(" ".join(part.strip() for part in message.splitlines()))
        return f"{moment}.{int(stamp % 1 * 1000):03d} {level:7} {source}: {text}"


class _Bridge(logging.Handler):
    """Hands messages of Python's `logging` to the log."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Pass on one message, an exception as one line."""
        try:
            text = record.getMessage()
        except Exception as error:
            text = f"{record.msg} ({describe_error(error)})"
        if record.exc_info and record.exc_info[1] is not None:
            text = f"{text}: {describe_error(record.exc_info[1])}"
        names = [name for name, value in LEVELS.items() if value <= record.levelno]
        self._log(names[-1] if names else "debug", record.name, text)
