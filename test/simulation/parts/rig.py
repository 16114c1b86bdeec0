"""A small model with the parts under test, built and run as every simulation is."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.render import render_text
from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation import (
    ComponentDecl,
    ComponentDefinition,
    ModelText,
    Scene,
    Simulation,
    SimulationBuilder,
    SimulationInstance,
)
from bxi_framework.simulation.parts import BUILTIN

TYPES = {factory.type: factory for factory in BUILTIN}
TIMESTEP = 0.002

Part = tuple[str, str, Mapping[str, Any]]


def define(part_type: str, config: Mapping[str, Any], instance_id: str = "part") -> ComponentDefinition:
    """The component of a config, as a manifest would give it."""
    return TYPES[part_type].define(instance_id, ConfigReader(config, ""))


def build(
    mjcf: str,
    parts: Sequence[Part],
    report: Report,
    substeps: int = 1,
    assets: Mapping[str, bytes] | None = None,
) -> Simulation | None:
    """The simulation of a model with parts, in steps of 0.002 s."""
    components = tuple(ComponentDecl(*part) for part in parts)
    model = ModelText(mjcf, assets or {})
    return SimulationBuilder(Scene(model, TIMESTEP, TIMESTEP * substeps, components=components)).build(report)


def problems(mjcf: str, part_type: str, config: Mapping[str, Any], assets: Any = None) -> list[str]:
    """What a build says against a component in a model, without the begin that all objections share."""
    report = Report()
    build(mjcf, [("part", part_type, config)], report, assets=assets)
    return [fault.message.split(" cannot work with the model: ")[-1] for fault in report]


class Rig:
    """A run of a model with parts; `step` counts control periods of ``substeps`` physics steps. Every call of
    a part is checked against what it claims, unless ``check`` is off for the sake of long runs.
    """

    def __init__(
        self,
        mjcf: str,
        parts: Sequence[Part],
        *,
        substeps: int = 1,
        seed: int = 0,
        assets: Mapping[str, bytes] | None = None,
        check: bool = True,
    ) -> None:
        report = Report()
        simulation = build(mjcf, parts, report, substeps, assets)
        assert simulation is not None, render_text(report, colour=False)
        self.run: SimulationInstance = simulation.open(seed, check=check)

    @property
    def model(self) -> mujoco.MjModel:
        return self.run.physics.model

    @property
    def data(self) -> mujoco.MjData:
        return self.run.physics.data

    def __enter__(self) -> Rig:
        return self

    def __exit__(self, *_: object) -> None:
        self.run.close()

    def command(self, endpoint: str, values: Any) -> None:
        self.run.command(endpoint, values)

    def step(self, periods: int = 1) -> None:
        self.run.step(periods)

    def reading(self, name: str = "part") -> Mapping[str, Any]:
        return self.run.reading(name).channels


def png(pixels: Any) -> bytes:
    """An image of shape (height, width, 3) as a PNG file."""
    rows = np.asarray(pixels, dtype=np.uint8)
    height, width, _ = rows.shape
    raw = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(raw)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
