"""The kit's camera program: each picture is one UDP datagram to the operator; a failure is a single byte."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Final

from .hardware import CarHardware

PORT: Final = 5051
FAILED: Final = b"\x01"


class CameraSender:
    """Sends pictures on a thread of its own.

    Args:
        car: takes the pictures.
        operator: who gets them.
        rate: pictures per second.
        source: the address that they come from; by default the machine's own choice.
    """

    def __init__(
        self, car: CarHardware, operator: tuple[str, int], rate: float = 15.0, source: str = ""
    ) -> None:
        self._car = car
        self._operator = operator
        self._period = 1.0 / rate
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((source, 0))
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kit camera", daemon=True)

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def close(self) -> None:
        """End the program."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        while not self._ending.wait(self._period):
            # A refused or too long datagram is lost, as on the car.
            with contextlib.suppress(OSError):
                self._socket.sendto(self._car.image() or FAILED, self._operator)
