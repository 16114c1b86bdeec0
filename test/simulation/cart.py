"""A small world for the tests: a cart on a rail with a pendulum, and parts of every role that work on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.render import render_text
from bxi_framework.mod_api import ConfigReader
from bxi_framework.simulation import (
    BindingKind,
    BindingRequest,
    Bindings,
    Channel,
    ClaimKind,
    ComponentContributions,
    ComponentDecl,
    ComponentDefinition,
    ComponentFactory,
    DeviceDescriptor,
    DeviceFactory,
    DeviceRuntime,
    DriverFactory,
    DriverRuntime,
    EndpointDescriptor,
    Episode,
    Extension,
    InputDescriptor,
    InteractionFactory,
    InteractionRuntime,
    ModelText,
    Physics,
    PrescribedStateFactory,
    PrescribedStateRuntime,
    Scene,
    Simulation,
    SimulationBuilder,
    StateClaim,
    Values,
)

MJCF = """\
<mujoco model="cart">
  <option timestep="0.004"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="gate" mocap="true" pos="2 0 0.5"><geom name="gate" type="box" size="0.1 0.5 0.5"/></body>
    <body name="cart" pos="0 0 0.5">
      <joint name="rail" type="slide" axis="1 0 0" damping="0.1"/>
      <geom name="hull" type="box" size="0.2 0.1 0.05" mass="1"/>
      <site name="nose" pos="0.2 0 0" zaxis="1 0 0"/>
      <camera name="eye" pos="0.2 0 0.1"/>
      <body name="pole">
        <joint name="hinge" type="hinge" axis="0 1 0"/>
        <geom name="rod" type="capsule" size="0.02" fromto="0 0 0 0 0 0.4" mass="0.2"/>
      </body>
    </body>
    <body name="ball" pos="-2 0 0.3">
      <freejoint name="loose"/>
      <geom name="ball" type="sphere" size="0.1" mass="0.3"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="push" joint="rail" ctrlrange="-20 20" ctrllimited="true"/>
    <position name="servo" joint="hinge" kp="2"/>
  </actuator>
  <sensor>
    <rangefinder name="ahead" site="nose"/>
    <jointpos name="rail_pos" joint="rail"/>
    <accelerometer name="shake" site="nose"/>
  </sensor>
