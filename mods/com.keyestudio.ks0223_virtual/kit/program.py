"""All programs of a car around one piece of hardware."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import camera, control, telemetry
from .camera import CameraSender
from .control import ControlServer
from .hardware import CarHardware
from .sensors import SensorAddOn
from .telemetry import TelemetryServer


def _nothing(data: bytes, late: float) -> None:
    """Nobody watches."""


@dataclass(frozen=True)
class Ports:
    """Where the programs listen and where pictures go; 0 takes any free port."""

    control: int = control.PORT
    telemetry: int = telemetry.PORT
    camera: int = camera.PORT


class KitProgram:
    """The command server, the sensor add-on with its HTTP interface, and the camera.

    Args:
        car: what they drive.
        host: the address at which they listen and from which pictures come.
        operator: the address that gets the pictures.
        ports: of all three.
        image_rate: pictures per second; 0 for no camera program.
        watch: is told of every read of the command server, as `ControlServer` says.

    Raises:
        OSError: an address is in use or not of this machine; nothing has been started then.
    """

    def __init__(
        self,
        car: CarHardware,
        host: str,
        operator: str,
        ports: Ports = Ports(),
        image_rate: float = 15.0,
        watch: Callable[[bytes, float], None] = _nothing,
    ) -> None:
        self.control = ControlServer(car, (host, ports.control), watch)
        try:
            self.sensors = SensorAddOn(car)
            self.telemetry = TelemetryServer(self.sensors, (host, ports.telemetry))
        except OSError:
            self.control.close()
            raise
        target = (operator, ports.camera)
        self.camera = CameraSender(car, target, image_rate, host) if image_rate > 0.0 else None

    def start(self) -> None:
        """Begin to serve."""
        self.control.start()
        self.sensors.start()
        self.telemetry.start()
        if self.camera is not None:
            self.camera.start()

    def close(self) -> None:
        """End all programs; the motors stay as they are."""
        if self.camera is not None:
            self.camera.close()
        self.telemetry.close()
        self.sensors.close()
        self.control.close()
