"""The thread that brings the record to the disk: soon after a stop or a fault, and at once on request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import BinaryIO, Final

from bxi_framework.control.record.flight import Flight, Reason
from bxi_framework.control.record.folder import RecordFolder
from bxi_framework.control.record.live import FlightRecord
from bxi_framework.diagnostics.guard import describe_error
from bxi_framework.machine.requests import Reply, Verdict
from bxi_framework.manifest.system import RecordDecl
from bxi_framework.mod_api.logger import LogSink

REST: Final = 0.001
"""Seconds that the writer sleeps after each tenth of a millisecond of work while the loop runs."""

MOST_WAITING: Final = 100
"""Reasons beyond this number are dropped: the record that the first one brings shows the others too."""


@dataclass(frozen=True, slots=True)
class _Ask:
    reason: Reason
    reply: Reply | None


class Recorder:
    """Writes records on a thread of its own, so that neither the tick nor a caller waits for the disk.

    After a stop or a fault it waits a little, so that what came of it is in the record too. Further reasons
    in the meantime are covered by the same record, and two such records are half a window apart at least: a
    state that fails again and again fills no disk, and still nothing is lost.

    Args:
        record: what is written.
        settings: how long it waits, where the files go and how many stay.
        unix_ns: nanoseconds since 1970, for names and times in the files.
        log: told of each record, and once of a disk that takes none.
    """

    def __init__(
        self, record: FlightRecord, settings: RecordDecl, unix_ns: Callable[[], int], log: LogSink
    ) -> None:
        self._record = record
        self._now_ns = record.notebook.now_ns
        self._unix_ns = unix_ns
        self._log = log
        self._after_ns = round(settings.after * 1e9)
        self._spacing_ns = round(settings.seconds / 2 * 1e9)
        self._folder = RecordFolder(settings.folder, settings.keep, round(settings.megabytes * 1e6))
        self._asked: SimpleQueue[_Ask | None] = SimpleQueue()
        self._hurry = Event()
        self._warned = False
        self._write_flight = _writer()
        self._thread = Thread(target=self._run, name="flight record", daemon=True)

    def start(self) -> None:
        """Have all memory at hand, and begin to listen for reasons."""
        self._record.reserve()
        self._record.wanted = self.want
        self._thread.start()
        if self._write_flight is None:
            self._warn(_MISSING)

    def want(self, reason: Reason) -> None:
        """There is a reason to write; never blocks."""
        if self._asked.qsize() < MOST_WAITING:
            self._asked.put(_Ask(reason, None))

    def save(self, text: str, reply: Reply) -> None:
        """Write at once; ``reply`` is called on the writer's thread, with the path as the reason if all went
        well, or at once if too many wait.
        """
        # Reasons stop earlier, so a request has room whatever happens to the robot.
        if self._asked.qsize() >= 2 * MOST_WAITING:
            reply(Verdict(False, f"{2 * MOST_WAITING} flight records wait to be written already"))
            return
        self._asked.put(_Ask(Reason(self._now_ns(), "request", text), reply))

    def close(self, timeout: float) -> bool:
        """Write what is still to be written, without rests; False if that takes longer than ``timeout``
        seconds.
        """
        self._record.wanted = None
        self._hurry.set()
        self._asked.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        pending: Reason | None = None
        due = free = self._now_ns()
        while True:
            if pending is not None and self._now_ns() >= due:
                self._write(pending)
                pending, free = None, self._now_ns() + self._spacing_ns
            ask = self._next(None if pending is None else due - self._now_ns())
            if ask is None:
                if self._hurry.is_set():
                    break
            elif ask.reply is not None:
                ask.reply(self._write(ask.reason))
            elif pending is None:
                pending, due = ask.reason, max(ask.reason.time + self._after_ns, free)
        if pending is not None:
            self._write(pending)

    def _next(self, wait_ns: int | None) -> _Ask | None:
        """What is asked next; None at the end, or if nobody asks within ``wait_ns``."""
        try:
            return self._asked.get(timeout=None if wait_ns is None else max(0.0, wait_ns / 1e9))
        except Empty:
            return None

    def _write(self, reason: Reason) -> Verdict:
        write = self._write_flight
        if write is None:
            return self._failed(_MISSING)
        try:
            flight = self._record.flight(reason, self._unix_ns() - self._now_ns(), self._rest)
            path = self._folder.write(flight, lambda stream: write(stream, flight, self._rest))
            size = path.stat().st_size
        except Exception as error:
            return self._failed(f"the flight record was not written: {_described(error)}")
        self._warned = False
        self._log("info", "record", f"{path} written ({size / 1e6:.1f} MB) after {reason}")
        try:
            self._folder.prune(path)
        except OSError as error:
            self._warn(f"old flight records were not removed: {_described(error)}")
        return Verdict(True, str(path))

    def _failed(self, message: str) -> Verdict:
        self._warn(message)
        return Verdict(False, message)

    def _warn(self, message: str) -> None:
        """Say it once, until it has worked again."""
        if not self._warned:
            self._warned = True
            self._log("warning", "record", message)

    def _rest(self) -> None:
        self._hurry.wait(REST)


_MISSING: Final = "flight records cannot be written: the Python package 'mcap' is missing (pip install mcap)"


def _writer() -> Callable[[BinaryIO, Flight, Callable[[], object]], None] | None:
    """Imported before the loop runs, which an import would disturb. A robot without the package can run."""
    try:
        from bxi_framework.control.record.write import write_flight
    except ImportError:
        return None
    return write_flight


def _described(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror} ({error.filename})" if error.filename else error.strerror
    return describe_error(error)
