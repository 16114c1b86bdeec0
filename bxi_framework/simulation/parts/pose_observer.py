"""``bxi/pose_observer``: the true pose and velocity of a body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.bindings import BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.capabilities import DeviceFactory
from bxi_framework.simulation.components import ComponentContributions, ComponentDefinition, ComponentFactory
from bxi_framework.simulation.descriptors import Channel, DeviceDescriptor
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import DeviceRuntime, Reading


class PoseObserverComponent(ComponentFactory):
    """A device that knows the truth, for judging and drawing; no real robot has it."""

    type = "bxi/pose_observer"

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        device = PoseObserverFactory(instance_id, config.string("body"), config.float("period_s", above=0.0))
        config.finish()
        return ComponentDefinition(instance_id, self.type, ComponentContributions(devices=(device,)))


@dataclass(frozen=True)
class PoseObserverFactory(DeviceFactory):
    """The device of one body."""

    name: str
    body: str
    period_s: float

    @property
    def descriptor(self) -> DeviceDescriptor:
        channels = (
            Channel("position", "m", (3,)),
            Channel("orientation", "", (4,)),
            Channel("linear_velocity", "m/s", (3,)),
            Channel("angular_velocity", "rad/s", (3,)),
        )
        properties = {"body": self.body, "orientation": "w, x, y, z"}
        return DeviceDescriptor(self.name, "pose", self.period_s, channels, properties)

    def requests(self) -> Mapping[str, BindingRequest]:
        return {"body": BindingRequest(BindingKind.BODY, self.body, "body")}

    def create(self, bindings: Bindings, episode: Episode) -> PoseObserverRuntime:
        return PoseObserverRuntime(bindings["body"].id)


class PoseObserverRuntime(DeviceRuntime):
    """Pose and velocity of the body's frame in the frame of the world, as of the last physics step."""

    def __init__(self, body: int) -> None:
        self._body = body
        self._position = np.zeros(3)
        self._orientation = np.zeros(4)
        self._velocity = np.zeros(6)
        self._values = {
            "position": self._position,
            "orientation": self._orientation,
            # MuJoCo gives the rotation first.
            "linear_velocity": self._velocity[3:],
            "angular_velocity": self._velocity[:3],
        }

    def sample(self, physics: Physics) -> Reading:
        model, data = physics.model, physics.data
        self._position[:] = data.xpos[self._body]
        self._orientation[:] = data.xquat[self._body]
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, self._body, self._velocity, 0)
        return self._values