</mujoco>
"""


@dataclass(frozen=True)
class Push(DriverFactory):
    """Drives the motor of the cart with one number."""

    id: str = "push.driver"
    endpoint: str = "push"
    actuator: str = "push"

    def requests(self) -> Mapping[str, BindingRequest]:
        return {"motor": BindingRequest(BindingKind.ACTUATOR, self.actuator, "actuator")}

    def claims(self) -> tuple[StateClaim, ...]:
        return (StateClaim(ClaimKind.ACTUATOR, self.actuator),)

    def create(self, bindings: Bindings, episode: Episode) -> DriverRuntime:
        return PushRuntime(bindings["motor"].address)


class PushRuntime(DriverRuntime):
    def __init__(self, address: int) -> None:
        self.address = address

    def drive(self, physics: Physics, command: Values) -> None:
        physics.data.ctrl[self.address] = command[0]


class PushFactory(ComponentFactory):
    type = "test/push"

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        actuator = config.string("actuator")
        config.finish()
        endpoint = EndpointDescriptor(instance_id, "force", Channel("force", "N", (1,)), (actuator,), (0.0,))
        driver = Push(f"{instance_id}.driver", instance_id, actuator)
        return ComponentDefinition(
            instance_id, self.type, ComponentContributions(endpoints=(endpoint,), drivers=(driver,))
        )


class Meter(DeviceFactory):
    """Reads one sensor of the model, with noise and a count of its own."""

    descriptor: DeviceDescriptor = None  # type: ignore[assignment]

    def __init__(self, descriptor: DeviceDescriptor, sensor: str) -> None:
        self.descriptor = descriptor
        self.sensor = sensor

    def requests(self) -> Mapping[str, BindingRequest]:
        return {"sensor": BindingRequest(BindingKind.SENSOR, self.sensor, "sensor")}

    def validate_model(self, model: Any, bindings: Bindings) -> Iterable[str]:
        if bindings["sensor"].size != 1:
            yield f"the sensor '{self.sensor}' gives {bindings['sensor'].size} values, not 1."

    def create(self, bindings: Bindings, episode: Episode) -> DeviceRuntime:
        return MeterRuntime(bindings["sensor"].address, episode.generator(self.id))


class MeterRuntime(DeviceRuntime):
    kept: ClassVar[tuple[str, ...]] = ("random", "taken")

    def __init__(self, address: int, random: np.random.Generator) -> None:
        self.address = address
        self.random = random
        self.taken = 0

    def sample(self, physics: Physics) -> Mapping[str, Values]:
        self.taken += 1
        value = physics.data.sensordata[self.address] + 1e-3 * self.random.standard_normal()
        return {"value": np.array([value]), "taken": np.array([float(self.taken)])}


class MeterFactory(ComponentFactory):
    type = "test/meter"

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        sensor, period = config.string("sensor"), config.float("period_s", 0.01, minimum=0.0)
        config.finish()
        channels = (Channel("value", "m", (1,)), Channel("taken", "", (1,)))
        meter = Meter(DeviceDescriptor(instance_id, "meter", period, channels), sensor)
        return ComponentDefinition(instance_id, self.type, ComponentContributions(devices=(meter,)))


@dataclass(frozen=True)
class Gate(PrescribedStateFactory):
    """Moves the gate up and down by the clock and an input."""

    id: str = "gate"

    def requests(self) -> Mapping[str, BindingRequest]:
        return {"gate": BindingRequest(BindingKind.BODY, "gate")}

    def claims(self) -> tuple[StateClaim, ...]:
        return (StateClaim(ClaimKind.BODY, "gate"),)

    def create(self, bindings: Bindings, episode: Episode) -> PrescribedStateRuntime:
        return GateRuntime(bindings["gate"].id)


class GateRuntime(PrescribedStateRuntime):
    def __init__(self, body: int) -> None:
        self.body = body

    def prescribe(self, physics: Physics, inputs: Mapping[str, Values]) -> None:
        mocap = physics.model.body_mocapid[self.body]
        physics.data.mocap_pos[mocap, 2] = 0.5 + np.sin(physics.data.time) + inputs["lift"][0]


@dataclass(frozen=True)
class Wind(InteractionFactory):
    """Blows against the ball, by chance."""

    id: str = "wind"

    def requests(self) -> Mapping[str, BindingRequest]:
        return {"ball": BindingRequest(BindingKind.BODY, "ball")}

    def create(self, bindings: Bindings, episode: Episode) -> InteractionRuntime:
        return WindRuntime(bindings["ball"].id, episode.generator(self.id))


class WindRuntime(InteractionRuntime):
    kept: ClassVar[tuple[str, ...]] = ("random",)

    def __init__(self, body: int, random: np.random.Generator) -> None:
        self.body = body
        self.random = random

    def act(self, physics: Physics, inputs: Mapping[str, Values]) -> None:
        physics.data.xfrc_applied[self.body, 0] += self.random.standard_normal()


class Weather(Extension):
    """Brings the gate, its input and the wind."""

    id = "test.weather"
    version = "1.0"

    def configure(self, configuring: Any) -> None:
        configuring.add_input(InputDescriptor("lift", Channel("height", "m", (1,)), (0.0,), timeout_s=0.5))
        configuring.add_prescribed_state(Gate())
        configuring.add_interaction(Wind())


TYPES: tuple[ComponentFactory, ...] = (PushFactory(), MeterFactory())

PUSH = ComponentDecl("push", "test/push", {"actuator": "push"})
AHEAD = ComponentDecl("front", "test/meter", {"sensor": "ahead", "period_s": 0.006})
RAIL = ComponentDecl("odometer", "test/meter", {"sensor": "rail_pos", "period_s": 0.05})


@dataclass(frozen=True)
class World:
    """Arguments of a build."""

    components: tuple[ComponentDecl, ...] = (PUSH, AHEAD, RAIL)
    extensions: tuple[Extension, ...] = field(default_factory=lambda: (Weather(),))
    settings: Mapping[str, Any] = field(default_factory=dict)
    types: tuple[ComponentFactory, ...] = TYPES

    def builder(self) -> SimulationBuilder:
        settings = {"model": ModelText(MJCF), "timestep": 0.002, "control_period": 0.02, **self.settings}
        builder = SimulationBuilder(Scene(components=self.components, **settings), types=self.types)
        for extension in self.extensions:
            builder.add_extension(extension)
        return builder


def built(world: World | None = None) -> Simulation:
    """The simulation of a sound world."""
    report = Report()
    simulation = (world or World()).builder().build(report)
    assert simulation is not None, render_text(report, colour=False)
    return simulation


def faults(world: World) -> list[Any]:
    """The diagnostics of an unsound world."""
    report = Report()
    assert world.builder().build(report) is None
    return list(report)
