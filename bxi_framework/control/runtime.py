"""Everything that one boot has produced, and the order in which it is taken down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bxi_framework.control.controller import Controller
from bxi_framework.control.record import FlightRecord
from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.render import render_text
from bxi_framework.loading.execute import LoadedMods
from bxi_framework.loading.resolve import Resolution
from bxi_framework.machine.engine import Engine
from bxi_framework.machine.gamepad import Gamepad
from bxi_framework.machine.graph import StateGraph
from bxi_framework.machine.preparation import Preparation
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.robot import RobotModel


@dataclass(frozen=True, slots=True)
class BootRequest:
    """What to boot.

    ``overrides`` are ``KEY=VALUE`` texts laid over the configuration; ``safe`` leaves all Mods out but the
    built-in ones; ``joint_names`` is the order that the robot itself reports, for a configuration that asks
    for it.
    """

    config: Path
    mod_paths: tuple[Path, ...] = ()
    overrides: tuple[str, ...] = ()
    safe: bool = False
    joint_names: tuple[str, ...] | None = None


class BootError(Exception):
    """The start was refused; ``report`` says why."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"the start was refused.\n{render_text(report, colour=False)}")
        self.report = report


@dataclass(frozen=True, slots=True)
class Runtime:
    """A booted robot without a clock, a thread or a middleware. ``report`` holds the warnings of the boot."""

    config: SystemConfig
    model: RobotModel
    resolution: Resolution
    loaded: LoadedMods
    graph: StateGraph
    engine: Engine
    controller: Controller
    preparation: Preparation
    gamepad: Gamepad | None
    record: FlightRecord
    report: Report

    def close(self) -> list[str]:
        """Unbind the states, end the preparation worker, release resources and remove the Mods' modules; says
        what could not be taken down.
        """
        self.engine.unbind()
        self.preparation.close()
        return self.loaded.close()
