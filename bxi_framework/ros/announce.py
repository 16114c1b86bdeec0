"""The first lines that an operator reads: which Mods run, what was noticed, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping

from bxi_framework.control.runtime import Runtime
from bxi_framework.diagnostics import Diagnostic
from bxi_framework.machine.graph import StateGraph
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot.model import UNLIMITED


def announce_mods(runtime: Runtime, log: LogSink) -> None:
    """Say which Mods run, which do not and why, and what the boot has noticed."""
    resolution = runtime.loaded.resolution
    enabled = (f"{manifest.id} {manifest.version}" for manifest in resolution.manifests)
    log("info", "mods", f"enabled: {', '.join(enabled) or 'none'}")
    log("info", "mods", f"disabled: {_reasons(resolution.disabled) or 'none'}")
    if resolution.unavailable:
        log("warning", "mods", f"unavailable: {_reasons(resolution.unavailable)}")
    if resolution.left_out:
        log("error", "mods", f"left out: {_reasons(resolution.left_out)}")
    free = [joint.name for joint in runtime.model.joints if joint.velocity >= UNLIMITED]
    if free:
        log("warning", "robot", f"without a velocity limit nothing bounds a step of {', '.join(free)}")
    for diagnostic in runtime.report.warnings:
        log("warning", diagnostic.mod or "boot", _line(diagnostic))


def announce_start(runtime: Runtime, command: str, namespace: str, log: LogSink) -> None:
    """Say where the robot stands, how fast the loop runs, and how to send an event.

    Args:
        runtime: what has started.
        command: how a person calls the command line tool.
        namespace: where the control node is, without slashes at the ends; empty for none.
        log: takes the line.
    """
    rate = 1.0 / runtime.config.control_runtime.period_sec
    event = first_event(runtime.graph)
    option = f" --namespace {namespace}" if namespace else ""
    next_step = f"; next: {command} event {event}{option}" if event is not None else ""
    log("info", "control", f"state {runtime.engine.snapshot().state}, {rate:g} Hz{next_step}")


def first_event(graph: StateGraph) -> str | None:
    """The first event that leads out of the initial state."""
    routes = sorted(graph.states[graph.initial].routes.values(), key=lambda route: route.order)
    return routes[0].event if routes else None


def _reasons(reasons: Mapping[str, str]) -> str:
    return ", ".join(f"{mod_id} ({reason.rstrip('.')})" for mod_id, reason in reasons.items())


def _line(diagnostic: Diagnostic) -> str:
    place = f" ({diagnostic.place})" if diagnostic.place else ""
    hint = f" {diagnostic.hint}" if diagnostic.hint else ""
    return f"{diagnostic.message}{place}{hint}"
