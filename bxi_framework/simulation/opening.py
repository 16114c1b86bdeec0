"""From a manifest to a simulation in one call, for programs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.render import render_text
from bxi_framework.simulation.builder import SimulationBuilder
from bxi_framework.simulation.extensions import Extension, ExtensionLoader
from bxi_framework.simulation.from_mods import ModExtensions
from bxi_framework.simulation.read_manifest import read_scene
from bxi_framework.simulation.simulation import Simulation


class UnsoundSimulationError(ValueError):
    """A manifest cannot be built; ``report`` holds everything that is wrong, and so does the text."""

    def __init__(self, report: Report) -> None:
        super().__init__(render_text(report, colour=False))
        self.report = report


def open_simulation(
    path: Path,
    *,
    extensions: Iterable[Extension] = (),
    offers: Iterable[Any] = (),
    loader: ExtensionLoader | None = None,
) -> Simulation:
    """Read the manifest at ``path`` and build it.

    Args:
        path: the manifest.
        extensions: are added as if it named them.
        offers: classes of vehicles, tracks and extensions that it may name, without a ``loader``.
        loader: finds what it names.

    Raises:
        UnsoundSimulationError: something is wrong with the manifest, the model or a part.
    """
    if loader is None:
        loader = ModExtensions({offer.id: offer for offer in offers})
    report = Report()
    scene = read_scene(path, report)
    simulation = None
    if scene is not None:
        builder = SimulationBuilder(scene, loader)
        for extension in extensions:
            builder.add_extension(extension)
        simulation = builder.build(report)
    if simulation is None:
        raise UnsoundSimulationError(report)
    return simulation
