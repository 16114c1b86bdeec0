"""A small rover with two driven wheels, a camera and two scalar sensors, and an arena with boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.render import render_text
from bxi_framework.mod_api import (
    ActuatorDescriptor,
    ContractVersion,
    DeviceContract,
    ParameterError,
    SensorDescriptor,
)
from bxi_framework.simulation import ModelText, Scene, Simulation, SimulationBuilder, TrackDecl, VehicleDecl
from bxi_framework.simulation.from_mods import ModExtensions
from bxi_framework.simulation.vehicles import (
    Actuator,
    Body,
    Camera,
    ConfigKeyValue,
    ControlCommand,
    Geom,
    Joint,
    Sensor,
    Track,
    TrackDescriptor,
    Vehicle,
    VehicleDescriptor,
    VehicleState,
)

MJCF = """\
<mujoco model="rover">
  <default>
    <geom density="600"/>
    <default class="wheel">
      <joint type="hinge" axis="0 1 0" damping="0.002" armature="0.001"/>
      <geom type="cylinder" size="0.03 0.01" euler="90 0 0" friction="1.2"/>
    </default>
  </default>
  <worldbody>
    <body name="chassis" pos="0 0 0.04">
      <freejoint/>
      <geom name="hull" type="box" size="0.1 0.06 0.02" rgba="0.1 0.6 0.2 1"/>
      <geom name="caster" type="sphere" size="0.018" pos="-0.08 0 -0.022" friction="0.001"/>
      <camera name="front" pos="0.11 0 0.02" xyaxes="0 -1 0 0 0 1" fovy="60"/>
      <site name="nose" pos="0.11 0 0" zaxis="1 0 0"/>
      <body name="left_wheel" pos="0.05 0.08 -0.01">
        <joint name="left" class="wheel"/><geom name="left_tyre" class="wheel"/>
      </body>
      <body name="right_wheel" pos="0.05 -0.08 -0.01">
        <joint name="right" class="wheel"/><geom name="right_tyre" class="wheel"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <velocity name="left" joint="left" kv="0.02" ctrlrange="-30 30"/>
    <velocity name="right" joint="right" kv="0.02" ctrlrange="-30 30"/>
  </actuator>
  <sensor>
    <rangefinder name="ahead" site="nose" cutoff="5"/>
  </sensor>
