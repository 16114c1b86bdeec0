"""The connection to the kit's command server: its thread, its ways to begin and to end, what it knows of
itself.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass, replace
from typing import Final

from ..readings import Part
from ..transport import CommandBox, Log
from .aim import CameraAim
from .proof import end_with_stop, ended, open_connection, unacknowledged, wait_for_end
from .talk import Talk
from .words import PULSE, STOP

GAP: Final = 0.03
"""Seconds between two words, so that the server reads each alone."""

STALL: Final = 0.25
"""Seconds without a confirmation of what was sent, from which on the link counts as stalled."""

CONNECT_TIMEOUT: Final = 2.0
PROOF: Final = 0.5
"""Seconds that the server may take to end a connection that we have ended."""

FIRST_WAIT, LONGEST_WAIT = 0.2, 3.0
"""Seconds before the first and before any later attempt to connect again."""

_LOOK: Final = 0.01


@dataclass(frozen=True)
class LinkState:
    """``phase`` is ``closed``, ``connecting``, ``connected`` (somebody accepts, nothing proves that words are
    read) or ``controllable`` (the server has just read a stop of ours); the rest is for people.
    """

    phase: str = "closed"
    reason: str = "not opened yet"
    word: str = ""
    words: int = 0
    connections: int = 0
    stalled: bool = False
    held_back: int = 0


class ControlLink:
    """Talks to the server on a thread of its own.

    Args:
        address: of the server.
        box: the newest command.
        aim: where the camera must be.
        log: takes messages.
        pulse: seconds of the shortest motion.
    """

    def __init__(
        self, address: tuple[str, int], box: CommandBox, aim: CameraAim, log: Log, pulse: float = PULSE
    ) -> None:
        self._address = address
        self._box = box
        self._talk = Talk(aim, pulse)
        self._log = log
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="control link", daemon=True)
        self._progress = (0, 0.0)
        self._stop_proved = False
        self.failure: Exception | None = None
        """What has ended the thread, other than a broken link."""
        self.state = LinkState()

    def start(self) -> None:
        """Begin to connect."""
        self._thread.start()

    def close(self) -> bool:
        """Stop the car and end; True if the stop was proved to arrive."""
        self._ending.set()
        self._thread.join()
        return self._stop_proved

    def part(self) -> Part:
        """How the link does."""
        state = self.state
        level = {"controllable": "ok", "connected": "warn"}.get(state.phase, "error")
        if state.phase == "controllable" and state.stalled:
            level = "warn"
        values = {
            "phase": state.phase,
            "last word": state.word,
            "words sent": str(state.words),
            "connections": str(state.connections),
            "stalled": str(state.stalled).lower(),
            "motions held back": str(state.held_back),
        }
        message = f"{state.phase}: {state.reason}"
        if state.phase != "controllable" and state.word not in ("", STOP):
            message += f"; {state.word} held when the link broke, and only the car itself could stop now"
        return Part("control", level, message, values)

    def _run(self) -> None:
        try:
            self._keep_connected()
        except Exception as error:
            self.failure = error
            self._set(phase="closed", reason=f"failed: {error!r}")

    def _keep_connected(self) -> None:
        wait = FIRST_WAIT
        while not self._ending.is_set():
            before = self.state.connections
            try:
                self._set(phase="connecting", reason=f"calling {self._name}")
                self._connect_and_talk()
            except OSError as error:
                self._tell_loss(error)
            if self._ending.is_set():
                break
            wait = FIRST_WAIT if self.state.connections > before else min(2.0 * wait, LONGEST_WAIT)
            self._ending.wait(wait)
        self._set(phase="closed", reason="ended", stalled=False)

    def _connect_and_talk(self) -> None:
        with open_connection(self._address, CONNECT_TIMEOUT) as first:
            self._set(phase="connected", reason="asking the server to read a stop")
            self._stop_proved = proved = end_with_stop(first, PROOF)
            with open_connection(self._address, CONNECT_TIMEOUT) as connection:
                if not proved and not self._wait_for_turn(first, connection):
                    return
                first.close()
                self._set(
                    phase="controllable",
                    reason="the server reads our words",
                    connections=self.state.connections + 1,
                    word="",
                )
                self._log("info", f"the car at {self._name} is stopped and can be driven")
                self._serve(connection)

    def _wait_for_turn(self, first: socket.socket, second: socket.socket) -> bool:
        """Wait silently until the server has read our stop; words that pile up would be read as one."""
        reason = "the server does not read; another operator may hold it, or its program hangs"
        self._set(reason=reason)
        self._log("warning", f"connected to {self._name}, but it cannot be driven: {reason}")
        while not self._ending.is_set():
            if wait_for_end(first, 0.1):
                self._stop_proved = True
                return True
            if ended(second):
                raise ConnectionError("the server has ended the connection")
        return False

    def _serve(self, connection: socket.socket) -> None:
        self._talk.connected()
        self._progress = (0, time.monotonic())
        next_at = 0.0
        while not self._ending.is_set():
            now = time.monotonic()
            if ended(connection):
                raise ConnectionError("the server has ended the connection")
            self._look_for_stall(connection, now)
            if now >= next_at:
                word = self._talk.word(now, self._box.take(), self.state.stalled)
                if word is not None:
                    self._send(connection, word)
                    self._talk.sent(now, word)
                    next_at = now + GAP
            self._box.wait(min(_LOOK, max(0.001, next_at - now)))
        self._end(connection, next_at)

    def _send(self, connection: socket.socket, word: str) -> None:
        self._stop_proved = False
        try:
            sent = connection.send(word.encode())
        except BlockingIOError:
            raise ConnectionError("the link takes no more words") from None
        if sent != len(word):
            raise ConnectionError("the link took half a word")
        shown = word if word.startswith("Dir") else self.state.word
        self._set(word=shown, words=self.state.words + 1)

    def _look_for_stall(self, connection: socket.socket, now: float) -> None:
        """What the other machine confirms, and since when it has confirmed nothing."""
        waiting = unacknowledged(connection)
        before, since = self._progress
        if waiting == 0 or waiting < before:
            since = now
        self._progress = (waiting, since)
        stalled = now - since > STALL
        if stalled != self.state.stalled:
            held = self.state.held_back + int(stalled and self.state.word != STOP)
            self._set(stalled=stalled, held_back=held)

    def _end(self, connection: socket.socket, next_at: float) -> None:
        """The last stop, proved if that is possible."""
        time.sleep(max(0.0, next_at - time.monotonic()))
        clear = unacknowledged(connection) == 0 or not self.state.stalled
        with contextlib.suppress(OSError):
            self._stop_proved = end_with_stop(connection, PROOF) and clear
        if not self._stop_proved:
            # Behind a stall several words may be read as one, so another connection asks again.
            with open_connection(self._address, PROOF) as last:
                self._stop_proved = end_with_stop(last, PROOF)

    def _tell_loss(self, error: OSError) -> None:
        reason = _plain(error)
        moving = self.state.word not in ("", STOP)
        if moving:
            self._log(
                "error",
                f"the link broke while {self.state.word} held: {reason}. Only the car itself could stop now;"
                " it is stopped as soon as it can be reached",
            )
        elif self.state.reason != reason:
            self._log("warning", f"no link to {self._name}: {reason}")
        self._set(phase="closed", reason=reason, stalled=False)

    @property
    def _name(self) -> str:
        return f"{self._address[0]}:{self._address[1]}"

    def _set(self, **changes: object) -> None:
        self.state = replace(self.state, **changes)  # type: ignore[arg-type]


def _plain(error: OSError) -> str:
    """What a person can do something with."""
    if isinstance(error, ConnectionRefusedError):
        return "nobody listens there; if the car's program has ended, restart its service"
    if isinstance(error, (TimeoutError, socket.timeout)):
        return "no answer; is the car switched on and in this network?"
    if isinstance(error, socket.gaierror):
        return "no machine of this name is known here"
    return error.strerror or str(error)
