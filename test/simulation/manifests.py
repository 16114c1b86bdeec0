"""Manifests in a folder of their own, and the places in them that diagnostics name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from simulation.cart import MJCF, TYPES

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.diagnostics.render import render_text
from bxi_framework.simulation import (
    ComponentFactory,
    Config,
    Extension,
    Simulation,
    SimulationBuilder,
    read_scene,
)

MANIFEST = """\
model: assets/cart.xml
timestep: 0.002
control_period: 0.02
seed: 4
components:
  - id: push
    type: test/push
    config: {actuator: push}
  - id: front
    type: test/meter
    config:
      sensor: ahead
      period_s: 0.01
overlay:
  - {body: cart, mass: 1.2}
"""


class Shelf:
    """A loader of extensions by class."""

    def __init__(self, *classes: type[Extension]) -> None:
        self._classes = {cls.id: cls for cls in classes}

    def known(self) -> Sequence[str]:
        return sorted(self._classes)

    def load(self, extension_id: str, config: Config) -> Extension:
        return self._classes[extension_id](config)

    def code_of(self, extension_id: str) -> Path:
        return Path(__file__).parent


def write(folder: Path, manifest: str = MANIFEST, model: str = MJCF, **files: str) -> Path:
    """A manifest and its model in a folder; gives the manifest's path. Further files are written below
    ``assets``, with ``_`` for the dot of their names.
    """
    (folder / "assets").mkdir(exist_ok=True)
    (folder / "assets" / "cart.xml").write_text(model, encoding="utf-8")
    for name, text in files.items():
        (folder / "assets" / name.replace("_", ".")).write_text(text, encoding="utf-8")
    path = folder / "cart.yaml"
    path.write_text(manifest, encoding="utf-8")
    return path


def build(
    path: Path,
    report: Report,
    extensions: Iterable[type[Extension]] = (),
    added: Iterable[Extension] = (),
    types: tuple[ComponentFactory, ...] = TYPES,
) -> Simulation | None:
    """What the command does: read and build."""
    scene = read_scene(path, report)
    if scene is None:
        return None
    builder = SimulationBuilder(scene, Shelf(*extensions), types)
    for extension in added:
        builder.add_extension(extension)
    return builder.build(report)


def sound(path: Path, **settings: Any) -> Simulation:
    """The simulation of a sound manifest."""
    report = Report()
    simulation = build(path, report, **settings)
    assert simulation is not None, render_text(report, colour=False)
    return simulation


def unsound(path: Path, **settings: Any) -> list[Diagnostic]:
    """The diagnostics of an unsound manifest."""
    report = Report()
    assert build(path, report, **settings) is None
    assert not report.ok
    return list(report)


def place_of(text: str, needle: str, occurrence: int = 1) -> tuple[int, int]:
    """Line and column of a piece of text, counted from 1."""
    at = -1
    for _ in range(occurrence):
        at = text.index(needle, at + 1)
    line = text.count("\n", 0, at) + 1
    return line, at - text.rfind("\n", 0, at)


def hashes(simulation: Simulation) -> Mapping[str, str]:
    """The hashes of a plan, as they are printed."""
    found: Mapping[str, str] = simulation.plan.as_dict()["hashes"]
    return found
