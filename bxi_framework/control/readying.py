"""From loaded Mods to a state graph that is ready to run: compiled, and loaded with what cannot wait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bxi_framework.control.runtime import BootError
from bxi_framework.diagnostics import Diagnostic, Report, Severity
from bxi_framework.diagnostics.guard import describe_error, guarded
from bxi_framework.diagnostics.time_limit import Watch, run_beside
from bxi_framework.loading.execute import LoadedMods
from bxi_framework.machine.build_states import build_states
from bxi_framework.machine.compile import compile_graph
from bxi_framework.machine.graph import StateGraph, StateNode
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.mod_api.logger import LogSink, StateLogger


def ready_graph(
    loaded: LoadedMods,
    config: SystemConfig,
    log: LogSink,
    now: Callable[[], float],
    report: Report,
    *,
    beside: bool,
) -> StateGraph:
    """Compile and prepare the graph of loaded Mods.

    Args:
        loaded: their code; with ``on_mod_error: skip`` those whose states cannot be built are taken out.
        config: the system configuration.
        log: takes the messages of states.
        now: monotonic seconds, for messages that are throttled and for the time that models take.
        report: receives every fault.
        beside: models are asked on threads of their own; otherwise at once, as on the bench.

    Raises:
        BootError: the graph is not sound, or something that cannot wait did not load.
    """
    if not report.ok:
        _complete(loaded, config, report)
        raise BootError(report)
    graph = _compile(loaded, config, report)
    if graph is None or not report.ok:
        raise BootError(report)
    for node in graph.states.values():
        node.state.logger = StateLogger(node.name, log, now)
        _attach_models(node, config.control_runtime.period_sec, now, beside, report)
    run_beside(lambda: loaded.resources.load_eager(report))
    run_beside(lambda: _load_at_once(graph, report))
    if not report.ok:
        raise BootError(report)
    return graph


def _compile(loaded: LoadedMods, config: SystemConfig, report: Report) -> StateGraph | None:
    """Each turn leaves out the Mods that failed, so there are at most as many turns as Mods."""
    while True:
        found = Report()
        graph = _compile_once(loaded, config, found)
        failed = {fault.mod: fault.message for fault in reversed(found.errors) if fault.mod is not None}
        if graph is not None or loaded.stuck or not failed or not loaded.resolution.skips_faulty:
            report.extend(found)
            return graph
        report.extend(replace(fault, severity=Severity.WARNING) for fault in found)
        loaded.leave_out(failed, report)
        if not report.ok:
            return None


def _compile_once(loaded: LoadedMods, config: SystemConfig, report: Report) -> StateGraph | None:
    resolution = loaded.resolution
    graphs: list[StateGraph | None] = []

    def job(watch: Watch) -> None:
        graphs.append(
            compile_graph(
                resolution.manifests,
                loaded.definitions,
                config,
                resolution.state_ids,
                resolution.ui_index,
                report,
                watch,
                resolution.state_nodes,
            )
        )

    _run(loaded, job, report)
    return graphs[0] if graphs else None


def _complete(loaded: LoadedMods, config: SystemConfig, report: Report) -> None:
    """The code of some Mods has failed. The states of the others are built all the same, so that their faults
    are in the report too.
    """

    def job(watch: Watch) -> None:
        ids = loaded.resolution.state_ids
        build_states(loaded.manifests, loaded.definitions, config, ids, report, watch)

    if not loaded.stuck:
        _run(loaded, job, report)


def _run(loaded: LoadedMods, job: Callable[[Watch], None], report: Report) -> None:
    stuck = loaded.run(job)
    if stuck is not None:
        report.add(stuck.diagnostic())


def _attach_models(
    node: StateNode, period: float, now: Callable[[], float], beside: bool, report: Report
) -> None:
    for inference in node.inferences:
        try:
            inference.attach(now, beside=beside, control_period=period)
        except ValueError as error:
            report.add(
                Diagnostic(
                    "model-limit",
                    f"'{node.name}' cannot run in this loop: {error}.",
                    mod=node.mod,
                    file=str(node.root / "mod.yaml"),
                    subject=node.name,
                    hint="The limits of a model are given where the state makes its Inference.",
                )
            )


def _load_at_once(graph: StateGraph, report: Report) -> None:
    """The states that may be entered at any time cannot wait for their resources and models then."""
    for name in dict.fromkeys((graph.initial, graph.stop, graph.fault)):
        node = graph.states[name]
        steps = [(handle.name, handle.get) for handle in node.handles]
        steps += [(inference.model.name, inference.prepare) for inference in node.inferences]
        failed: set[str] = set()
        for resource, step in steps:
            error = None if resource in failed else guarded(step).error
            if error is not None:
                failed.add(resource)
                report.add(
                    Diagnostic(
                        "resource-failed",
                        f"'{name}' must be ready at any time, but its resource '{resource}' did not load: "
                        f"{describe_error(error)}",
                        mod=node.mod,
                        subject=resource,
                        hint="Mend the resource, or choose another state for the start, stops and faults.",
                    )
                )
