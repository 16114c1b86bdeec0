"""Stops the car when its operator falls silent: a program of its own for the car's Raspberry Pi.

It stands between the operator and the kit's command server: it listens on a port of its own, passes words on
one by one, and sends ``DirStop`` when a motion was not confirmed for a moment, when the operator's connection
ends, and when it starts. It needs nothing but Python 3.7.

    python3 car_guard.py [--listen 5052] [--kit ADDRESS:5051] [--silence 0.5]
"""

from __future__ import annotations

import argparse
import re
import select
import socket
import sys
import time
from collections.abc import Callable, Sequence

WORD = re.compile(rb"(?:Dir(?:Forward|Back|Left|Right|Stop))|(?:Cam(?:Up|Down|Left|Right|Stop))")
STOP = b"DirStop"
GAP = 0.03
"""Seconds between two words to the kit, so that it reads each alone."""

LOOK = 0.02


class CarGuard:
    """The relay; all of it on the thread that calls `run`.

    Args:
        listen: address at which the operator connects; port 0 takes any free one.
        kit: address of the kit's command server.
        silence: seconds that a motion holds without a word of the operator.
    """

    def __init__(self, listen: tuple[str, int], kit: tuple[str, int], silence: float = 0.5) -> None:
        self._kit_address = kit
        self._silence = silence
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(listen)
        self._listener.listen(1)
        self.port: int = self._listener.getsockname()[1]
        self._kit: socket.socket | None = None
        self._operator: socket.socket | None = None
        self._leaving = False
        self._due: list[bytes] = []
        self._last = b""
        self._heard_at = self._sent_at = self._tried_at = -1e9

    def run(self, ended: Callable[[], bool]) -> None:
        """Guard until ``ended`` says so; the car is stopped then."""
        try:
            while not ended():
                self._step(time.monotonic())
        finally:
            if self._kit is not None:
                try:
                    time.sleep(GAP)
                    self._kit.sendall(STOP)
                    time.sleep(GAP)
                except OSError:
                    pass
                self._kit.close()
            if self._operator is not None:
                self._operator.close()
            self._listener.close()

    def _step(self, now: float) -> None:
        if self._kit is None:
            self._connect(now)
        waiting = [self._listener if self._operator is None else self._operator]
        for ready in select.select([] if self._leaving else waiting, [], [], LOOK)[0]:
            if ready is self._listener:
                self._operator, _ = self._listener.accept()
                self._heard_at = now
            else:
                self._hear(now)
        if self._last not in (b"", STOP) and now - self._heard_at > self._silence and STOP not in self._due:
            self._due = [STOP]
        self._speak(now)

    def _hear(self, now: float) -> None:
        assert self._operator is not None
        try:
            data = self._operator.recv(1024)
        except OSError:
            data = b""
        self._heard_at = now
        if not data:
            self._due, self._leaving = [STOP], True
            return
        words = WORD.findall(data)
        motions = [word for word in words if word.startswith(b"Dir")]
        cameras = [word for word in words if word.startswith(b"Cam")]
        # A stop is not passed over; else the newest of each kind counts, and nothing older.
        if motions:
            stop_first = STOP in (*motions, *self._due) and motions[-1] != STOP
            self._due = [STOP, motions[-1]] if stop_first else [motions[-1]]
        if cameras:
            self._due = [word for word in self._due if word.startswith(b"Dir")] + [cameras[-1]]

    def _speak(self, now: float) -> None:
        if self._kit is None or now - self._sent_at < GAP:
            return
        if self._due:
            word = self._due.pop(0)
            try:
                self._kit.sendall(word)
            except OSError:
                self._lose()
                return
            self._sent_at = now
            if word.startswith(b"Dir"):
                self._last = word
        elif self._leaving and self._operator is not None:
            # The stop has gone out alone; our end tells the operator so.
            self._operator.close()
            self._operator, self._leaving = None, False

    def _connect(self, now: float) -> None:
        if now - self._tried_at < 1.0:
            return
        self._tried_at = now
        try:
            self._kit = socket.create_connection(self._kit_address, 1.0)
            self._kit.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            host, port = self._kit_address
            sys.stderr.write(f"no connection to the kit's program at {host}:{port}: {error}\n")
            return
        # Whatever was asked for before is out of date by now.
        self._due, self._last = [STOP], b""

    def _lose(self) -> None:
        assert self._kit is not None
        self._kit.close()
        self._kit = None
        sys.stderr.write("the kit's program has ended the connection\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Guard for ever."""
    parser = argparse.ArgumentParser(description="Stops the car when its operator falls silent.")
    parser.add_argument("--listen", type=int, default=5052, help="port for the operator (5052)")
    parser.add_argument("--kit", default="127.0.0.1:5051", help="the kit's program (127.0.0.1:5051)")
    parser.add_argument("--silence", type=float, default=0.5, help="seconds that a motion holds (0.5)")
    given = parser.parse_args(arguments)
    host, _, port = given.kit.rpartition(":")
    CarGuard(("", given.listen), (host, int(port)), given.silence).run(lambda: False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
