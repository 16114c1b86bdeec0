"""The kit's command server, with every habit that its clients have to live with.

It serves one client at a time, compares a whole read with its ten words, answers nothing, and has no
watchdog: a motion goes on until another word comes, also after the client has gone. An error of the client's
connection ends it for good.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from typing import Final

from .hardware import CarHardware
from .words import WordReader

PORT: Final = 5051
LONGEST_READ: Final = 1024
TURN: Final = 0.001
"""Seconds of one turn of the loop."""

CAMERA_TURN: Final = 0.02
"""Seconds of one turn while the camera moves."""


def _nothing(data: bytes, late: float) -> None:
    """Nobody watches."""


class ControlServer:
    """The command server on a thread of its own.

    Args:
        car: what moves.
        address: where to listen; port 0 takes any free one.
        watch: is told of every read, and of the seconds since the look before it, on the server's thread.

    Raises:
        OSError: the address is in use or not of this machine.
    """

    def __init__(
        self, car: CarHardware, address: tuple[str, int], watch: Callable[[bytes, float], None] = _nothing
    ) -> None:
        self.car = car
        self._words = WordReader(car)
        self._watch = watch
        self._ending = threading.Event()
        self._listener = socket.create_server(address, backlog=1)
        self._listener.settimeout(0.05)
        self.port: int = self._listener.getsockname()[1]
        self.ended = False
        """True once an error has closed the server for good."""
        self._thread = threading.Thread(target=self._run, name="kit control", daemon=True)

    def start(self) -> None:
        """Begin to serve."""
        self._words.begin()
        self._thread.start()

    def close(self) -> None:
        """End the program; the motors stay as they are, as after a kill."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()
        self._listener.close()

    def _run(self) -> None:
        try:
            while not self._ending.is_set():
                with contextlib.suppress(TimeoutError):
                    client, _ = self._listener.accept()
                    with client:
                        self._serve(client)
        except OSError:
            self.ended = True
            self._listener.close()

    def _serve(self, client: socket.socket) -> None:
        client.setblocking(False)
        looked = time.monotonic()
        while not self._ending.is_set():
            before, looked = looked, time.monotonic()
            try:
                data = client.recv(LONGEST_READ)
            except BlockingIOError:
                pass
            else:
                if not data:
                    return
                self._watch(data, looked - before)
                self._words.take(data)
            self._words.turn()
            time.sleep(CAMERA_TURN if self._words.camera_moves else TURN)
