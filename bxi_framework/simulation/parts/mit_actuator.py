"""``bxi/mit_actuator``: joints that take motor frames.

Their torque is kp·(q* − q) + kd·(v* − v) + t, clamped to the joint's effort.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import mujoco
import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.robot import FIELDS
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


class MitActuatorComponent(ComponentFactory):
    """An endpoint for frames of shape (5, N), rows as in `robot.FIELDS`, and the driver of the N joints."""

    type = "bxi/mit_actuator"

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        joints = config.strings("joints")
        motors = read_motors(
            config,
            [
                BindingRequest(BindingKind.JOINT, name, f"joints[{index}]")
                for index, name in enumerate(joints)
            ],
        )
        timeout = config.float("command_timeout", above=0.0) if "command_timeout" in config else None
        config.finish()
        shape = (len(FIELDS), len(joints))
        endpoint = EndpointDescriptor(
            instance_id,
            "mit",
            Channel("motor_frame", "", shape),
            joints,
            neutral=(0.0,) * (shape[0] * shape[1]),
            timeout_s=timeout,
        )
        return ComponentDefinition(
            instance_id,
            self.type,
            ComponentContributions(endpoints=(endpoint,), drivers=(MitDriverFactory(instance_id, motors),)),
        )


@dataclass(frozen=True)
class MitDriverFactory(DriverFactory):
    """The driver of the joints of one endpoint."""

    endpoint_id: str
    motors: tuple[Motor, ...]

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
        return motor_misfits(model, self.motors, bindings)

    def create(self, bindings: Bindings, episode: Episode) -> MitDriver:
        return MitDriver(MotorBank(self.motors, bindings), len(self.motors))


class MitDriver(DriverRuntime):
    """Writes the newest frame into the actuators; all zero, as until the first frame, is power off."""

    kept: ClassVar = ("_frame",)

    def __init__(self, bank: MotorBank, count: int) -> None:
        self._bank = bank
        self._shares = np.zeros((2, count))
        self._hold(np.zeros((len(FIELDS), count)))

    def _hold(self, frame: Values) -> None:
        """Take a frame and its parts. A run gives the same array each time, so they are not sought again."""
        self._frame = frame
        self._targets, self._gains, self._torque = frame[0:2], frame[2:4], frame[4]

    def restore(self, kept: Mapping[str, Any]) -> None:
        self._hold(kept["_frame"].copy())

    def started(self, physics: Physics) -> None:
        self._bank.begin(physics)
        self._written = b""
        self._write()

    def restored(self, physics: Physics) -> None:
        self.started(physics)

    def drive(self, physics: Physics, command: Values) -> None:
        if command is not self._frame:
            self._hold(command)
        self._write()

    def _write(self) -> None:
        shares = np.multiply(self._gains, self._targets, self._shares)
        # Gains stay the same for long, and nobody else writes them.
        gains = self._gains.tobytes()
        if gains != self._written:
            self._bank.set_gains(self._gains)
            self._written = gains
        self._bank.set_controls(shares[0] + shares[1], self._torque)
