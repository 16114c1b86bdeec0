"""What the car drives on: the floors that a track can have, and walls of cardboard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

WALL_HEIGHT: Final = 0.3
"""Metres: above the car and its camera."""

WALL_THICKNESS: Final = 0.01

WORLD_GROUP: Final = 0
"""Geom group of what stands in the world; the distance sensor sees no other."""

PAINT_GROUP: Final = 2
"""Geom group of what only the camera sees."""

OUT_OF_THE_WAY: Final = 20.0
"""Metres above the floor, where what a track moves waits until it is placed."""

CARDBOARD: Final = "0.72 0.55 0.36 1"


@dataclass(frozen=True)
class Floor:
    """``friction`` of a wheel that slides on it, and its two colours."""

    friction: float
    colours: tuple[str, str]


FLOORS: Final[Mapping[str, Floor]] = {
    "plywood": Floor(0.6, ("0.80 0.66 0.46", "0.77 0.62 0.42")),
    "carpet": Floor(0.9, ("0.45 0.46 0.52", "0.41 0.42 0.48")),
    "tile": Floor(0.4, ("0.86 0.86 0.84", "0.78 0.79 0.78")),
}

TEXTURE: Final = {"type": "string", "enum": list(FLOORS), "default": "plywood"}
"""The JSON schema of the parameter ``floor_texture``."""


def world(floor: str, contents: str) -> str:
    """The MJCF of a world with this floor and some geoms and bodies."""
    kind = FLOORS[floor]
    first, second = kind.colours
    return f"""
<mujoco model="track">
  <option integrator="implicitfast" cone="elliptic" impratio="5"/>
  <visual><headlight ambient="0.45 0.45 0.45" diffuse="0.5 0.5 0.5" specular="0 0 0"/>
    <map znear="0.002"/></visual>
  <statistic extent="5"/>
  <asset>
    <texture name="floor" type="2d" builtin="checker" rgb1="{first}" rgb2="{second}" width="64" height="64"/>
    <material name="floor" texture="floor" texuniform="true" texrepeat="2 2"/>
    <texture type="skybox" builtin="flat" rgb1="0.85 0.9 0.95" width="16" height="16"/>
  </asset>
  <worldbody>
    <light pos="0 0 6" dir="0 0 -1" castshadow="false"/>
    <geom name="floor" type="plane" size="0 0 0.1" material="floor" priority="1" condim="3"
          friction="{kind.friction} 0.005 0.0001" group="{WORLD_GROUP}"/>
    {contents}
  </worldbody>
</mujoco>
"""


def wall(name: str, half_length: float) -> str:
    """A wall along x that a track may move."""
    return (
        f'<body name="{name}" mocap="true" pos="0 0 {OUT_OF_THE_WAY:g}">'
        f'<geom name="{name}" type="box" size="{half_length:g} {WALL_THICKNESS / 2:g} {WALL_HEIGHT / 2:g}" '
        f'rgba="{CARDBOARD}" group="{WORLD_GROUP}"/></body>'
    )


def fixed_wall(name: str, x: float, y: float, half_x: float, half_y: float) -> str:
    """A wall that stands still, by its middle."""
    return (
        f'<geom name="{name}" type="box" pos="{x:g} {y:g} {WALL_HEIGHT / 2:g}" '
        f'size="{half_x:g} {half_y:g} {WALL_HEIGHT / 2:g}" rgba="{CARDBOARD}" group="{WORLD_GROUP}"/>'
    )
