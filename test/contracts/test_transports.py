"""All three ways to the car pass the one contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from contracts.transport_contract import CarRig, TransportContract, send_datagram
from ks0223.mock_board import Board
from ks0223.parts import Log, RecordingCar, car, virtual


class WifiRig:
    """The kit's programs on this machine, around a car that remembers."""

    def __init__(self, **params: object) -> None:
        program = virtual("kit.program")
        self.car = RecordingCar()
        self.program = program.KitProgram(self.car, "127.0.0.1", "127.0.0.1", program.Ports(0, 0, 0), 0.0)
        self.program.start()
        ports = {
            "control_port": self.program.control.port,
            "telemetry_port": self.program.telemetry.port,
            "pictures_port": 0,
        }
        self.transport: Any = car("bridge.settings").Settings.read({**params, **ports}).make(Log())

    @property
    def sides(self) -> tuple[float, float]:
        return self.car.ordered

    @property
    def angles(self) -> tuple[float, float, float]:
        return (self.car.ultrasonic_angle, *self.car.camera_angles)

    def set_going(self) -> None:
        self.car.drive(0.8, 0.8)

    def sees(self, distance: float | None) -> None:
        self.car.seen = distance

    def stands_on(self, left: int, middle: int, right: int) -> None:
        self.car.floor = (left, middle, right)

    def send_picture(self, data: bytes) -> None:
        send_datagram(data, self.transport.pictures_port)

    def close(self) -> None:
        self.program.close()


class PinsRig:
    """The car's parts on the pins of a mock board."""

    def __init__(self) -> None:
        self.board = Board()
        self.board.sees(1.0)
        settings = car("bridge.settings").Settings.read({"transport": "gpio", "pictures_port": 0})
        self.transport: Any = car("bridge.pins.car").GpioCar(
            Log(), settings.address, factory=self.board.factory
        )

    @property
    def sides(self) -> tuple[float, float]:
        table = self.board.table
        return self.board.side(table.LEFT_MOTORS), self.board.side(table.RIGHT_MOTORS)

    @property
    def angles(self) -> tuple[float, float, float]:
        table = self.board.table
        pins = (table.ULTRASONIC_SERVO, table.TILT_SERVO, table.PAN_SERVO)
        first, second, third = (self.board.angle(pin) for pin in pins)
        return first, second, third

    def set_going(self) -> None:
        """Pins keep their state when a program ends."""
        for motor in (*self.board.table.LEFT_MOTORS, *self.board.table.RIGHT_MOTORS):
            for number, level in (
                (motor.speed, 0.8),
                (motor.first, motor.forward[0]),
                (motor.second, motor.forward[1]),
            ):
                pin = self.board.pin(number)
                pin.function = "output"
                pin._change_state(level)

    def sees(self, distance: float | None) -> None:
        self.board.sees(distance)

    def stands_on(self, left: int, middle: int, right: int) -> None:
        self.board.stands_on({17: left, 18: middle, 19: right})

    def send_picture(self, data: bytes) -> None:
        send_datagram(data, self.transport.pictures_port)

    def close(self) -> None:
        self.board.close()


class WithRig(TransportContract):
    """The fixture of a transport that the parameters of the bridge describe."""

    params: ClassVar[dict[str, object]]

    @pytest.fixture
    def rig(self) -> Iterator[CarRig]:
        rig = WifiRig(**self.params)
        yield rig
        rig.transport.close()
        rig.close()


class TestTcp(WithRig):
    params: ClassVar[dict[str, object]] = {"transport": "tcp", "host": "127.0.0.1"}


class TestVirtual(WithRig):
    params: ClassVar[dict[str, object]] = {"transport": "virtual"}


class TestGpio(TransportContract):
    @pytest.fixture
    def rig(self) -> Iterator[CarRig]:
        rig = PinsRig()
        yield rig
        rig.transport.close()
        rig.close()
