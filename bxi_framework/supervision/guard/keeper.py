"""Keeps one node: starts its process, hands on what it prints, and ends it with all its descendants.

The keeper adopts every orphan below the node, so a descendant that has left its session and its parent is
found as well. It ends once no descendant is left.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from typing import Final

from . import kernel
from .ending import Ending
from .lines import Line, Lines
from .spawn import PIPE_SIZE, Child, SpawnError, remove_file, spawn
from .tree import look_up
from .waiting import Waiting, ended_children
from .words import KILL, STOP, Ended, Output, Report, Request, Running, Started, Stopping, report_packet

_PAUSE: Final = 0.004
"""Seconds for which a node that floods is not read, so that its output costs little time."""

_LAST_READS: Final = 16
"""How often the pipe is read at the end, though a process that does not die may keep filling it."""

_PACKET_CHARACTERS: Final = 16_000
_PATIENCE: Final = 1.0
"""Seconds between two looks whether the main process lives, while it does not take the last report."""


def keep(request: Request, channel: socket.socket, watched: dict[int, str]) -> None:
    """Start the node, and return when nothing of it is left.

    Args:
        request: what to start.
        channel: to the main process; its end is a wish to stop.
        watched: handles of processes, by what they are; when one of them ends, the node is ended in haste.
    """
    kernel.adopt_orphans()
    kernel.set_name("bxi-keeper")
    # Before there is a child whose end could be missed.
    waiting = Waiting()
    try:
        try:
            child = spawn(request)
        except SpawnError as error:
            last = Ended(None, str(error), [], [])
        else:
            last = Keeper(request, child, channel, watched, waiting).run()
    finally:
        remove_file(request.params_file)
    _deliver(channel, last, list(watched))


class Keeper:
    """One node whose process was made; see `keep`."""

    def __init__(
        self,
        request: Request,
        child: Child,
        channel: socket.socket,
        watched: dict[int, str],
        waiting: Waiting,
    ) -> None:
        self._child = child
        self._channel = channel
        self._watched = watched
        self._ending = Ending(request, child.pid)
        self._lines = Lines()
        self._code: int | None = None
        self._failure = ""
        self._reason = ""
        self._asked = False
        self._running = False
        self._read_at: float | None = None
        self._waiting = waiting
        for descriptor in (channel.fileno(), child.output, child.failure, child.ready, *watched):
            if descriptor is not None:
                waiting.add(descriptor)

    def run(self) -> Ended:
        """Look after the node until nothing of it is left; the last report."""
        process = look_up(self._child.pid)
        self._tell(Started(self._child.pid, 0 if process is None else process.start))
        left = True
        while left and not self._ending.given_up:
            self._turn(self._waiting.wait(self._deadline()))
            left = self._reap()
        self._read_rest()
        code = None if self._failure else self._code
        return Ended(code, self._why(), list(self._lines.last), self._notes())

    def _deadline(self) -> float | None:
        times = (self._ending.deadline, self._read_at, self._lines.due)
        return min((moment for moment in times if moment is not None), default=None)

    def _turn(self, ready: set[int]) -> None:
        child, now = self._child, time.monotonic()
        if child.failure in ready:
            self._begun()
        if child.ready is not None and child.ready in ready:
            self._waiting.remove(child.ready)
            if os.read(child.ready, 1):
                self._tell_running()
        if child.output in ready or (self._read_at is not None and now >= self._read_at):
            self._read(now)
        self._hand_on(self._lines.tell(now))
        if self._channel.fileno() in ready:
            self._hear(now)
        for descriptor in ready & self._watched.keys():
            self._waiting.remove(descriptor)
            self._reason = self._reason or f"{self._watched[descriptor]} has ended"
            self._ending.hurry(now)
        self._ending.step(now)

    def _begun(self) -> None:
        """The program has begun, or could not."""
        self._waiting.remove(self._child.failure)
        self._failure = os.read(self._child.failure, 4096).decode(errors="backslashreplace")
        if not self._failure and self._child.ready is None:
            self._tell_running()

    def _tell_running(self) -> None:
        if not self._running:
            self._running = True
            self._tell(Running())

    def _hear(self, now: float) -> None:
        """A wish of the main process."""
        try:
            wish = self._channel.recv(64)
        except BlockingIOError:
            return
        except OSError:
            wish = b""
        self._asked = True
        if wish == KILL:
            self._ending.kill(now)
        else:
            self._ending.begin(now)
        if wish not in (KILL, STOP):
            # The main process has let go of the node, or is gone.
            self._waiting.remove(self._channel.fileno())

    def _read(self, now: float) -> bool:
        """Take one piece of what the node has printed; False at the end and if there is nothing."""
        output = self._child.output
        self._read_at = None
        try:
            data = os.read(output, PIPE_SIZE)
        except BlockingIOError:
            self._waiting.add(output)
            return False
        if not data:
            self._waiting.remove(output)
            return False
        self._hand_on(self._lines.feed(data, now))
        if self._lines.flooding:
            self._waiting.remove(output)
            self._read_at = now + _PAUSE
        else:
            self._waiting.add(output)
        return True

    def _read_rest(self) -> None:
        """What is left in the pipe."""
        for _ in range(_LAST_READS):
            if not self._read(time.monotonic()):
                break
        self._hand_on(self._lines.close())

    def _hand_on(self, lines: list[Line]) -> None:
        packet: list[Line] = []
        for line in lines:
            packet.append(line)
            if sum(len(line.text) for line in packet) > _PACKET_CHARACTERS:
                self._tell(Output(packet))
                packet = []
        if packet:
            self._tell(Output(packet))

    def _tell(self, report: Report) -> None:
        """Send a report; lines that the main process does not take are counted as left out."""
        try:
            self._channel.send(report_packet(report), socket.MSG_DONTWAIT)
        except OSError:
            if isinstance(report, Output):
                self._lines.lose(report.lines)

    def _reap(self) -> bool:
        """Notice children that have ended; False once none is left."""
        ended, left = ended_children()
        if self._child.pid in ended:
            self._code = ended[self._child.pid]
            if left:
                self._tell(Stopping())
                self._ending.process_ended(time.monotonic())
        return left

    def _why(self) -> str:
        if self._failure:
            return self._failure
        if self._asked:
            return ""
        if self._reason:
            return self._reason
        return "" if self._code is None else _died(self._code)

    def _notes(self) -> list[str]:
        if self._ending.given_up:
            left = ", ".join(str(process.pid) for process in self._ending.left())
            return [f"these processes cannot be killed: {left}"]
        return [self._ending.note] if self._ending.note else []


def _died(code: int) -> str:
    if code >= 0:
        return f"it exited with status {code}"
    try:
        return f"it was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was killed by signal {-code}"


def _deliver(channel: socket.socket, report: Report, watched: list[int]) -> None:
    """Send the last report; while the main process does not take it, wait as long as it lives."""
    packet = report_packet(report)
    poll = select.poll()
    for descriptor in watched:
        poll.register(descriptor, select.POLLIN)
    poll.register(channel, select.POLLOUT)
    while True:
        try:
            channel.send(packet, socket.MSG_DONTWAIT)
            return
        except BlockingIOError:
            if any(descriptor in watched for descriptor, _ in poll.poll(_PATIENCE * 1000)):
                return
        except OSError:
            return
