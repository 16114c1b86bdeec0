"""Patterns on a floor, as a line sensor sees them: tape along polylines, or the texture of the floor."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.bindings import Binding
from bxi_framework.simulation.runtime import Values

LUMINANCE: Final = (0.299, 0.587, 0.114)
"""The weights of red, green and blue in brightness (Rec. 601)."""

FARTHEST: Final = 1e6
CLOSEST: Final = 1e-6
"""Metres: how far a point may lie from the origin, and how near two points are the same."""

Covered = NDArray[np.bool_]


class Pattern(Protocol):
    """What is drawn on the floor."""

    def covers(self, points: Values) -> Covered:
        """Which points (shape (N, 2), metres in the frame of the floor) lie on a line; shape (N,)."""


class PatternSource(Protocol):
    """A pattern as the config gives it, before the model exists."""

    def misfits(self, model: mujoco.MjModel, floor: Binding) -> Iterable[str]:
        """What keeps the pattern from lying on this floor."""

    def on(self, model: mujoco.MjModel, floor: Binding) -> Pattern:
        """The pattern on this floor."""


@dataclass(frozen=True, slots=True)
class Tape:
    """A polyline of at least two points (m), its width (m), and whether its end leads back to its begin."""

    points: tuple[tuple[float, ...], ...]
    width: float
    closed: bool

    @staticmethod
    def read(config: ConfigReader) -> Tape:
        """One item of ``tapes``.

        Raises:
            ParameterError: a point or the width does not fit.
        """
        return Tape(
            read_points(config, "points", 2),
            config.float("width", above=0.0),
            config.boolean("closed", False),
        )


def read_points(config: ConfigReader, key: str, size: int) -> tuple[tuple[float, ...], ...]:
    """A list of at least two points with ``size`` coordinates each, none equal to the one before.

    Raises:
        ParameterError: it is something else.
    """
    raw = config.value(key)
    if not isinstance(raw, (list, tuple)) or len(raw) < 2:
        raise config.error(key, "must be a list of at least two points" if key in config else "is missing")
    points: list[tuple[float, ...]] = []
    for index, item in enumerate(raw):
        path = f"{key}[{index}]"
        block = ConfigReader({path: item}, config.name)
        point = block.floats(path, length=size, minimum=-FARTHEST, maximum=FARTHEST)
        if points and math.dist(point, points[-1]) < CLOSEST:
            raise config.error(path, "is the same point as the one before it")
        points.append(point)
    return tuple(points)


@dataclass(frozen=True, slots=True)
class Tapes:
    """All tapes on one floor."""

    tapes: tuple[Tape, ...]

    def misfits(self, model: mujoco.MjModel, floor: Binding) -> Iterable[str]:
        return ()

    def on(self, model: mujoco.MjModel, floor: Binding) -> Pattern:
        return Segments(self.tapes)


class Segments:
    """The straight pieces of tapes, with round ends and corners."""

    def __init__(self, tapes: Iterable[Tape]) -> None:
        begins, ends, reach = [], [], []
        for tape in tapes:
            points = np.array(tape.points + tape.points[:1] if tape.closed else tape.points)
            begins.append(points[:-1])
            ends.append(points[1:])
            reach.append(np.full(len(points) - 1, tape.width / 2))
        self._begins = np.concatenate(begins)
        self._along = np.concatenate(ends) - self._begins
        self._squares = np.einsum("ij,ij->i", self._along, self._along)
        self._reach = np.concatenate(reach) ** 2

    def covers(self, points: Values) -> Covered:
        away = points[:, None, :] - self._begins
        share = np.clip(np.einsum("ijk,jk->ij", away, self._along) / self._squares, 0.0, 1.0)
        away -= share[:, :, None] * self._along
        covered: Covered = (np.einsum("ijk,ijk->ij", away, away) <= self._reach).any(axis=1)
        return covered


@dataclass(frozen=True, slots=True)
class FloorTexture:
    """The picture that the floor's material shows; darker (or brighter) than ``threshold`` is line."""

    dark: bool
    threshold: float

    @staticmethod
    def read(config: ConfigReader) -> FloorTexture:
        """The block ``texture``.

        Raises:
            ParameterError: a value does not fit.
        """
        dark = config.literal("line", ("dark", "bright"), "dark") == "dark"
        return FloorTexture(dark, config.float("threshold", 0.5, minimum=0.0, maximum=1.0))

    def misfits(self, model: mujoco.MjModel, floor: Binding) -> Iterable[str]:
        material = int(model.geom_matid[floor.id])
        texture = _texture(model, floor)
        if texture < 0 or model.tex_type[texture] != mujoco.mjtTexture.mjTEXTURE_2D:
            yield f"{floor.request} shows no texture of type 2d; give it a material with one."
        elif model.mat_texuniform[material] or (model.mat_texrepeat[material] != 1.0).any():
            yield (
                f'the texture of {floor.request} is repeated; write texuniform="false" texrepeat="1 1" in '
                f"its material, so that the picture covers the floor once."
            )
        if not (model.geom_size[floor.id, :2] > 0.0).all():
            yield f"{floor.request} has no edges, so its texture has no place; give it a finite size."

    def on(self, model: mujoco.MjModel, floor: Binding) -> Pattern:
        texture = _texture(model, floor)
        height, width = int(model.tex_height[texture]), int(model.tex_width[texture])
        channels, begin = int(model.tex_nchannel[texture]), int(model.tex_adr[texture])
        pixels = model.tex_data[begin : begin + height * width * channels].reshape(height, width, channels)
        brightness = (pixels[:, :, :3] @ LUMINANCE if channels >= 3 else pixels[:, :, 0]) / 255.0
        line = brightness < self.threshold if self.dark else brightness > self.threshold
        return Bitmap(line, model.geom_size[floor.id, :2])


def _texture(model: mujoco.MjModel, floor: Binding) -> int:
    material = int(model.geom_matid[floor.id])
    return -1 if material < 0 else int(model.mat_texid[material, mujoco.mjtTextureRole.mjTEXROLE_RGB])


class Bitmap:
    """A picture over a rectangle: its first row lies at the greatest y, its first column at the least x."""

    def __init__(self, line: Covered, half_size: Values) -> None:
        self._line = line
        self._half = half_size.copy()
        rows, columns = line.shape
        self._scale = np.array((columns, rows)) / (2.0 * self._half)

    def covers(self, points: Values) -> Covered:
        inside = (np.abs(points) < self._half).all(axis=1)
        corner = np.column_stack((points[:, 0] + self._half[0], self._half[1] - points[:, 1]))
        columns, rows = np.where(inside[:, None], corner * self._scale, 0.0).astype(np.intp).T
        covered: Covered = inside & self._line[rows, columns]
        return covered
