"""The worlds of the virtual car: a corridor of cardboard, a line on the floor, an arena with boxes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from bxi_framework.mod_api import ContractVersion
from bxi_framework.simulation import ModelText
from bxi_framework.simulation.vehicles import Track, TrackDescriptor

from .floors import PAINT_GROUP, TEXTURE, WALL_HEIGHT, WALL_THICKNESS, WORLD_GROUP, fixed_wall, wall, world

Point = tuple[float, float]

PIECE: Final = 0.6
"""Metres of a straight piece of the corridor."""

KINK: Final = math.radians(14.0)
"""The greatest angle between two pieces of the corridor."""

BEND: Final = math.radians(50.0)
"""How far the corridor turns away from where it began, so that it never meets itself."""

BEHIND: Final = 0.3
"""Metres from the closed begin of the corridor to the middle of the car."""

LINE_POINTS: Final = 160


class CardboardCorridor(Track):
    """A corridor between walls of cardboard with closed ends; each seed has other kinks."""

    descriptor = TrackDescriptor(
        "track.cardboard_corridor.v1",
        "Cardboard corridor",
        ContractVersion(1, 0, 0),
        {
            "type": "object",
            "properties": {
                "length": {"type": "number", "minimum": 1.0, "maximum": 20.0, "default": 6.0},
                "width": {"type": "number", "minimum": 0.3, "maximum": 2.0, "default": 0.8},
                "floor_texture": TEXTURE,
            },
        },
    )

    def make_model(self) -> ModelText:
        half = self._piece / 2.0 + self._overlap
        walls = [wall(name, half) for name in self.movable()[:-2]]
        ends = [wall(name, self._width / 2.0 + WALL_THICKNESS) for name in self.movable()[-2:]]
        return ModelText(world(self.parameters["floor_texture"], "\n".join(walls + ends)))

    def movable(self) -> Sequence[str]:
        sides = [f"{side}_{piece}" for piece in range(self._pieces) for side in ("left", "right")]
        return [*sides, "begin", "end"]

    def reset_track(self, seed: int) -> None:
        generator = np.random.default_rng(seed)
        x, y, heading = -BEHIND, 0.0, 0.0
        across, up = self._width / 2.0 + WALL_THICKNESS / 2.0, WALL_HEIGHT / 2.0
        self.place("begin", (x, y, up), math.pi / 2.0)
        for piece in range(self._pieces):
            if piece:
                heading = float(np.clip(heading + generator.uniform(-KINK, KINK), -BEND, BEND))
            ahead, left = (math.cos(heading), math.sin(heading)), (-math.sin(heading), math.cos(heading))
            middle = (x + ahead[0] * self._piece / 2.0, y + ahead[1] * self._piece / 2.0)
            for side, sign in (("left", 1.0), ("right", -1.0)):
                place = (middle[0] + sign * across * left[0], middle[1] + sign * across * left[1], up)
                self.place(f"{side}_{piece}", place, heading)
            x, y = x + ahead[0] * self._piece, y + ahead[1] * self._piece
        self.place("end", (x, y, up), heading + math.pi / 2.0)

    @property
    def _width(self) -> float:
        return float(self.parameters["width"])

    @property
    def _pieces(self) -> int:
        return max(2, round(float(self.parameters["length"]) / PIECE))

    @property
    def _piece(self) -> float:
        return float(self.parameters["length"]) / self._pieces

    @property
    def _overlap(self) -> float:
        """By how much a wall is longer at both ends, so that the greatest kink leaves no gap."""
        return self._width / 2.0 * math.tan(KINK / 2.0) + WALL_THICKNESS


class LineLoop(Track):
    """A closed line of black tape on an open floor: a circle with waves."""

    descriptor = TrackDescriptor(
        "track.line_loop.v1",
        "Line loop",
        ContractVersion(1, 0, 0),
        {
            "type": "object",
            "properties": {
                "radius": {"type": "number", "minimum": 0.4, "maximum": 3.0, "default": 0.8},
                "curves": {"type": "integer", "minimum": 0, "maximum": 6, "default": 3},
                "curve_depth": {"type": "number", "minimum": 0.0, "maximum": 0.2, "default": 0.08},
                "tape_width": {"type": "number", "minimum": 0.015, "maximum": 0.05, "default": 0.025},
                "floor_texture": TEXTURE,
            },
        },
    )

    def make_model(self) -> ModelText:
        points = loop_points(self.parameters)
        half_width = self.parameters["tape_width"] / 2.0
        tape = []
        for (x, y), (to_x, to_y) in zip(points, points[1:] + points[:1], strict=True):
            half = math.hypot(to_x - x, to_y - y) / 2.0 + half_width / 4.0
            yaw = math.degrees(math.atan2(to_y - y, to_x - x))
            tape.append(
                f'<geom type="box" pos="{(x + to_x) / 2.0:.5f} {(y + to_y) / 2.0:.5f} 0" '
                f'size="{half:.5f} {half_width:g} 0.001" euler="0 0 {yaw:.4f}" rgba="0.03 0.03 0.03 1" '
                f'contype="0" conaffinity="0" group="{PAINT_GROUP}"/>'
            )
        return ModelText(world(self.parameters["floor_texture"], "\n".join(tape)))


def loop_points(parameters: Mapping[str, Any]) -> list[Point]:
    """The middle of the tape, leftwards around; it begins where the car stands, in the origin along x."""
    radius, curves, depth = parameters["radius"], parameters["curves"], parameters["curve_depth"]
    points = []
    for step in range(LINE_POINTS):
        # The wave begins at its outermost, where the tape runs along x.
        angle = 2.0 * math.pi * step / LINE_POINTS
        reach = radius * (1.0 + depth * (math.cos(curves * angle) - 1.0))
        points.append((reach * math.sin(angle), radius - reach * math.cos(angle)))
    return points


class BoxArena(Track):
    """A walled square with boxes, each seed at other places; the car stands free in the middle."""

    descriptor = TrackDescriptor(
        "track.box_arena.v1",
        "Box arena",
        ContractVersion(1, 0, 0),
        {
            "type": "object",
            "properties": {
                "size": {"type": "number", "minimum": 2.0, "maximum": 10.0, "default": 4.0},
                "boxes": {"type": "integer", "minimum": 0, "maximum": 20, "default": 5},
                "floor_texture": TEXTURE,
            },
        },
    )

    BOX: ClassVar = 0.15
    """Half the side of a box, m."""

    FREE: ClassVar = 0.75
    """Metres around the start without a box."""

    GAP: ClassVar = 0.55
    """Metres between two boxes, and between a box and a wall, so that the car can pass and turn."""

    def make_model(self) -> ModelText:
        half = self.parameters["size"] / 2.0
        thin = WALL_THICKNESS / 2.0
        walls = [
            fixed_wall("wall_east", half + thin, 0.0, thin, half + 2.0 * thin),
            fixed_wall("wall_west", -half - thin, 0.0, thin, half + 2.0 * thin),
            fixed_wall("wall_north", 0.0, half + thin, half + 2.0 * thin, thin),
            fixed_wall("wall_south", 0.0, -half - thin, half + 2.0 * thin, thin),
        ]
        boxes = [
            f'<body name="{name}" mocap="true" pos="{20 + 2 * number} 0 {self.BOX}"><geom name="{name}" '
            f'type="box" size="{self.BOX} {self.BOX} {self.BOX}" rgba="0.62 0.45 0.28 1" '
            f'group="{WORLD_GROUP}"/></body>'
            for number, name in enumerate(self.movable())
        ]
        return ModelText(world(self.parameters["floor_texture"], "\n".join(walls + boxes)))

    def movable(self) -> Sequence[str]:
        return [f"box_{number}" for number in range(self.parameters["boxes"])]

    def reset_track(self, seed: int) -> None:
        """Place as many of the boxes as find room; the others stay outside."""
        generator = np.random.default_rng(seed)
        around = self.BOX * math.sqrt(2.0)
        reach = self.parameters["size"] / 2.0 - self.GAP - around
        placed: list[Point] = []
        for name in self.movable():
            for _ in range(200):
                x, y = generator.uniform(-reach, reach, 2).tolist() if reach > 0.0 else (0.0, 0.0)
                apart = all(math.hypot(x - a, y - b) > 2.0 * around + self.GAP for a, b in placed)
                if apart and math.hypot(x, y) > self.FREE + around:
                    placed.append((x, y))
                    self.place(name, (x, y, self.BOX), float(generator.uniform(0.0, math.pi / 2.0)))
                    break


TRACKS: Final[Mapping[str, type[Track]]] = {each.id: each for each in (CardboardCorridor, LineLoop, BoxArena)}
