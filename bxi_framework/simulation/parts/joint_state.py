"""``bxi/joint_state``: position, velocity and effort of joints, with noise if wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.bindings import BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.capabilities import DeviceFactory
from bxi_framework.simulation.components import ComponentContributions, ComponentDefinition, ComponentFactory
from bxi_framework.simulation.descriptors import Channel, DeviceDescriptor
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.parts.motors import as_index
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import DeviceRuntime, Reading

UNITS = {"position": "rad", "velocity": "rad/s", "effort": "N·m"}


class JointStateComponent(ComponentFactory):
    """A device with one column for each joint."""

    type = "bxi/joint_state"

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        joints = config.strings("joints")
        period = config.float("period_s", above=0.0)
        noise = config.block("noise")
        deviations = tuple(noise.float(name, 0.0, minimum=0.0) for name in UNITS)
        config.finish()
        device = JointStateFactory(instance_id, joints, period, deviations)
        return ComponentDefinition(instance_id, self.type, ComponentContributions(devices=(device,)))


@dataclass(frozen=True)
class JointStateFactory(DeviceFactory):
    """The device of some joints; ``deviations`` are the standard deviations of the noise of each channel."""

    name: str
    joints: tuple[str, ...]
    period_s: float
    deviations: tuple[float, ...]

    @property
    def descriptor(self) -> DeviceDescriptor:
        shape = (len(self.joints),)
        channels = tuple(Channel(name, unit, shape) for name, unit in UNITS.items())
        return DeviceDescriptor(
            self.name, "joint_state", self.period_s, channels, {"joints": list(self.joints)}
        )

    def requests(self) -> Mapping[str, BindingRequest]:
        return {
            name: BindingRequest(BindingKind.JOINT, name, f"joints[{index}]")
            for index, name in enumerate(self.joints)
        }

    def validate_model(self, model: mujoco.MjModel, bindings: Bindings) -> Iterable[str]:
        for name in self.joints:
            if bindings[name].size != 1:
                yield f"joint '{name}' is neither a hinge nor a slide, so it has no single position."

    def create(self, bindings: Bindings, episode: Episode) -> JointStateRuntime:
        return JointStateRuntime(self, bindings, episode.generator(self.name))


class JointStateRuntime(DeviceRuntime):
    """Reads position and velocity as they are now, and the effort of the last physics step."""

    kept: ClassVar = ("_generator",)

    def __init__(self, device: JointStateFactory, bindings: Bindings, generator: np.random.Generator) -> None:
        found = [bindings[name] for name in device.joints]
        self._positions = as_index([binding.address for binding in found])
        self._velocities = as_index([binding.dof for binding in found])
        self._deviations = dict(zip(UNITS, device.deviations, strict=True))
        self._generator = generator
        self._values = {name: np.zeros(len(found)) for name in UNITS}

    def started(self, physics: Physics) -> None:
        # The arrays of the physics stay the same ones as long as the run lasts.
        data = physics.data
        sources = (
            ("position", data.qpos, self._positions),
            ("velocity", data.qvel, self._velocities),
            ("effort", data.qfrc_actuator, self._velocities),
        )
        self._views = [
            (self._values[name], array[index]) for name, array, index in sources if isinstance(index, slice)
        ]
        self._scattered = [
            (self._values[name], array, index)
            for name, array, index in sources
            if not isinstance(index, slice)
        ]
        self._noisy = [(self._values[name], each) for name, each in self._deviations.items() if each]

    def sample(self, physics: Physics) -> Reading:
        for target, view in self._views:
            target[:] = view
        for target, array, index in self._scattered:
            target[:] = array[index]
        for array, deviation in self._noisy:
            array += deviation * self._generator.standard_normal(len(array))
        return self._values
