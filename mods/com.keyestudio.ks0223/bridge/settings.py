"""The parameters of the bridge, and the transport that they ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bxi_framework.mod_api import ConfigReader

from ..shape import CarShape
from .transport import Log, Transport
from .wifi.car import WifiAddress, WifiCar
from .wifi.words import PULSE

TRANSPORTS: Final = ("tcp", "virtual", "gpio")
LINE_PINS: Final = (17, 19)
HERE: Final = "127.0.0.1"
PORTS: Final = {"control_port": 5051, "telemetry_port": 8765, "pictures_port": 5051}


@dataclass(frozen=True)
class Settings:
    """``transport`` is ``tcp`` (the car over the network), ``virtual`` (one on this machine) or ``gpio`` (the
    pins of this machine). ``line_left_pin``, ``degree_time`` and ``pulse`` as in `GpioCar`, `CameraAim`
    and `WordChooser`.
    """

    transport: str
    address: WifiAddress
    shape: CarShape
    degree_time: float
    pulse: float
    line_left_pin: int

    @classmethod
    def read(cls, params: Mapping[str, object]) -> Settings:
        """From the parameters of the node.

        Raises:
            ParameterError: one is missing, wrong or unknown.
        """
        reader = ConfigReader(params, "params")
        transport = reader.literal("transport", TRANSPORTS)
        host = reader.string("host", "")
        if transport == "tcp" and not host:
            raise reader.error("host", "is missing", "Write the car's name or address.")
        ports = {name: reader.integer(name, port, minimum=0, maximum=65535) for name, port in PORTS.items()}
        local = transport != "tcp"
        settings = cls(
            transport,
            WifiAddress(
                HERE if local else host,
                ports["control_port"],
                ports["telemetry_port"],
                HERE if local else "0.0.0.0",
                ports["pictures_port"],
            ),
            CarShape.read(reader),
            reader.float("degree_time", 0.021, minimum=0.005, maximum=1.0),
            reader.float("pulse", PULSE, minimum=0.03, maximum=0.5),
            reader.integer("line_left_pin", LINE_PINS[0]),
        )
        if settings.line_left_pin not in LINE_PINS:
            raise reader.error("line_left_pin", f"must be 17 or 19, not {settings.line_left_pin}")
        reader.finish()
        return settings

    def make(self, log: Log) -> Transport:
        """The transport, not open yet.

        Raises:
            ImportError: gpiozero is not installed on this machine.
        """
        if self.transport != "gpio":
            return WifiCar(self.address, log, self.degree_time, self.pulse)
        # Only there is gpiozero needed.
        from .pins.car import GpioCar

        return GpioCar(log, self.address, dead_zone=self.shape.dead_zone, line_left_pin=self.line_left_pin)

    def last_stop(self) -> tuple[str, ...]:
        """The arguments of the program that stops the car if this one dies."""
        if self.transport != "gpio":
            return ("wifi", self.address.host, str(self.address.control_port))
        from .pins.table import MOTOR_PINS

        return ("pins", *(str(pin) for pin in MOTOR_PINS))
