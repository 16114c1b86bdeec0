"""``bxi/wheel_drive``: skid-steer wheels behind cheap motors with dead zone, latency and unequal sides."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.bindings import BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.capabilities import DriverFactory
from bxi_framework.simulation.components import ComponentContributions, ComponentDefinition, ComponentFactory
from bxi_framework.simulation.descriptors import Channel, EndpointDescriptor, StateClaim
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.parts.motors import (
    Motor,
    MotorBank,
    motor_claims,
    motor_misfits,
    motor_requests,
    read_motors,
)
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import DriverRuntime, Values

INSTANT = 1e-9
"""Seconds by which sums of periods may miss a whole number of them."""


@dataclass(frozen=True, slots=True)
class WheelMotor:
    """How the motors answer: ``top_speed`` (rad/s), ``dead_zone`` (share of the top speed below which a wheel
    stands still), ``latency`` (s), ``kd`` (N·m·s/rad), and by how much the gain of all wheels and the
    difference between the sides vary from episode to episode (shares).
    """

    top_speed: float
    dead_zone: float
    latency: float
    kd: float
    gain_spread: float
    asymmetry: float


class WheelDriveComponent(ComponentFactory):
    """An endpoint for wheel speeds of shape (N,) in rad/s, the left wheels first, and their driver."""

    type = "bxi/wheel_drive"

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        left, right = config.strings("left"), config.strings("right")
        for index, name in enumerate(right):
            if name in left:
                raise config.error(f"right[{index}]", f"'{name}' is a wheel of the left side already")
        joints = [
            BindingRequest(BindingKind.JOINT, name, f"{side}[{index}]")
            for side, names in (("left", left), ("right", right))
            for index, name in enumerate(names)
        ]
        motors = read_motors(config, joints)
        answer = WheelMotor(
            top_speed=config.float("top_speed", above=0.0),
            dead_zone=config.float("dead_zone", 0.0, minimum=0.0, maximum=1.0),
            latency=config.float("latency", 0.0, minimum=0.0),
            kd=config.float("kd", above=0.0),
            gain_spread=config.float("gain_spread", 0.0, minimum=0.0, maximum=1.0),
            asymmetry=config.float("asymmetry", 0.0, minimum=0.0, maximum=1.0),
        )
        timeout = config.float("command_timeout", above=0.0) if "command_timeout" in config else None
        config.finish()
        endpoint = EndpointDescriptor(
            instance_id,
            "wheels",
            Channel("wheel_speed", "rad/s", (len(motors),)),
            (*left, *right),
            neutral=(0.0,) * len(motors),
            timeout_s=timeout,
        )
        driver = WheelDriverFactory(instance_id, motors, len(left), answer)
        return ComponentDefinition(
            instance_id, self.type, ComponentContributions(endpoints=(endpoint,), drivers=(driver,))
        )


@dataclass(frozen=True)
class WheelDriverFactory(DriverFactory):
    """The driver of the wheels of one endpoint; the first ``left`` of them are on the left side."""

    endpoint_id: str
    motors: tuple[Motor, ...]
    left: int
    answer: WheelMotor

    @property
    def id(self) -> str:
        return f"{self.endpoint_id}/driver"

    @property
    def endpoint(self) -> str:
        return self.endpoint_id

    def claims(self) -> tuple[StateClaim, ...]:
        return motor_claims(self.motors)

    def requests(self) -> Mapping[str, BindingRequest]:
        return motor_requests(self.motors)

    def validate_model(self, model: mujoco.MjModel, bindings: Bindings) -> Iterable[str]:
        yield from motor_misfits(model, self.motors, bindings)
        implicit = (mujoco.mjtIntegrator.mjINT_IMPLICIT, mujoco.mjtIntegrator.mjINT_IMPLICITFAST)
        if model.opt.integrator in implicit:
            return
        for index, motor in enumerate(self.motors):
            inertia = 1.0 / max(float(model.dof_invweight0[bindings[f"joint {index}"].dof]), 1e-12)
            most = 2.0 * inertia / model.opt.timestep
            if self.answer.kd >= most:
                yield (
                    f"kd {self.answer.kd:g} shakes {motor.joint} apart, whose inertia of {inertia:.2g} kg·m² "
                    f"stands less than {most:.2g} at this timestep; write "
                    f'<option integrator="implicitfast"/>.'
                )

    def create(self, bindings: Bindings, episode: Episode) -> WheelDriver:
        generator = episode.generator(self.id)
        common = 1.0 + self.answer.gain_spread * generator.uniform(-1.0, 1.0)
        between = self.answer.asymmetry * generator.uniform(-1.0, 1.0)
        gains = np.full(len(self.motors), common * (1.0 - between / 2))
        gains[: self.left] = common * (1.0 + between / 2)
        return WheelDriver(MotorBank(self.motors, bindings), self.answer, gains)


class WheelDriver(DriverRuntime):
    """Holds each wheel at its speed by ``kd``, with what was commanded ``latency`` seconds ago.

    A speed below the dead zone counts as zero, one above the top speed as the top speed; then the gains
    apply.
    """

    kept: ClassVar = ("_waiting", "_newest")

    def __init__(self, bank: MotorBank, answer: WheelMotor, gains: Values) -> None:
        self._bank = bank
        self._answer = answer
        self._gains = gains
        self._waiting: deque[tuple[float, list[float]]] = deque()
        self._newest = [0.0] * len(gains)

    def started(self, physics: Physics) -> None:
        self._bank.begin(physics)
        count = len(self._gains)
        self._bank.set_gains(np.array([[0.0] * count, [self._answer.kd] * count]))

    def restored(self, physics: Physics) -> None:
        self.started(physics)

    def drive(self, physics: Physics, command: Values) -> None:
        speeds: list[float] = command.tolist()
        if speeds != self._newest:
            self._newest = speeds
            self._waiting.append((physics.data.time + self._answer.latency, speeds))
        if self._waiting and self._waiting[0][0] <= physics.data.time + INSTANT:
            # Nobody else writes the controls, so they stay until the next command.
            while self._waiting and self._waiting[0][0] <= physics.data.time + INSTANT:
                _, speeds = self._waiting.popleft()
            self._bank.set_controls(self._gains * [self._turned(speed) for speed in speeds])

    def _turned(self, speed: float) -> float:
        """The control for a commanded speed in rad/s, before the gain of the wheel."""
        answer = self._answer
        if abs(speed) < answer.dead_zone * answer.top_speed:
            return 0.0
        return answer.kd * min(max(speed, -answer.top_speed), answer.top_speed)
