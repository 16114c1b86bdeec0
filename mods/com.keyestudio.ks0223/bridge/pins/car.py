"""The transport on the car's own pins, by gpiozero with whichever pin factory it is given."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from gpiozero import Device, DigitalInputDevice, DigitalOutputDevice

from ..command import CarCommand
from ..readings import CarReadings, Echo, Part, Stamped
from ..transport import CommandBox, Log
from ..wifi.car import ACTUATORS, SENSORS, WifiAddress
from ..wifi.pictures import PictureReceiver
from . import table
from .buzzer import Buzzer
from .echo import EchoSounder
from .infrared import NecDecoder
from .matrix import Matrix, pattern_bytes
from .motors import Motors
from .servos import Servo

MOTOR_PERIOD: Final = 0.02
SENSOR_PERIOD: Final = 0.07
"""Seconds from one distance to the next; echoes of the last one must have died away."""


class GpioCar:
    """Implements `Transport` on pins. Pictures come as datagrams from the kit's camera program on this
    machine.

    Args:
        log: takes messages. pictures_at: where the camera program sends to. dead_zone: share of the top speed
        below which a steady voltage does not turn the motors. line_left_pin: 17 or 19; the maker's pages
        disagree. factory: a gpiozero pin factory; by default the machine's own, which is lgpio on a Raspberry
        Pi.
    """

    sensors = SENSORS
    actuators = ACTUATORS

    def __init__(
        self,
        log: Log,
        pictures_at: WifiAddress,
        *,
        dead_zone: float = 0.35,
        line_left_pin: int = 17,
        factory: Any = None,
    ) -> None:
        self._log = log
        self._pictures_at = pictures_at
        self._pictures: PictureReceiver | None = None
        self._factory = factory
        self._dead_zone = dead_zone
        self._line_left_pin = line_left_pin
        self._box = CommandBox(time.monotonic)
        self._ending = threading.Event()
        self._threads: list[threading.Thread] = []
        self._readings = CarReadings()
        self._infrared: Stamped[int] | None = None
        self._decoder = NecDecoder()
        self._pattern: str | None = None
        self._fault = ""
        self._failure: Exception | None = None
        self._devices: list[Any] = []

    def open(self) -> None:
        try:
            self._claim()
            where = self._pictures_at
            self._pictures = PictureReceiver(where.host, (where.pictures_at, where.pictures_port), self._log)
            self._pictures.start()
        except Exception as error:
            self._release()
            raise OSError(f"the pins cannot be used: {error}") from error
        for name, target in (("motors", self._keep_driving), ("sensors", self._keep_sensing)):
            thread = threading.Thread(target=target, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    @property
    def pictures_port(self) -> int:
        """The port at which pictures arrive."""
        return 0 if self._pictures is None else self._pictures.port

    def command(self, command: CarCommand) -> None:
        self._box.put(command)

    def show(self, pattern: str) -> None:
        self._pattern = pattern

    def tone(self, frequency: float) -> None:
        self._buzzer.tone(frequency)

    @property
    def in_touch(self) -> bool:
        return bool(self._devices) and self._failure is None

    def readings(self) -> CarReadings:
        angles = (self._ultrasonic.angle, self._tilt.angle, self._pan.angle)
        shown = tuple(90.0 if angle is None else angle for angle in angles)
        picture = None if self._pictures is None else self._pictures.newest
        return replace(
            self._readings, picture=picture, infrared=self._infrared, servos=(shown[0], shown[1], shown[2])
        )

    def parts(self) -> Sequence[Part]:
        camera = () if self._pictures is None else (self._pictures.part(),)
        if self._fault:
            return (Part("sensors", "error", self._fault), *camera)
        echo = self._readings.echo
        reason = "no reading yet" if echo is None else echo.value.reason
        level = "ok" if not reason or reason.startswith("no echo") else "warn"
        return (
            Part("pins", "ok", "the motors follow"),
            Part("ultrasonic", level, reason or "an echo comes back"),
            *camera,
        )

    def check(self) -> None:
        if self._failure is not None:
            raise RuntimeError(f"the motors do not obey: {self._failure}") from self._failure

    def close(self) -> bool:
        self._ending.set()
        for thread in self._threads:
            thread.join()
        self._threads = []
        was_open = bool(self._devices)
        self._release()
        return was_open

    def _claim(self) -> None:
        """Take all pins, the motors first, so that they are at rest whatever else fails."""
        factory = self._factory or Device.ensure_pin_factory() or Device.pin_factory
        self._motors = self._keep(Motors(factory, self._dead_zone))
        self._ultrasonic = self._keep(Servo(table.ULTRASONIC_SERVO, factory))
        self._tilt = self._keep(Servo(table.TILT_SERVO, factory))
        self._pan = self._keep(Servo(table.PAN_SERVO, factory))
        trigger = self._keep(DigitalOutputDevice(table.TRIGGER, pin_factory=factory))
        echo = self._keep(DigitalInputDevice(table.ECHO, pin_factory=factory))
        self._sounder = EchoSounder(_setter(trigger), lambda: bool(echo.value))
        self._listen(echo, self._on_echo)
        left = self._line_left_pin
        right = sum(table.LINE_OUTER) - left
        self._line = [
            self._keep(DigitalInputDevice(pin, pin_factory=factory))
            for pin in (left, table.LINE_MIDDLE, right)
        ]
        receiver = self._keep(DigitalInputDevice(table.INFRARED, pull_up=True, pin_factory=factory))
        self._listen(receiver, self._on_infrared)
        clock = self._keep(DigitalOutputDevice(table.MATRIX_CLOCK, initial_value=True, pin_factory=factory))
        data = self._keep(DigitalOutputDevice(table.MATRIX_DATA, initial_value=True, pin_factory=factory))
        self._matrix = Matrix(_setter(clock), _setter(data))
        self._buzzer = self._keep(Buzzer(table.BUZZER, factory))

    def _keep(self, device: Any) -> Any:
        self._devices.append(device)
        return device

    def _listen(self, device: Any, callback: Callable[[float, int], None]) -> None:
        device.pin.edges = "both"
        device.pin.when_changed = callback

    def _release(self) -> None:
        devices, self._devices = self._devices, []
        for device in devices:
            device.close()
        pictures, self._pictures = self._pictures, None
        if pictures is not None:
            pictures.close()

    def _keep_driving(self) -> None:
        """A motor that does not obey ends all of it: whoever comes next begins with a stop."""
        try:
            while not self._ending.wait(MOTOR_PERIOD):
                self._drive()
        except Exception as error:
            self._failure = error

    def _keep_sensing(self) -> None:
        while not self._ending.wait(SENSOR_PERIOD):
            try:
                self._sense()
                self._fault = ""
            except Exception as error:
                if not self._fault:
                    self._log("error", f"the sensors fail: {error}")
                self._fault = f"the sensors fail: {error}"

    def _drive(self) -> None:
        command = self._box.take()
        self._motors.drive(command.left, command.right, command.brake)
        for servo, angle in (
            (self._ultrasonic, command.ultrasonic),
            (self._tilt, command.tilt),
            (self._pan, command.pan),
        ):
            if angle is not None:
                servo.point(angle)

    def _sense(self) -> None:
        angle = 90.0 if self._ultrasonic.angle is None else self._ultrasonic.angle
        distance, reason = self._sounder.measure()
        line = [int(bool(sensor.value)) for sensor in self._line]
        now = time.monotonic()
        self._readings = CarReadings(
            echo=Stamped(Echo(distance, reason, angle), now), line=Stamped((line[0], line[1], line[2]), now)
        )
        pattern, self._pattern = self._pattern, None
        if pattern is not None:
            self._matrix.show(pattern_bytes(pattern))

    def _on_echo(self, ticks: float, state: int) -> None:
        self._sounder.edge(ticks, bool(state))

    def _on_infrared(self, ticks: float, state: int) -> None:
        if not state:
            code = self._decoder.falling(ticks)
            if code is not None:
                self._infrared = Stamped(code, time.monotonic())


def _setter(device: Any) -> Callable[[bool], None]:
    def set_line(level: bool) -> None:
        device.value = level

    return set_line
