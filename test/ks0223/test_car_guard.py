"""The guard on the car: words pass, and a motion that nobody confirms ends."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ks0223.parts import Log, RecordingCar, car, feeding, until, virtual


class Guarded:
    """The kit's server with a guard before it."""

    def __init__(self) -> None:
        self.hardware = RecordingCar()
        self.reads: list[bytes] = []
        self.kit = virtual("kit.control").ControlServer(
            self.hardware, ("127.0.0.1", 0), lambda data, late: self.reads.append(data)
        )
        self.kit.start()
        self.hardware.drive(0.8, 0.8)
        guard = car("on_car.car_guard").CarGuard(("127.0.0.1", 0), ("127.0.0.1", self.kit.port))
        self.port: int = guard.port
        self._ending = threading.Event()
        self._thread = threading.Thread(target=guard.run, args=(self._ending.is_set,))
        self._thread.start()
        self.has(0.0)

    def close(self) -> None:
        self._ending.set()
        self._thread.join()
        self.kit.close()

    def has(self, left: float) -> None:
        until(lambda: self.hardware.ordered[0] == left, f"{left}")


@pytest.fixture
def guarded() -> Iterator[Guarded]:
    made = Guarded()
    yield made
    made.close()


def test_an_operator_who_falls_silent_or_goes_leaves_a_stop(guarded: Guarded) -> None:
    with socket.create_connection(("127.0.0.1", guarded.port)) as operator:
        operator.sendall(b"DirForward")
        guarded.has(0.8)
        guarded.has(0.0)
        operator.sendall(b"DirBack")
        guarded.has(-0.8)
    guarded.has(0.0)


def test_words_that_come_joined_go_on_alone_the_newest_of_each_kind_and_no_stop_is_lost(
    guarded: Guarded,
) -> None:
    with socket.create_connection(("127.0.0.1", guarded.port)) as operator:
        begun = len(guarded.reads)
        operator.sendall(b"DirForwardDirStopCamUpnonsenseDirBackCamLeft")
        until(lambda: len(guarded.reads) >= begun + 3)
        assert guarded.reads[begun : begun + 3] == [b"DirStop", b"DirBack", b"CamLeft"]


def test_the_guard_that_ends_stops_the_car() -> None:
    made = Guarded()
    with socket.create_connection(("127.0.0.1", made.port)) as operator:
        operator.sendall(b"DirForward")
        made.has(0.8)
        made.close()
        assert made.hardware.ordered == (0.0, 0.0)


def test_the_bridge_drives_through_the_guard_as_without_it(guarded: Guarded) -> None:
    wifi: Any = car("bridge.wifi.car")
    way = wifi.WifiCar(wifi.WifiAddress("127.0.0.1", guarded.port, 1, "127.0.0.1", 0), Log())
    way.open()
    until(lambda: way.in_touch)
    for left in (1.0, -1.0, 0.0):
        with feeding(way, left=left, right=left):
            guarded.has(0.8 * left)
            time.sleep(0.7)
            assert guarded.hardware.ordered[0] == 0.8 * left
    with feeding(way, left=1.0, right=1.0):
        guarded.has(0.8)
        assert way.close() is True
    assert guarded.hardware.ordered == (0.0, 0.0)