</mujoco>
"""

CONFIG: dict[str, Any] = {
    "properties": {
        "top_speed": {"type": "number", "minimum": 0.0, "maximum": 30.0, "default": 20.0},
        "mass": {"type": "number", "exclusiveMinimum": 0.0},
        "grip": {"type": "number"},
        "turned": {"type": "boolean", "default": False},
    }
}

ROVER_ID = "vehicle.acme.rover.v1"


def sensors(*, camera: bool) -> tuple[SensorDescriptor, ...]:
    scalars = (
        SensorDescriptor("ahead", "scalar", "float32", (1,), 50.0, "m"),
        SensorDescriptor("left_turns", "scalar", "float32", (1,), 20.0),
    )
    picture = SensorDescriptor("camera", "camera", "raw", (24, 32, 3), 20.0)
    return (picture, *scalars) if camera else scalars


def contract(vehicle_id: str, *, camera: bool = False) -> DeviceContract:
    return DeviceContract(
        device_id=vehicle_id,
        device_type="ground_robot_differential",
        sensors=sensors(camera=camera),
        actuators=(
            ActuatorDescriptor("throttle", "continuous", -1.0, 1.0),
            ActuatorDescriptor("steer", "continuous", -1.0, 1.0),
            ActuatorDescriptor("brake", "continuous", 0.0, 1.0),
        ),
    )


def describe(vehicle_id: str, *, camera: bool = False) -> VehicleDescriptor:
    return VehicleDescriptor(
        vehicle_id, "Rover", ContractVersion(1, 2, 0), contract(vehicle_id, camera=camera)
    )


class Rover(Vehicle):
    """Left = throttle - steer, right = throttle + steer; it counts its own control periods."""

    descriptor = describe(ROVER_ID)
    model = ModelText(MJCF)
    config_schema = CONFIG

    left = Actuator("left")
    right = Actuator("right")
    left_joint = Joint("left")
    chassis = Body("chassis")
    left_tyre = Geom("left_tyre")
    ahead = Sensor("ahead")

    def __init__(self) -> None:
        self.top_speed = 0.0
        self.turned = False
        self.periods = 0
        self.noise = np.random.default_rng(0)

    def apply_vehicle_config(self, values: Sequence[ConfigKeyValue]) -> None:
        for value in values:
            number: Any = value.value
            if value.key == "top_speed":
                self.top_speed = number
            elif value.key == "mass":
                self.chassis.set_mass(number)
            elif value.key == "turned":
                self.turned = number
            elif number < 0.0:
                raise ParameterError("grip", "must not be negative")
            else:
                self.left_tyre.set_friction(number)

    def reset_vehicle(self, seed: int) -> None:
        self.noise = np.random.default_rng(seed)
        if self.turned:
            self.place(yaw=self.noise.uniform(-1.0, 1.0))

    def apply_control(self, command: ControlCommand) -> None:
        self.periods += 1
        scale = self.top_speed * (1.0 - command.brake) * (1.0 + 0.01 * self.noise.standard_normal())
        self.left.set(scale * max(-1.0, min(1.0, command.throttle - command.steer)))
        self.right.set(scale * max(-1.0, min(1.0, command.throttle + command.steer)))

    def read_state(self) -> VehicleState:
        state = super().read_state()
        turns = self.left_joint.position / (2.0 * np.pi)
        return replace(state, telemetry={**state.telemetry, "left_turns": turns})


class SeeingRover(Rover):
    """The same with a camera."""

    descriptor = describe("vehicle.acme.seeing.v1", camera=True)
    front = Camera("front")


class Arena(Track):
    """A square floor with walls, and boxes that stand elsewhere in each run."""

    descriptor = TrackDescriptor(
        "track.arena.v1",
        "Arena",
        ContractVersion(1, 0, 0),
        {
            "type": "object",
            "properties": {
                "size": {"type": "number", "minimum": 1.0, "maximum": 20.0, "default": 5.0},
                "boxes": {"type": "integer", "minimum": 0, "maximum": 9},
                "floor": {"type": "string", "enum": ["plywood", "carpet"], "default": "carpet"},
            },
            "required": ["boxes"],
        },
    )

    def make_model(self) -> ModelText:
        half = self.parameters["size"] / 2.0
        boxes = "".join(
            f'<body name="box_{n}" mocap="true" pos="{n} {half} 0.1">'
            '<geom type="box" size="0.1 0.1 0.1"/></body>'
            for n in range(self.parameters["boxes"])
        )
        friction = {"plywood": 0.6, "carpet": 1.0}[self.parameters["floor"]]
        return ModelText(
            f"""<mujoco model="arena"><worldbody>
            <light pos="0 0 4"/>
            <geom name="floor" type="plane" size="{half} {half} 0.1" friction="{friction}"/>
            <geom name="wall" type="box" size="0.05 {half} 0.2" pos="{half} 0 0.2"/>{boxes}
            </worldbody></mujoco>"""
        )

    def movable(self) -> Sequence[str]:
        return [f"box_{n}" for n in range(self.parameters["boxes"])]

    def reset_track(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        for name in self.movable():
            x, y = rng.uniform(1.0, 2.0, 2)
            self.place(name, (x, y, 0.1), rng.uniform(-3.0, 3.0))


ARENA = TrackDecl("track.arena.v1", {"boxes": 2})
OFFERS: tuple[type, ...] = (Rover, SeeingRover, Arena)


def scene(
    *vehicles: VehicleDecl,
    track: TrackDecl | None = ARENA,
    model: Path | ModelText | None = None,
    **more: Any,
) -> Scene:
    return Scene(model, 0.002, 0.02, track=track, vehicles=vehicles, **more)


def rover(
    name: str,
    x: float = 0.0,
    y: float = 0.0,
    yaw: float = 0.0,
    config: Mapping[str, object] | None = None,
    vehicle: str = ROVER_ID,
) -> VehicleDecl:
    return VehicleDecl(name, vehicle, (x, y, yaw), config or {})


def try_build(what: Scene, *offers: Any) -> tuple[Simulation | None, Report]:
    report = Report()
    loader = ModExtensions({offer.id: offer for offer in (*OFFERS, *offers)})
    return SimulationBuilder(what, loader).build(report), report


def build(what: Scene, *offers: Any) -> Simulation:
    simulation, report = try_build(what, *offers)
    assert simulation is not None, render_text(report, colour=False)
    return simulation
