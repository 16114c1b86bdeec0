"""K5: of everything that may come to the camera's port, only whole pictures from the car are kept."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from ks0223.parts import Log, RecordingCar, car, feeding, jpeg, until, virtual

LARGEST = 65507


@pytest.fixture
def receiver() -> Iterator[Any]:
    made = car("bridge.wifi.pictures").PictureReceiver("127.0.0.1", ("127.0.0.1", 0), Log())
    made.start()
    yield made
    made.close()


def send(receiver: Any, *datagrams: bytes, source: str = "127.0.0.1") -> None:
    """Send datagrams, one after the other has been taken."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.bind((source, 0))
        for data in datagrams:
            before = receiver.counts
            sender.sendto(data, ("127.0.0.1", receiver.port))
            until(lambda: receiver.counts != before, "the datagram")  # noqa: B023


@pytest.mark.parametrize("size", [0, 1, 1400, 9217, LARGEST])
def test_datagrams_of_every_size_that_are_no_picture_are_dropped_and_counted(
    receiver: Any, size: int
) -> None:
    send(receiver, random.Random(size).randbytes(size) if size != 1 else b"\x07")
    assert receiver.newest is None
    assert receiver.counts.broken == 1 and receiver.counts.fault


@pytest.mark.parametrize("filling", [100, 9000, 65000])
def test_whole_pictures_of_every_size_are_kept_to_the_byte(receiver: Any, filling: int) -> None:
    picture = jpeg(filling=filling)
    send(receiver, picture)
    assert receiver.newest.value == picture
    assert (receiver.counts.whole, receiver.counts.broken) == (1, 0)
    assert receiver.part().level == "ok"


def test_a_picture_that_is_cut_anywhere_is_not_shown(receiver: Any) -> None:
    whole = jpeg()
    fault = car("bridge.wifi.jpeg").jpeg_fault
    assert fault(whole) is None
    assert all(fault(whole[:length]) is not None for length in range(len(whole)))
    send(receiver, whole, whole[: len(whole) // 2])
    assert receiver.newest.value == whole
    assert (receiver.counts.whole, receiver.counts.broken) == (1, 1)


def test_a_sound_head_with_garbage_is_not_shown() -> None:
    fault = car("bridge.wifi.jpeg").jpeg_fault
    whole = jpeg()
    head = whole[: whole.index(b"\xff\xda") + 10]
    noise = random.Random(5)
    found = [fault(head + noise.randbytes(15000) + b"\xff\xd9") for _ in range(50)]
    assert None not in found
    assert fault(whole + b"more") == "something follows the end"
    assert fault(jpeg(width=60000)) is not None
    assert fault(whole.replace(b"\xff\xc0", b"\xff\xe5")) == "a scan without a frame"


def test_any_bytes_get_an_answer() -> None:
    fault = car("bridge.wifi.jpeg").jpeg_fault
    noise = random.Random(6)
    whole = jpeg(filling=300)
    for _ in range(3000):
        data = bytearray(whole)
        for _ in range(noise.randrange(1, 4)):
            data[noise.randrange(len(data))] = noise.randrange(256)
        fault(bytes(data))


def test_two_pictures_in_the_wrong_order_are_both_whole_and_the_later_one_stays(receiver: Any) -> None:
    first, second = jpeg(filling=500), jpeg(filling=800)
    send(receiver, second, first)
    assert receiver.newest.value == first
    assert receiver.counts.whole == 2


def test_pictures_of_others_are_not_shown(receiver: Any) -> None:
    send(receiver, jpeg(), source="127.0.0.2")
    assert receiver.newest is None
    assert (receiver.counts.foreign, receiver.counts.whole) == (1, 0)


def test_a_car_whose_camera_fails_says_so(receiver: Any) -> None:
    send(receiver, b"\x01")
    assert receiver.counts.failed == 1
    assert receiver.part().level == "warn" and "its camera fails" in receiver.part().message


def test_two_hundred_pictures_leave_one(receiver: Any) -> None:
    pictures = [jpeg(filling=400 + 4 * number) for number in range(200)]
    send(receiver, *pictures)
    assert receiver.newest.value == pictures[-1]
    assert receiver.counts.whole == 200


def test_a_port_that_is_taken_turns_the_camera_off_with_one_warning_and_the_car_drives() -> None:
    """D4: what is missing for pictures costs the pictures alone."""
    hardware = RecordingCar()
    server = virtual("kit.control").ControlServer(hardware, ("127.0.0.1", 0))
    server.start()
    wifi, log = car("bridge.wifi.car"), Log()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        way = wifi.WifiCar(wifi.WifiAddress("127.0.0.1", server.port, 1, "127.0.0.1", port), log)
        way.open()
        try:
            with feeding(way, left=1.0, right=1.0):
                until(lambda: hardware.ordered == (0.8, 0.8))
            told = [text for _, text in log if "camera" in text]
            assert len(told) == 1 and f"UDP port {port}" in told[0]
            assert way.parts()[-1].level == "warn" and way.parts()[-1].message.startswith("off")
        finally:
            way.close()
            server.close()
