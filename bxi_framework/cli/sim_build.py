"""What the verbs on virtual robots have in common: a manifest becomes a simulation, with the extensions of
Mods if it names any.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bxi_framework import bootstrap
from bxi_framework.cli.default_config import default_config
from bxi_framework.cli.parsing import Parser, UsageError
from bxi_framework.control.runtime import BootError, BootRequest
from bxi_framework.diagnostics import Report
from bxi_framework.loading.execute import LoadedMods, execute

if TYPE_CHECKING:
    from bxi_framework.simulation import Simulation

_MISSING = (
    "virtual robots need {name}, which is not installed here. Install it with 'pip install "
    "\"bxi_framework[simulation]\"', or with 'pip install {name}'; everything else runs without it"
)


def add_manifest(parser: Parser) -> None:
    """The arguments of every verb that builds a simulation."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a simulation manifest")
    parser.once("--config", type=Path, metavar="FILE", help="system configuration that says which Mods run")
    parser.add_argument(
        "--mod-path",
        action="append",
        default=[],
        type=Path,
        metavar="DIR",
        help="a folder with more Mods, whose extensions the manifest may name; may be given several times",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


@contextmanager
def built(values: argparse.Namespace) -> Iterator[tuple[Simulation, Report]]:
    """The simulation of the manifest, and the warnings of the Mods that take part.

    Raises:
        BootError: something is wrong; its report says all of it.
        UsageError: the simulation is not installed.
    """
    try:
        from bxi_framework.simulation import SimulationBuilder, read_scene
        from bxi_framework.simulation.from_mods import ModExtensions, from_mods
    except ModuleNotFoundError as error:
        if error.name not in ("mujoco", "jsonschema"):
            raise
        raise UsageError(_MISSING.format(name=error.name)) from None
    for path in values.mod_path:
        if not path.is_dir():
            raise UsageError(f"the Mod folder '{path}' does not exist")
    report = Report()
    scene = read_scene(values.file, report)
    if scene is None:
        raise BootError(report)
    mods: LoadedMods | None = None
    try:
        # What code of Mods prints does not mix with our output.
        with redirect_stdout(sys.stderr):
            if scene.extensions or scene.track or scene.vehicles:
                mods = _load_mods(values, report)
            loader = ModExtensions({}) if mods is None else from_mods(mods.definitions, report)
            simulation = SimulationBuilder(scene, loader).build(report)
        if simulation is None or not report.ok:
            raise BootError(report)
        yield simulation, report
    finally:
        if mods is not None:
            mods.close()


def _load_mods(values: argparse.Namespace, report: Report) -> LoadedMods:
    """The Mods of this machine, of which the faulty are left out with a warning: another Mod's fault is no
    reason against a simulation. Faults that no Mod can be left out for stay errors.
    """
    config_file = values.config if values.config is not None else default_config()
    request = BootRequest(config_file.absolute(), tuple(values.mod_path))
    config = replace(bootstrap.read_configuration(request, report), on_mod_error="skip")
    _, resolution = bootstrap.survey(request, config, report)
    return execute(resolution, report)
