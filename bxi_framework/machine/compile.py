"""From manifests and definitions to the immutable state graph: every name resolved, every transition built
and checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.diagnostics.time_limit import Watch
from bxi_framework.machine.build_actions import build_actions
from bxi_framework.machine.build_states import BuiltState, build_states
from bxi_framework.machine.build_transitions import TransitionBuilder
from bxi_framework.machine.graph import Action, NamedTransition, Route, StateGraph, StateNode
from bxi_framework.machine.placing import locate_diagnostic, place_among
from bxi_framework.manifest.mod import ModManifest, RouteDecl
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.mod_api.definition import ModDefinition
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.motion import TransitionTypes


def compile_graph(
    manifests: Sequence[ModManifest],
    definitions: Mapping[str, ModDefinition],
    config: SystemConfig,
    state_ids: Mapping[str, int],
    ui_index: Mapping[str, int],
    report: Report,
    watch: Watch | None = None,
    state_nodes: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> StateGraph | None:
    """Compile the graph of a resolved set.

    Args:
        manifests: the enabled Mods in load order; all references in them are known to resolve.
        definitions: the code side by mod id.
        config: names the initial, stop and fault state and the system's transition profiles.
        state_ids: the numeric id by full state name.
        ui_index: the place in an operator's list by full state name.
        report: receives every fault.
        watch: makes the calls of state factories and of transition types of Mods; by default nobody looks how
            long they take.
        state_nodes: the nodes that run only in some states, by full state name. The stop and the fault state
            wait for none of them, since they must be there at any time.

    Returns:
        The graph, or ``None`` if the report gained an error.
    """
    errors_before = len(report.errors)
    roots = [manifest.root for manifest in manifests]
    watch = watch or Watch()
    builder = TransitionBuilder(*_types(manifests, definitions), roots, report, watch)
    builder.add_profiles(None, config.path, config.text, config.transition_profiles)
    for manifest in manifests:
        builder.add_profiles(manifest.id, manifest.path, manifest.text, manifest.transition_profiles)
    built = build_states(manifests, definitions, config, state_ids, report, watch)
    fault_motion = builder.resolve_config(config, "fault_transition", config.fault_transition)
    default_motion = builder.resolve_config(config, "default_transition", config.default_transition)
    if fault_motion is None or default_motion is None or len(report.errors) > errors_before:
        return None
    routes = _routes(manifests, built, builder, default_motion, report)
    if len(report.errors) > errors_before:
        return None
    actions = build_actions(manifests, built, report)
    awaited = {**state_nodes, config.stop_state: (), config.fault_state: ()}
    nodes = {
        name: _node(state, ui_index[name], routes.get(name, []), actions.get(name, {}), awaited.get(name, ()))
        for name, state in built.items()
    }
    return StateGraph(
        states=MappingProxyType(nodes),
        events=MappingProxyType({event.name: event for m in manifests for event in m.events}),
        profiles=MappingProxyType(dict(builder.profiles)),
        speed_profiles=MappingProxyType({p.name: p.profile for m in manifests for p in m.speed_profiles}),
        initial=config.initial_state,
        stop=config.stop_state,
        fault=config.fault_state,
        fault_motion=fault_motion,
        default_motion=default_motion,
    )


def _types(
    manifests: Sequence[ModManifest], definitions: Mapping[str, ModDefinition]
) -> tuple[TransitionTypes, dict[str, ModManifest]]:
    """All transition types, and the Mods of those that the framework does not bring."""
    types = TransitionTypes()
    owners: dict[str, ModManifest] = {}
    for manifest in manifests:
        definition = definitions.get(manifest.id)
        for plugin in definition.transition_plugins if definition is not None else ():
            types = types.extended(plugin)
            owners[plugin.type_name] = manifest
    return types, owners


def _routes(
    manifests: Sequence[ModManifest],
    built: Mapping[str, BuiltState],
    builder: TransitionBuilder,
    default: NamedTransition,
    report: Report,
) -> dict[str, list[Route]]:
    routes: dict[str, list[Route]] = {}
    order = 0
    for manifest in manifests:
        for decl in manifest.routes:
            motion = builder.resolve_route(manifest, decl) if decl.transition is not None else default
            order += 1
            if motion is None:
                continue
            _validate(manifest, decl, motion, built, builder, report)
            routes.setdefault(decl.source, []).append(
                Route(
                    decl.source, decl.target, decl.event, decl.after, decl.delay, motion, order, manifest.id
                )
            )
    return routes


def _validate(
    manifest: ModManifest,
    decl: RouteDecl,
    motion: NamedTransition,
    built: Mapping[str, BuiltState],
    builder: TransitionBuilder,
    report: Report,
) -> None:
    code, hint = (
        "transition-unsuitable",
        "Use another transition, or give the state the method that is named.",
    )
    error = builder.check(motion, built[decl.source].state, built[decl.target].state).error
    if error is None:
        return
    reason = str(error)
    if not isinstance(error, ValueError):
        code, hint = "transition-failed", "Mend the code of the transition type at that line."
        reason = place_among(error, [state.root for state in built.values()])
    fault = Diagnostic(
        code,
        f"{decl.source} -> {decl.target}: {reason}",
        mod=manifest.id,
        file=str(manifest.path),
        field=f"{decl.field}.transition" if decl.transition is not None else decl.field,
        subject=motion.name,
        hint=hint,
    )
    report.add(locate_diagnostic(fault, manifest.text))


def _node(
    built: BuiltState,
    index: int,
    routes: list[Route],
    actions: Mapping[str, Action],
    nodes: tuple[str, ...],
) -> StateNode:
    return StateNode(
        name=built.state.name,
        mod=built.mod,
        root=built.root,
        index=index,
        state=built.state,
        look=built.look,
        handles=built.handles,
        prepares=type(built.state).on_prepare is not RobotControlState.on_prepare,
        routes={r.event: r for r in routes if r.event is not None},
        timed=tuple(sorted((r for r in routes if r.after is not None), key=lambda r: r.after or 0.0)),
        actions=actions,
        nodes=nodes,
        inferences=built.inferences,
    )
