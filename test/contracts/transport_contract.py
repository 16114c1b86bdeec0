"""What every way to the car must do, whatever lies between."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any, Protocol

import pytest
from ks0223.parts import car, feeding, jpeg, until

MOTIONS = {
    "forward": (1.0, 1.0),
    "back": (-1.0, -1.0),
    "left": (-1.0, 1.0),
    "right": (1.0, -1.0),
}


class CarRig(Protocol):
    """A transport that is not open yet, and the other side of it."""

    transport: Any

    @property
    def sides(self) -> tuple[float, float]:
        """The duties with which both sides turn, as the car's hardware sees it."""

    @property
    def angles(self) -> tuple[float, float, float]:
        """Ultrasonic pan, camera tilt and camera pan in degrees, as the servos see it."""

    def set_going(self) -> None:
        """Let the car drive though nobody has asked for it."""

    def sees(self, distance: float | None) -> None:
        """What the distance sensor sees."""

    def stands_on(self, left: int, middle: int, right: int) -> None:
        """What the line sensors see."""

    def send_picture(self, data: bytes) -> None:
        """A datagram of the car's camera."""

    def close(self) -> None:
        """Take the other side down."""


def sign(value: float) -> int:
    return (value > 0.0) - (value < 0.0)


class TransportContract:
    """Tests of one transport; a subclass gives the fixture ``rig``."""

    @pytest.fixture
    def way(self, rig: CarRig) -> Iterator[Any]:
        rig.transport.open()
        until(lambda: rig.transport.in_touch, "a way to the car")
        yield rig.transport
        rig.transport.close()

    def test_it_stops_a_car_that_is_going_when_it_opens(self, rig: CarRig) -> None:
        rig.set_going()
        rig.transport.open()
        until(lambda: rig.transport.in_touch)
        until(lambda: rig.sides == (0.0, 0.0), "a stop")
        rig.transport.close()

    @pytest.mark.parametrize("name", MOTIONS)
    def test_both_sides_turn_as_they_are_told(self, rig: CarRig, way: Any, name: str) -> None:
        left, right = MOTIONS[name]
        with feeding(way, left=left, right=right):
            until(lambda: tuple(map(sign, rig.sides)) == (sign(left), sign(right)), name)
            assert {abs(duty) for duty in rig.sides} == {0.8}
        with feeding(way):
            until(lambda: rig.sides == (0.0, 0.0), "a stop")

    def test_the_newest_command_counts(self, rig: CarRig, way: Any) -> None:
        for left, right in (*MOTIONS.values(), (0.0, 0.0), (1.0, 1.0)):
            with feeding(way, left=left, right=right):
                until(lambda: tuple(map(sign, rig.sides)) == (sign(left), sign(right)))  # noqa: B023

    def test_without_commands_the_car_stops(self, rig: CarRig, way: Any) -> None:
        with feeding(way, left=1.0, right=1.0):
            until(lambda: rig.sides == (0.8, 0.8))
        until(lambda: rig.sides == (0.0, 0.0), "a stop")

    def test_closing_stops_the_car_and_leaves_nothing_behind(self, rig: CarRig) -> None:
        before = set(threading.enumerate())
        rig.transport.open()
        until(lambda: rig.transport.in_touch)
        with feeding(rig.transport, left=1.0, right=1.0):
            until(lambda: rig.sides == (0.8, 0.8))
            assert rig.transport.close() is True
        assert rig.sides == (0.0, 0.0)
        left = {thread for thread in set(threading.enumerate()) - before if "kit" not in thread.name}
        until(lambda: not any(thread.is_alive() for thread in left if "process_request" not in thread.name))
        rig.transport.close()

    def test_servos_go_where_they_are_pointed_and_stay_when_they_are_not(self, rig: CarRig, way: Any) -> None:
        with feeding(way, ultrasonic=120.0, tilt=100.0, pan=75.0):
            until(lambda: abs(rig.angles[0] - 120.0) < 0.5, "ultrasonic pan")
            # The camera of the kit's program goes by degrees and is reckoned, not measured.
            until(lambda: abs(rig.angles[1] - 100.0) < 4.0, "camera tilt")
            until(lambda: abs(rig.angles[2] - 75.0) < 4.0, "camera pan")
            until(lambda: abs(way.readings().servos[0] - 120.0) < 0.5)
            until(
                lambda: max(abs(way.readings().servos[1] - 100.0), abs(way.readings().servos[2] - 75.0)) < 2.0
            )
        stands = rig.angles
        with feeding(way, left=1.0, right=1.0):
            until(lambda: rig.sides == (0.8, 0.8))
        assert rig.angles == pytest.approx(stands, abs=2.5)

    def test_it_reads_the_distance_and_says_when_there_is_none(self, rig: CarRig, way: Any) -> None:
        def seen() -> float | None:
            echo = way.readings().echo
            return None if echo is None else echo.value.distance

        rig.sees(0.42)
        until(lambda: seen() == pytest.approx(0.42, abs=0.002), "a distance")
        rig.sees(None)
        until(lambda: way.readings().echo.value.distance is None, "no echo")
        assert way.readings().echo.value.reason
        rig.sees(1.5)
        until(lambda: seen() == pytest.approx(1.5, abs=0.002), "a distance again")

    def test_it_reads_the_line_from_left_to_right(self, rig: CarRig, way: Any) -> None:
        for line in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)):
            rig.stands_on(*line)
            until(lambda: way.readings().line is not None and way.readings().line.value == line)  # noqa: B023

    def test_only_whole_pictures_are_taken(self, rig: CarRig, way: Any) -> None:
        whole = jpeg()
        for data in (whole[:-1], whole[:900], b"\x01", b"", whole):
            rig.send_picture(data)
        until(lambda: way.readings().picture is not None, "a picture")
        assert way.readings().picture.value == whole
        values = {key: value for part in way.parts() for key, value in part.values.items()}
        assert values["pictures"] == "1" and values["camera failures"] == "1"
        assert int(values["dropped: broken"]) >= 2

    def test_it_says_how_it_does(self, rig: CarRig, way: Any) -> None:
        until(lambda: way.readings().line is not None)
        until(lambda: way.parts()[0].level == "ok")
        assert all(part.message and part.level in ("ok", "warn", "error") for part in way.parts())

    def test_it_agrees_with_the_device_contract(self, rig: CarRig) -> None:
        contract = car("bridge.contract")
        contract.check_transport(contract.read_contract(), rig.transport, "this one")


def send_datagram(data: bytes, port: int) -> None:
    """Send a datagram to a port of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(data, ("127.0.0.1", port))
