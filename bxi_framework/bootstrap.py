"""Wires everything: from a configuration file to a booted robot. Where to start reading.

`assemble` knows neither clock nor middleware, so the bench boots exactly what a robot boots; `run` adds both.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bxi_framework.control.controller import Controller
from bxi_framework.control.reactions import InputWatch, watchdogs_for
from bxi_framework.control.readying import ready_graph
from bxi_framework.control.record import FlightRecord, Notebook
from bxi_framework.control.robot_model import robot_model
from bxi_framework.control.runtime import BootError, BootRequest, Runtime
from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.loading.discover import Candidates, discover
from bxi_framework.loading.execute import execute
from bxi_framework.loading.resolve import Resolution, resolve
from bxi_framework.loading.roots import Root, built_in_roots, default_roots
from bxi_framework.loading.selection import for_safe_start
from bxi_framework.machine.engine import Engine
from bxi_framework.machine.gamepad import Gamepad
from bxi_framework.machine.gamepad_config import read_gamepad
from bxi_framework.machine.gamepad_uses import check_slots
from bxi_framework.machine.graph import StateGraph
from bxi_framework.machine.preparation import Preparation
from bxi_framework.manifest.read_system import read_system
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot import RobotModel
from bxi_framework.safety import SafetyStage

if TYPE_CHECKING:
    from bxi_framework.ros.options import RunOptions


@dataclass(frozen=True, slots=True)
class Body:
    """A robot without its Mods."""

    config: SystemConfig
    model: RobotModel
    gamepad: Gamepad | None


def run(options: RunOptions) -> int:
    """Run the control node until a signal ends it; return the exit status."""
    from bxi_framework.ros.app import run_control_node

    def boot(request: BootRequest, preparation: Preparation, log: LogSink) -> Runtime:
        return assemble(request, preparation, log, time.monotonic)

    return run_control_node(boot, options)


def read_configuration(request: BootRequest, report: Report) -> SystemConfig:
    """Read the system configuration with the overrides of the command line.

    Raises:
        BootError: the configuration is not sound.
    """
    config = read_system(request.config, report, request.overrides)
    if config is None or not report.ok:
        raise BootError(report)
    return config


def read_body(
    config: SystemConfig, joint_names: tuple[str, ...] | None, log: LogSink, report: Report
) -> Body | None:
    """The robot that a configuration describes; None after a fault."""
    model = robot_model(config, joint_names, report)
    mapping = None if config.remote.gamepad is None else read_gamepad(config.remote.gamepad, report)
    if model is None:
        return None
    gamepad = None if mapping is None else Gamepad(mapping, lambda line: log("warning", "gamepad", line))
    return Body(config, model, gamepad)


def roots_of(request: BootRequest, config: SystemConfig) -> tuple[Root, ...]:
    """Where this boot looks for Mods."""
    return built_in_roots() if request.safe else default_roots(config, request.mod_paths)


def survey(request: BootRequest, config: SystemConfig, report: Report) -> tuple[Candidates, Resolution]:
    """Find all Mods and decide which run, in which order; no Mod code runs."""
    candidates = discover(roots_of(request, config), report)
    if request.safe:
        config = for_safe_start(config, candidates.ids)
    return candidates, resolve(candidates, config, report)


def assemble(
    request: BootRequest,
    preparation: Preparation,
    log: LogSink,
    now: Callable[[], float],
) -> Runtime:
    """Boot everything but clock, thread and middleware.

    Args:
        request: what to boot.
        preparation: runs what a switch needs beside the loop.
        log: takes messages; must not block.
        now: monotonic seconds, for messages that are throttled.

    Raises:
        BootError: something is wrong; everything that was loaded has been released.
    """
    report = Report()
    config = read_configuration(request, report)
    body = read_body(config, request.joint_names, log, report)
    _, resolution = survey(request, config, report)
    if not report.ok or body is None:
        raise BootError(report)
    return build(body, resolution, preparation, log, now, report)


def build(
    body: Body,
    resolution: Resolution,
    preparation: Preparation,
    log: LogSink,
    now: Callable[[], float],
    report: Report,
) -> Runtime:
    """The second half of `assemble`: run the code of a sound set of Mods, and make a robot of it."""
    config, model = body.config, body.model
    notebook = Notebook(lambda: round(now() * 1e9), log)
    if body.gamepad is not None and config.io == "standard":
        check_slots(resolution.manifests, body.gamepad.mapping, report)
    loaded = execute(resolution, report)
    try:
        graph = ready_graph(loaded, config, notebook.log, now, report, beside=not preparation.inline)
        engine = Engine(
            graph,
            model,
            period=config.control_runtime.period_sec,
            target_timeout=config.target_timeout,
            preparation_timeout=config.preparation_timeout,
            preparation=preparation,
            log=notebook.log,
        )
        _bind(engine, graph, report)
    except BaseException:
        loaded.close()
        preparation.close()
        raise
    safety = SafetyStage(model, config.control_runtime.period_sec)
    watchdogs = watchdogs_for(config, graph)
    watch = InputWatch(watchdogs, engine, config.control_runtime.period_sec, notebook.log)
    controller = Controller(engine, safety, notebook.log, watch if watchdogs else None)
    record = FlightRecord(
        model, controller, notebook, config.control_runtime.period_sec, config.record.seconds
    )
    return Runtime(
        config,
        model,
        loaded.resolution,
        loaded,
        graph,
        engine,
        controller,
        preparation,
        body.gamepad,
        record,
        report,
    )


def _bind(engine: Engine, graph: StateGraph, report: Report) -> None:
    for fault in engine.bind():
        report.add(
            Diagnostic("bind-failed", fault.reason, mod=graph.states[fault.owner].mod, subject=fault.owner)
        )
    if not report.ok:
        engine.unbind()
        raise BootError(report)
