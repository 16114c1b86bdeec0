"""Takes the car's camera datagrams: only from its address, only whole JPEGs, only the newest."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from dataclasses import dataclass, replace
from typing import Final

from ..readings import Part, Stamped
from ..transport import Log
from .jpeg import jpeg_fault

LONGEST_DATAGRAM: Final = 65535
BUFFER: Final = 1 << 20
STALE: Final = 1.0
WAKE_AFTER: Final = 5.0
"""Seconds without a word of the camera program after which the car is pinged: after a boot it awaits that."""


@dataclass(frozen=True)
class PictureCounts:
    """What has come: whole pictures, the car's word that its camera failed, and what was dropped and why."""

    whole: int = 0
    failed: int = 0
    broken: int = 0
    foreign: int = 0
    fault: str = ""


class PictureReceiver:
    """Receives until `close`.

    Args:
        host: the car's name or address.
        bind: where to listen.
        log: takes messages.

    A port that is taken leaves the camera off, with one warning; driving does not need it.
    """

    def __init__(self, host: str, bind: tuple[str, int], log: Log) -> None:
        self._host = host
        self._log = log
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._off = ""
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
            self._socket.bind(bind)
        except OSError as error:
            self._off = f"off: UDP port {bind[1]} of {bind[0]} cannot be used: {error.strerror}"
            log("warning", f"the camera is {self._off}")
        self._socket.settimeout(0.1)
        self.port: int = self._socket.getsockname()[1]
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pictures", daemon=True)
        self._car: str | None = None
        self._heard_at = 0.0
        self._woken = False
        self.counts = PictureCounts()
        self.newest: Stamped[bytes] | None = None

    def start(self) -> None:
        """Begin to receive."""
        if not self._off:
            self._thread.start()

    def close(self) -> None:
        """End."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()

    def part(self) -> Part:
        """How the camera does."""
        if self._off:
            return Part("camera", "warn", self._off)
        counts, newest = self.counts, self.newest
        age = None if newest is None else time.monotonic() - newest.at
        values = {
            "age": "none yet" if age is None else f"{age:.2f} s",
            "pictures": str(counts.whole),
            "camera failures": str(counts.failed),
            "dropped: broken": str(counts.broken),
            "dropped: not from the car": str(counts.foreign),
            "last fault": counts.fault,
        }
        if age is not None and age <= STALE:
            return Part("camera", "ok", "fresh", values)
        message = "no picture yet" if age is None else f"the last picture is {age:.1f} s old"
        if counts.failed:
            message += "; the car says that its camera fails"
        return Part("camera", "warn", message, values)

    def _run(self) -> None:
        self._heard_at = time.monotonic()
        while not self._ending.is_set():
            try:
                data, (sender, _) = self._socket.recvfrom(LONGEST_DATAGRAM)
            except TimeoutError:
                if time.monotonic() - self._heard_at > WAKE_AFTER:
                    self._heard_at = time.monotonic()
                    self._wake()
                continue
            except OSError:
                # A picture before the socket was known to be refused; the next one counts.
                continue
            self._take(data, sender)

    def _take(self, data: bytes, sender: str) -> None:
        counts = self.counts
        if sender != self._address():
            self.counts = replace(counts, foreign=counts.foreign + 1)
            return
        self._heard_at = time.monotonic()
        if data == b"\x01":
            self.counts = replace(counts, failed=counts.failed + 1)
        else:
            fault = jpeg_fault(data)
            if fault is None:
                self.newest = Stamped(data, time.monotonic())
                self.counts = replace(counts, whole=counts.whole + 1)
            else:
                self.counts = replace(counts, broken=counts.broken + 1, fault=fault)

    def _address(self) -> str | None:
        """The car's address, looked up once it is known."""
        if self._car is None:
            try:
                self._car = socket.gethostbyname(self._host)
            except OSError:
                return None
        return self._car

    def _wake(self) -> None:
        self._car = None
        if self._address() is None or shutil.which("ping") is None:
            return
        command = ["ping", "-c", "1", "-W", "1", str(self._car)]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=5
        )
        if done.returncode == 0 and not self._woken:
            self._woken = True
            self._log(
                "info", "no picture has come; the car was pinged, for which its camera waits after a boot"
            )
