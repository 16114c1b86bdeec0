"""`Vehicle`: the base class of robots that are driven by throttle, steer and brake."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, final

import mujoco
import numpy as np

from bxi_framework.simulation.scene import ModelText
from bxi_framework.simulation.vehicles.commands import ControlCommand
from bxi_framework.simulation.vehicles.config_values import ConfigKeyValue
from bxi_framework.simulation.vehicles.descriptor import VehicleDescriptor
from bxi_framework.simulation.vehicles.link import Phase
from bxi_framework.simulation.vehicles.parts import Camera, Sensor, parts_of
from bxi_framework.simulation.vehicles.states import CameraFrame, VehicleState

if TYPE_CHECKING:
    from bxi_framework.simulation.vehicles.link import Link

ROOT = "root body"
FREE = "root joint"
"""What every vehicle's bindings hold besides its own parts; no attribute has such a name."""


class Vehicle(ABC):
    """One vehicle in one run. The class says what it is; `apply_control` is the one method to write.

    ``descriptor`` names it and its contract. ``model`` is its MJCF: a path from the folder of the class's
    file, or a `ModelText`; below the world it has exactly one body, which stands in the origin and looks
    along x. ``config_schema`` is a JSON Schema of the values that a scenario may give; without one it may
    give none. ``state_period_s`` is how often its state is read where no scalar sensor says so.

    A new object is made for every run, without arguments; what it keeps in attributes is part of a run's
    snapshot. Random numbers come from the seed of `reset_vehicle` alone.
    """

    descriptor: ClassVar[VehicleDescriptor]
    model: ClassVar[str | Path | ModelText]
    config_schema: ClassVar[Mapping[str, object] | str] = ""
    state_period_s: ClassVar[float] = 0.02
    id: ClassVar[str] = ""

    _link: Link

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.id = getattr(getattr(cls, "descriptor", None), "id", "")

    @classmethod
    def create(cls, config: Mapping[str, Any]) -> type[Vehicle]:
        """The class itself: what a Mod offers under its id. For loaders."""
        return cls

    @abstractmethod
    def apply_control(self, command: ControlCommand) -> None:
        """Drive: called once in every control period with the newest command, each number of it within the
        range that the contract states.
        """

    def read_state(self) -> VehicleState:
        """The state now. By default the pose of the body; with its velocities if it moves freely; in the
        telemetry the sensors of the model that the class declares under names of scalar sensors of the
        contract.
        """
        link = self._link
        data = link.physics.data
        root = link.bindings[ROOT]
        linear = angular = None
        if FREE in link.bindings:
            velocity = np.zeros(6)
            model, body = link.physics.model, mujoco.mjtObj.mjOBJ_XBODY
            mujoco.mj_objectVelocity(model, data, body, root.id, velocity, 0)
            angular, linear = velocity[:3], velocity[3:]
        scalars = {sensor.id for sensor in self.descriptor.contract.sensors if sensor.shape == (1,)}
        return VehicleState(
            time=self.time,
            position=data.xpos[root.id],
            quaternion=data.xquat[root.id],
            linear_velocity=linear,  # type: ignore[arg-type]
            angular_velocity=angular,  # type: ignore[arg-type]
            speed=None if linear is None else float(np.linalg.norm(linear)),
            telemetry={
                part.name: link.handle(attribute).value
                for attribute, part in parts_of(type(self)).items()
                if isinstance(part, Sensor) and part.name in scalars
            },
        )

    def try_read_camera_frame(self) -> CameraFrame | None:
        """The newest picture; None without one. By default that of the one `Camera` that the class declares,
        if there is exactly one.
        """
        cameras = [name for name, part in parts_of(type(self)).items() if isinstance(part, Camera)]
        if len(cameras) != 1:
            return None
        frame: CameraFrame | None = self._link.handle(cameras[0]).frame()
        return frame

    def apply_vehicle_config(self, values: Sequence[ConfigKeyValue]) -> None:  # noqa: B027
        """Take the scenario's values, sorted by key, before `reset_vehicle` at the start of every run. By
        default nothing happens.
        """

    def set_peer_visibility(self, visible: bool) -> None:
        """Show or hide this vehicle in the pictures of all others; its own camera always sees it."""
        self._link.visible = bool(visible)

    def reset_vehicle(self, seed: int) -> None:  # noqa: B027
        """Set the state at the start of a run, drawing from ``seed`` alone. The vehicle stands at its place
        in the scenario already, with all joints and velocities as in its model. By default that is all.
        """

    @final
    @property
    def name(self) -> str:
        """The id of this vehicle in its world."""
        return self._link.vehicle_id

    @final
    @property
    def time(self) -> float:
        """The time of the simulation in s."""
        return float(self._link.physics.data.time)

    @final
    def place(self, forward: float = 0.0, left: float = 0.0, yaw: float = 0.0) -> None:
        """Move the vehicle from its place in the scenario, by m and rad in the axes that it has there; in
        reset_vehicle.

        Raises:
            ValueError: a number is not finite.
            NotAllowedError: another method runs, or the vehicle cannot move freely.
        """
        link = self._link
        link.require("the place", Phase.RESET)
        if FREE not in link.bindings:
            link.require("the place without a free joint")
        if not all(math.isfinite(value) for value in (forward, left, yaw)):
            raise ValueError(f"a place must be finite, not {forward}, {left}, {yaw}")
        start = link.bindings[FREE].address
        pose = link.physics.model.qpos0[start : start + 7]
        shift, turn = np.zeros(3), np.array([math.cos(yaw / 2.0), 0.0, 0.0, math.sin(yaw / 2.0)])
        mujoco.mju_rotVecQuat(shift, np.array([forward, left, 0.0]), pose[3:])
        turned = np.zeros(4)
        mujoco.mju_mulQuat(turned, pose[3:], turn)
        link.physics.data.qpos[start : start + 7] = (*(pose[:3] + shift), *turned)
