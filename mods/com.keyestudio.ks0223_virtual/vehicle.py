"""`vehicle.ks0223.v1` in MuJoCo: the car's size and weight, its four wheels, and how its motors answer."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Final

import numpy as np

from bxi_framework.mod_api import ContractVersion, DeviceContract
from bxi_framework.simulation import ModelText
from bxi_framework.simulation.vehicles import (
    Actuator,
    Camera,
    CameraFrame,
    ConfigKeyValue,
    ControlCommand,
    Sensor,
    Site,
    Vehicle,
    VehicleDescriptor,
    VehicleState,
)

CONTRACT: Final = Path(__file__).parent.parent / "com.keyestudio.ks0223/assets/vehicle.ks0223.v1.json"

CAR_GROUP: Final = 1
"""Geom group of the car, which its own distance sensor does not see."""

TOP_SPEED: Final = 0.73
"""m/s at full throttle, which is the kit's duty of 80 %."""

FULL_DUTY: Final = 0.8
DEAD_ZONE: Final = 0.25
"""PWM duty below which the motors stand."""

LATENCY: Final = 0.15
"""Seconds from a command to the motors."""

RESPONSE: Final = 0.06
"""Seconds in which the motors reach 63 % of a new speed."""

WHEEL_RADIUS: Final = 0.0325
TURN_SPREAD: Final = 0.3
"""Share by which a turn has more or less effect from seed to seed: battery and floor."""

ASYMMETRY: Final = 0.02
"""Share by which one side may be faster than the other."""

# Wheels that go ahead at v slide sideways in a turn. Without losses the friction of all four is in balance at
# a turn of v b / (a² + b²), for half the wheelbase a and half the track b. The motors yield a bit under that
# load, so the wheelbase is the one at which 0.73 m/s on both sides give the measured 380 °/s on plywood.
WHEELBASE: Final = 0.088
TRACK: Final = 0.124

LINES: Final = ("line_left", "line_center", "line_right")
TAPE_EDGE: Final = 0.0005
"""Metres above the floor; what a line sensor sees higher than this is tape."""

FARTHEST: Final = 4.5
"""Metres; no echo comes back from farther away."""

HULL: Final = "hull"

_WHEELS: Final = {
    f"{end}_{side}": (forward * WHEELBASE / 2.0, left * TRACK / 2.0)
    for end, forward in (("front", 1.0), ("rear", -1.0))
    for side, left in (("left", 1.0), ("right", -1.0))
}


def _wheel(name: str, x: float, y: float) -> str:
    return f"""
      <body name="{name}_wheel" pos="{x:g} {y:g} 0">
        <joint name="{name}" axis="0 1 0" armature="0.0004"/>
        <geom type="cylinder" size="{WHEEL_RADIUS} 0.013" euler="90 0 0" mass="0.05" contype="0"
              conaffinity="0" rgba="0.15 0.15 0.15 1" group="{CAR_GROUP}"/>
        <geom name="{name}_tyre" type="ellipsoid" size="{WHEEL_RADIUS} 0.013 {WHEEL_RADIUS}" mass="0.001"
              rgba="0 0 0 0" group="4"/>
      </body>"""


MODEL: Final = f"""
<mujoco model="ks0223">
  <worldbody>
    <body name="chassis" pos="0 0 {WHEEL_RADIUS}">
      <freejoint/>
      <geom name="{HULL}" type="box" size="0.125 0.075 0.035" pos="0 0 0.03" mass="0.75" rgba="0.1 0.35 0.6 1"
            group="{CAR_GROUP}"/>
      <geom type="box" size="0.05 0.04 0.02" pos="-0.03 0 0.085" mass="0.15" contype="0" conaffinity="0"
            rgba="0.1 0.5 0.25 1" group="{CAR_GROUP}"/>
      <body name="ultrasonic_head" pos="0.11 0 0.075">
        <joint name="ultrasonic_pan" axis="0 0 1" armature="0.0005" damping="0.001"/>
        <geom type="box" size="0.008 0.022 0.01" mass="0.02" contype="0" conaffinity="0"
              rgba="0.8 0.8 0.85 1" group="{CAR_GROUP}"/>
        <site name="ultrasonic" pos="0.015 0 0" size="0.004" zaxis="1 0 0"/>
      </body>
      <body name="camera_foot" pos="0.07 0 0.095">
        <joint name="camera_pan" axis="0 0 1" armature="0.0005" damping="0.001"/>
        <geom type="box" size="0.01 0.01 0.005" mass="0.01" contype="0" conaffinity="0"
              rgba="0.2 0.2 0.2 1" group="{CAR_GROUP}"/>
        <body name="camera_head" pos="0 0 0.012">
          <joint name="camera_tilt" axis="0 -1 0" armature="0.0005" damping="0.001"/>
          <geom type="box" size="0.006 0.012 0.01" mass="0.02" contype="0" conaffinity="0"
                rgba="0.1 0.1 0.1 1" group="{CAR_GROUP}"/>
          <camera name="camera" pos="0.012 0 0" xyaxes="0 -1 0 0 0 1" fovy="48"/>
        </body>
      </body>
      <site name="line_left" zaxis="0 0 -1" pos="0.1 0.012 -0.02" size="0.003"/>
      <site name="line_center" zaxis="0 0 -1" pos="0.1 0 -0.02" size="0.003"/>
      <site name="line_right" zaxis="0 0 -1" pos="0.1 -0.012 -0.02" size="0.003"/>
      {"".join(_wheel(name, *place) for name, place in _WHEELS.items())}
    </body>
  </worldbody>
  <actuator>
    {"".join(f'<velocity name="{name}" joint="{name}" kv="0.1" forcerange="-0.6 0.6"/>' for name in _WHEELS)}
    <general name="ultrasonic_pan" joint="ultrasonic_pan" gainprm="1" biastype="affine" biasprm="0 0 0"/>
    <general name="camera_pan" joint="camera_pan" gainprm="1" biastype="affine" biasprm="0 0 0"/>
    <general name="camera_tilt" joint="camera_tilt" gainprm="1" biastype="affine" biasprm="0 0 0"/>
  </actuator>
  <sensor>
    <rangefinder name="ultrasonic" site="ultrasonic"/>
    <rangefinder name="line_left" site="line_left"/>
    <rangefinder name="line_center" site="line_center"/>
    <rangefinder name="line_right" site="line_right"/>
  </sensor>
</mujoco>
"""


