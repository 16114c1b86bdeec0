"""``bxi/rangefinder``: the distance that a rangefinder of the model sees."""

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
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import DeviceRuntime, Reading

NO_ECHO = -1.0
"""What MuJoCo itself gives where nothing is hit."""


class RangefinderComponent(ComponentFactory):
    """A device with one distance; offered under more than one type name."""

    type = "bxi/rangefinder"

    def __init__(self, type_name: str = "bxi/rangefinder") -> None:
        self.type = type_name

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        nearest = config.float("range_min", minimum=0.0)
        device = RangefinderFactory(
            instance_id,
            sensor=config.string("sensor"),
            period_s=config.float("period_s", above=0.0),
            range_min=nearest,
            range_max=config.float("range_max", above=nearest),
            out_of_range=config.float("out_of_range", NO_ECHO),
            noise=config.float("noise", 0.0, minimum=0.0),
        )
        config.finish()
        return ComponentDefinition(instance_id, self.type, ComponentContributions(devices=(device,)))


@dataclass(frozen=True)
class RangefinderFactory(DeviceFactory):
    """The device of one sensor; ranges, ``out_of_range`` and the noise's standard deviation in metres."""

    name: str
    sensor: str
    period_s: float
    range_min: float
    range_max: float
    out_of_range: float
    noise: float

    @property
    def descriptor(self) -> DeviceDescriptor:
        properties = {
            "range_min": self.range_min,
            "range_max": self.range_max,
            "out_of_range": self.out_of_range,
        }
        channels = (Channel("range", "m", ()),)
        return DeviceDescriptor(self.name, "rangefinder", self.period_s, channels, properties)

    def requests(self) -> Mapping[str, BindingRequest]:
        return {"sensor": BindingRequest(BindingKind.SENSOR, self.sensor, "sensor")}

    def validate_model(self, model: mujoco.MjModel, bindings: Bindings) -> Iterable[str]:
        sensor = bindings["sensor"]
        if model.sensor_type[sensor.id] != mujoco.mjtSensor.mjSENS_RANGEFINDER or sensor.size != 1:
            yield (
                f"sensor '{self.sensor}' is not a rangefinder with one ray; write "
                f'<rangefinder name="{self.sensor}" site="..."/>.'
            )
        cutoff = float(model.sensor_cutoff[sensor.id])
        if 0.0 < cutoff <= self.range_max:
            yield (
                f"the cutoff {cutoff:g} of sensor '{self.sensor}' is not beyond range_max "
                f"{self.range_max:g}, so nothing could be out of range; leave it out of the model."
            )

    def create(self, bindings: Bindings, episode: Episode) -> RangefinderRuntime:
        return RangefinderRuntime(self, bindings["sensor"].address, episode.generator(self.name))


class RangefinderRuntime(DeviceRuntime):
    """Gives the distance if it is within the range after noise, else the written value."""

    kept: ClassVar = ("_generator",)

    def __init__(self, device: RangefinderFactory, address: int, generator: np.random.Generator) -> None:
        self._device = device
        self._address = address
        self._generator = generator
        self._range = np.zeros(())

    def sample(self, physics: Physics) -> Reading:
        device = self._device
        distance = physics.data.sensordata[self._address]
        # Without an echo noise must not lift the distance into the range.
        if device.noise and distance >= 0.0:
            distance += device.noise * self._generator.standard_normal()
        seen = device.range_min <= distance <= device.range_max
        self._range[...] = distance if seen else device.out_of_range
        return {"range": self._range}
