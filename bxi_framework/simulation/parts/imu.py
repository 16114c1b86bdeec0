"""``bxi/imu``: orientation, angular velocity and linear acceleration, from sensors of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import mujoco
import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.bindings import BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.capabilities import DeviceFactory
from bxi_framework.simulation.components import ComponentContributions, ComponentDefinition, ComponentFactory
from bxi_framework.simulation.descriptors import Channel, DeviceDescriptor
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import DeviceRuntime, Reading, Values

SITE: Final = "site"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One of the three measurements and the sensor of MuJoCo that gives it."""

    name: str
    unit: str
    size: int
    sensor: mujoco.mjtSensor
    element: str


QUANTITIES: Final = (
    Quantity(
        "orientation", "", 4, mujoco.mjtSensor.mjSENS_FRAMEQUAT, '<framequat objtype="site" objname="{}"/>'
    ),
    Quantity("angular_velocity", "rad/s", 3, mujoco.mjtSensor.mjSENS_GYRO, '<gyro site="{}"/>'),
    Quantity(
        "linear_acceleration", "m/s²", 3, mujoco.mjtSensor.mjSENS_ACCELEROMETER, '<accelerometer site="{}"/>'
    ),
)


class ImuComponent(ComponentFactory):
    """A device with three channels, from the sensors at a site or from three named sensors."""

    type = "bxi/imu"

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        names = {quantity.name for quantity in QUANTITIES}
        if SITE in config and any(name in config for name in names):
            raise config.error(SITE, "stands in for the names of the three sensors; keep one of both")
        sources = (SITE,) if SITE in config else tuple(quantity.name for quantity in QUANTITIES)
        if SITE not in config and not any(name in config for name in names):
            raise config.error(SITE, f"is missing; name a site, or the sensors {', '.join(sources)}")
        requests = {
            key: BindingRequest(
                BindingKind.SITE if key == SITE else BindingKind.SENSOR, config.string(key), key
            )
            for key in sources
        }
        period = config.float("period_s", above=0.0)
        noise, bias = config.block("noise"), config.block("bias")
        device = ImuFactory(
            instance_id,
            tuple(requests.items()),
            period,
            tuple(noise.float(quantity.name, 0.0, minimum=0.0) for quantity in QUANTITIES),
            tuple(bias.float(quantity.name, 0.0, minimum=0.0) for quantity in QUANTITIES[1:]),
        )
        config.finish()
        return ComponentDefinition(instance_id, self.type, ComponentContributions(devices=(device,)))


@dataclass(frozen=True)
class ImuFactory(DeviceFactory):
    """The device of one unit. ``noise`` holds standard deviations per reading (rad, rad/s, m/s²), ``bias``
    those from which the constant errors of an episode are drawn (rad/s, m/s²).
    """

    name: str
    sources: tuple[tuple[str, BindingRequest], ...]
    period_s: float
    noise: tuple[float, ...]
    bias: tuple[float, ...]

    @property
    def descriptor(self) -> DeviceDescriptor:
        channels = tuple(Channel(each.name, each.unit, (each.size,)) for each in QUANTITIES)
        return DeviceDescriptor(self.name, "imu", self.period_s, channels, {"orientation": "w, x, y, z"})

    def requests(self) -> Mapping[str, BindingRequest]:
        return dict(self.sources)

    def validate_model(self, model: mujoco.MjModel, bindings: Bindings) -> Iterable[str]:
        for quantity in QUANTITIES:
            if SITE in bindings:
                site = bindings[SITE]
                if _sensor_at(model, quantity, site.id) is None:
                    element = quantity.element.format(site.request.name)
                    yield f"{site.request} has no sensor of the {quantity.name}; add {element} to <sensor>."
            elif model.sensor_type[bindings[quantity.name].id] != quantity.sensor:
                element = quantity.element.format("...")
                yield f"{bindings[quantity.name].request} is no {quantity.name}; name one such as {element}."

    def create(self, bindings: Bindings, episode: Episode) -> ImuRuntime:
        return ImuRuntime(self, bindings, episode.generator(self.name))


def _sensor_at(model: mujoco.MjModel, quantity: Quantity, site: int) -> int | None:
    """The first sensor of a quantity at a site; frames relative to another thing do not count."""
    fits = (
        (model.sensor_type == quantity.sensor)
        & (model.sensor_objtype == mujoco.mjtObj.mjOBJ_SITE)
        & (model.sensor_objid == site)
        & (model.sensor_refid == -1)
    )
    found = np.flatnonzero(fits)
    return int(found[0]) if len(found) else None


class ImuRuntime(DeviceRuntime):
    """Copies the sensors, then adds this episode's bias and noise."""

    kept: ClassVar = ("_generator",)

    def __init__(self, device: ImuFactory, bindings: Bindings, generator: np.random.Generator) -> None:
        self._bindings = bindings
        self._noise = device.noise
        self._generator = generator
        # Drawn even where the deviation is zero, so that one setting does not change the others' numbers.
        self._bias = [deviation * generator.standard_normal(3) for deviation in device.bias]
        self._values = {each.name: np.zeros(each.size) for each in QUANTITIES}
        self._orientation, *self._vectors = self._values.values()

    def started(self, physics: Physics) -> None:
        # The arrays of the physics stay the same ones as long as the run lasts.
        model, sensordata = physics.model, physics.data.sensordata
        sources = []
        for quantity in QUANTITIES:
            if SITE in self._bindings:
                sensor = _sensor_at(model, quantity, self._bindings[SITE].id)
                address = int(model.sensor_adr[sensor])
            else:
                address = self._bindings[quantity.name].address
            sources.append(sensordata[address : address + quantity.size])
        self._source = sources[0]
        self._rows = tuple(zip(self._vectors, sources[1:], self._bias, self._noise[1:], strict=True))

    def sample(self, physics: Physics) -> Reading:
        self._orientation[:] = self._source
        if self._noise[0]:
            _turn(self._orientation, self._noise[0] * self._generator.standard_normal(3))
        for vector, source, bias, noise in self._rows:
            np.add(source, bias, out=vector)
            if noise:
                vector += noise * self._generator.standard_normal(3)
        return self._values


def _turn(orientation: Values, rotation: Values) -> None:
    """Turn a quaternion (w, x, y, z) by a rotation vector (rad) in its own frame."""
    mujoco.mju_quatIntegrate(orientation, rotation, 1.0)