class Ks0223(Vehicle):
    """The car, without pictures; `Ks0223WithCamera` makes them too.

    Throttle 1 is what the kit's program calls forward, a duty of 80 %; left = throttle - steer, right =
    throttle + steer, each cut to -1 to 1. ``turn_spread`` and ``asymmetry`` are shares, drawn at each reset.
    """

    descriptor = VehicleDescriptor(
        "vehicle.ks0223.v1",
        "Keyestudio KS0223",
        ContractVersion(1, 0, 0),
        DeviceContract.from_json(json.loads(CONTRACT.read_text(encoding="utf-8"))),
    )
    model = ModelText(MODEL)
    config_schema: ClassVar = {
        "type": "object",
        "properties": {
            "latency": {"type": "number", "minimum": 0.0, "maximum": 2.0, "default": LATENCY},
            "response": {"type": "number", "minimum": 0.001, "maximum": 2.0, "default": RESPONSE},
            "dead_zone": {"type": "number", "minimum": 0.0, "maximum": FULL_DUTY, "default": DEAD_ZONE},
            "turn_spread": {"type": "number", "minimum": 0.0, "maximum": 0.9, "default": TURN_SPREAD},
            "asymmetry": {"type": "number", "minimum": 0.0, "maximum": 0.5, "default": ASYMMETRY},
        },
    }

    ultrasonic = Sensor("ultrasonic")
    line_left, line_center, line_right = Sensor("line_left"), Sensor("line_center"), Sensor("line_right")
    over_left, over_center, over_right = Site("line_left"), Site("line_center"), Site("line_right")
    front_left, rear_left = Actuator("front_left"), Actuator("rear_left")
    front_right, rear_right = Actuator("front_right"), Actuator("rear_right")

    def apply_vehicle_config(self, values: Sequence[ConfigKeyValue]) -> None:
        # The schema has let numbers through and nothing else.
        self._config = {each.key: float(str(each.value)) for each in values}

    def reset_vehicle(self, seed: int) -> None:
        generator = np.random.default_rng(seed)
        self._turn_gain = 1.0 + self._config["turn_spread"] * float(generator.uniform(-1.0, 1.0))
        between = self._config["asymmetry"] * float(generator.uniform(-1.0, 1.0))
        self._gains = (1.0 + between / 2.0, 1.0 - between / 2.0)
        self._waiting: deque[tuple[float, float, float]] = deque()
        self._newest = self._sides = (0.0, 0.0)
        self._speeds = [0.0, 0.0]
        self._before = 0.0

    def try_read_camera_frame(self) -> CameraFrame | None:
        return None

    def read_state(self) -> VehicleState:
        """What `Vehicle` gives; 1 is a line, which lies on the floor, and nan is no echo."""
        state = super().read_state()
        telemetry = dict(state.telemetry)
        for name, site in zip(LINES, (self.over_left, self.over_center, self.over_right), strict=True):
            telemetry[name] = float(site.position[2] - telemetry[name] > TAPE_EDGE)
        if not 0.0 <= telemetry["ultrasonic"] <= FARTHEST:
            telemetry["ultrasonic"] = math.nan
        return replace(state, telemetry=telemetry)

    def apply_control(self, command: ControlCommand) -> None:
        now, config = self.time, self._config
        sides = self._asked(command)
        if sides != self._newest:
            self._newest = sides
            self._waiting.append((now + config["latency"], *sides))
        while self._waiting and self._waiting[0][0] <= now + 1e-9:
            _, *turned = self._waiting.popleft()
            self._sides = (turned[0], turned[1])
        share = 1.0 - math.exp(-(now - self._before) / config["response"])
        self._before = now
        ahead, turn = (self._sides[0] + self._sides[1]) / 2.0, (self._sides[1] - self._sides[0]) / 2.0
        turn *= self._turn_gain
        for side, wanted in enumerate((ahead - turn, ahead + turn)):
            self._speeds[side] += share * (wanted * self._gains[side] - self._speeds[side])
        left, right = (speed * TOP_SPEED / WHEEL_RADIUS for speed in self._speeds)
        self.front_left.set(left)
        self.rear_left.set(left)
        self.front_right.set(right)
        self.rear_right.set(right)

    def _asked(self, command: ControlCommand) -> tuple[float, float]:
        """The share of the top speed that is asked of both sides; a brake lets nothing through."""
        lowest = self._config["dead_zone"] / FULL_DUTY
        found = []
        for side in (command.throttle - command.steer, command.throttle + command.steer):
            share = min(max(side, -1.0), 1.0) * (1.0 - command.brake)
            found.append(0.0 if abs(share) < lowest - 1e-9 else share)
        return found[0], found[1]


class Ks0223WithCamera(Ks0223):
    """The car with the pictures of its camera."""

    camera = Camera("camera")

    def try_read_camera_frame(self) -> CameraFrame | None:
        return Vehicle.try_read_camera_frame(self)
