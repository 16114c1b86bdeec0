"""The modules of the car's two Mods, and helpers to wait and to feed commands."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from basic_actions.elf3 import mod_module

PATIENCE = 20.0
"""Seconds that a busy machine may take for anything; nothing here waits that long on a free one."""


def car(module: str) -> ModuleType:
    """A module of the car's Mod, such as ``bridge.wifi.words``."""
    return mod_module("mods/com.keyestudio.ks0223", module)


def virtual(module: str) -> ModuleType:
    """A module of the virtual car's Mod, such as ``kit.control``."""
    return mod_module("mods/com.keyestudio.ks0223_virtual", module)


def until(happened: Callable[[], Any], what: str = "it") -> None:
    """Wait until something has happened."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, f"{what} never happened"
        time.sleep(0.005)


@contextmanager
def feeding(transport: Any, **command: Any) -> Iterator[None]:
    """Send a command again and again for a while, as the control loop does."""
    wanted = car("bridge.command").CarCommand(**command)
    ending = threading.Event()

    def feed() -> None:
        while not ending.is_set():
            transport.command(wanted)
            ending.wait(0.02)

    thread = threading.Thread(target=feed)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


class Log(list[tuple[str, str]]):
    """Takes messages as (level, text)."""

    def __call__(self, level: str, message: str) -> None:
        self.append((level, message))


class RecordingCar:
    """The kit's `CarHardware`: remembers what it was told, says what the test wants."""

    def __init__(self) -> None:
        self.ordered = (0.0, 0.0)
        self.orders: list[tuple[float, float, float]] = []
        self.camera_angles = (90.0, 90.0)
        self.ultrasonic_angle = 90.0
        self.seen: float | None = 1.0
        self.floor = (0, 0, 0)
        self.picture: bytes | None = None

    def drive(self, left: float, right: float) -> None:
        self.ordered = (left, right)
        self.orders.append((time.monotonic(), left, right))

    def point_camera(self, tilt: float, pan: float) -> None:
        self.camera_angles = (tilt, pan)

    def point_ultrasonic(self, angle: float) -> None:
        self.ultrasonic_angle = angle

    def distance(self) -> float | None:
        return self.seen

    def line(self) -> tuple[int, int, int]:
        return self.floor

    def image(self) -> bytes | None:
        return self.picture


def jpeg(width: int = 320, height: int = 240, filling: int = 2000) -> bytes:
    """A picture as far as its structure goes: the scan is filled with bytes that are no marker."""
    frame = bytes((8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0))
    return b"".join(
        (
            b"\xff\xd8",
            b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00",
            b"\xff\xdb\x00\x43\x00" + bytes(64),
            b"\xff\xc0" + (len(frame) + 2).to_bytes(2, "big") + frame,
            b"\xff\xc4\x00\x14\x00" + bytes(17),
            b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00",
            (b"\x5a\xa5\xff\x00" * (filling // 4 + 1))[:filling].rstrip(b"\xff"),
            b"\xff\xd9",
        )
    )
