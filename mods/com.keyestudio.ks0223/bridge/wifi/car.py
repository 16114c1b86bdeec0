"""The transport over the network: the kit's command server, its sensor add-on and its camera.

A virtual car is reached in the very same way, on this machine.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..command import CarCommand
from ..readings import CarReadings, Part
from ..transport import CommandBox, Log
from .aim import CameraAim
from .link import ControlLink
from .pictures import PictureReceiver
from .poller import TelemetryPoller
from .words import PULSE

SENSORS: Final = frozenset(("camera", "ultrasonic", "line_left", "line_center", "line_right"))
ACTUATORS: Final = frozenset(("throttle", "steer", "brake"))


@dataclass(frozen=True)
class WifiAddress:
    """Where the car is and where its pictures come to; ``pictures_at`` is an address of this machine."""

    host: str
    control_port: int = 5051
    telemetry_port: int = 8765
    pictures_at: str = "0.0.0.0"
    pictures_port: int = 5051


class WifiCar:
    """Implements `Transport` over the network.

    Args:
        address: where the car is.
        log: takes messages.
        degree_time: seconds that the camera takes for one degree.
        pulse: seconds of the shortest motion.
    """

    sensors = SENSORS
    actuators = ACTUATORS

    def __init__(
        self, address: WifiAddress, log: Log, degree_time: float = 0.021, pulse: float = PULSE
    ) -> None:
        self._address = address
        self._log = log
        self._box = CommandBox(time.monotonic)
        self._aim = CameraAim(degree_time)
        self._link = ControlLink((address.host, address.control_port), self._box, self._aim, log, pulse)
        self._poller = TelemetryPoller((address.host, address.telemetry_port), log)
        self._pictures: PictureReceiver | None = None
        self._open = False
        self._proved = False

    def open(self) -> None:
        where = (self._address.pictures_at, self._address.pictures_port)
        self._pictures = PictureReceiver(self._address.host, where, self._log)
        self._pictures.start()
        self._poller.start()
        self._link.start()
        self._open = True

    @property
    def pictures_port(self) -> int:
        """The port at which pictures arrive."""
        return 0 if self._pictures is None else self._pictures.port

    def command(self, command: CarCommand) -> None:
        if command.ultrasonic is not None:
            self._poller.point(command.ultrasonic)
        self._box.put(command)

    def show(self, pattern: str) -> None:
        self._poller.show(pattern)

    def tone(self, frequency: float) -> None:
        """The kit's programs have no word for the buzzer."""

    @property
    def in_touch(self) -> bool:
        return self._link.state.phase == "controllable"

    def readings(self) -> CarReadings:
        state = self._poller.state
        picture = None if self._pictures is None else self._pictures.newest
        servos = (state.angle, self._aim.tilt, self._aim.pan)
        return CarReadings(state.echo, state.line, picture, state.infrared, servos)

    def parts(self) -> Sequence[Part]:
        pictures = () if self._pictures is None else (self._pictures.part(),)
        return (self._link.part(), self._poller.part(), *pictures)

    def check(self) -> None:
        for part in (self._link, self._poller):
            if part.failure is not None:
                raise RuntimeError(f"a thread of the bridge has failed: {part.failure!r}") from part.failure

    def close(self) -> bool:
        if self._open:
            self._open = False
            self._proved = self._link.close()
            self._poller.close()
            if self._pictures is not None:
                self._pictures.close()
        return self._proved
