"""The state graph as data and as drawings: JSON for tools, Mermaid and DOT for people."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from bxi_framework.diagnostics.guard import describe_error, guarded
from bxi_framework.machine.graph import NamedTransition, Route, StateGraph, StateNode


def graph_as_dict(graph: StateGraph) -> dict[str, object]:
    """Everything that an operator or a tool may ask of the graph, as plain data."""
    return {
        "initial": graph.initial,
        "stop": graph.stop,
        "fault": graph.fault,
        "states": [_state(node) for node in graph.states.values()],
        "routes": [_route(route) for route in graph.routes],
        "events": [
            {"name": event.name, "slot": event.slot, "value": event.value} for event in graph.events.values()
        ],
        "transitions": {name: _snapshot(motion) for name, motion in graph.profiles.items()},
    }


def graph_as_json(graph: StateGraph) -> str:
    """`graph_as_dict` as indented JSON."""
    return json.dumps(graph_as_dict(graph), ensure_ascii=False, indent=2)


def graph_as_mermaid(graph: StateGraph) -> str:
    """A Mermaid state diagram; states are shown by label, routes by event, time and transition."""
    ids = {name: f"s{number}" for number, name in enumerate(graph.states)}
    lines = ["stateDiagram-v2"]
    lines += [f'    state "{_mermaid(_title(node))}" as {ids[name]}' for name, node in graph.states.items()]
    lines.append(f"    [*] --> {ids[graph.initial]}")
    lines += [
        f"    {ids[route.source]} --> {ids[route.target]} : {_mermaid(_words(route))}"
        for route in graph.routes
    ]
    for node in graph.states.values():
        lines += [
            f"    {ids[node.name]} : {_mermaid(f'{action.event} does {action.name}')}"
            for action in node.actions.values()
        ]
    return "\n".join(lines) + "\n"


def graph_as_dot(graph: StateGraph) -> str:
    """A Graphviz digraph with one cluster for each group; stop and fault state have a double border."""
    groups: dict[str, list[StateNode]] = {}
    for node in graph.states.values():
        groups.setdefault(node.look.group, []).append(node)
    lines = ["digraph states {", "    rankdir=LR;", '    node [shape=box, style="rounded"];']
    for number, (group, nodes) in enumerate(groups.items()):
        indent = "    "
        if group:
            lines += [f"    subgraph cluster_{number} {{", f"        label={_dot(group)};"]
            indent = "        "
        lines += [indent + _dot_node(node, graph) for node in nodes]
        if group:
            lines.append("    }")
    lines += [
        f"    {_dot(route.source)} -> {_dot(route.target)} [label={_dot(_words(route))}];"
        for route in graph.routes
    ]
    return "\n".join([*lines, "}"]) + "\n"


FORMATS: Final[Mapping[str, Callable[[StateGraph], str]]] = MappingProxyType(
    {"mermaid": graph_as_mermaid, "dot": graph_as_dot, "json": graph_as_json}
)
"""How a graph can be written, by name."""

SUFFIXES: Final[Mapping[str, str]] = MappingProxyType({".mmd": "mermaid", ".dot": "dot", ".json": "json"})
"""The format that belongs to a file name's ending."""


def _state(node: StateNode) -> dict[str, object]:
    look = node.look
    return {
        "name": node.name,
        "id": node.state.state_id,
        "mod": node.mod,
        "label": look.label,
        "group": look.group,
        "icon": look.icon,
        "priority": look.priority,
        "index": node.index,
        "confirm": look.confirm,
        "confirm_message": look.confirm_message,
        "actions": [
            {"event": action.event, "action": action.name, "label": action.label, "ui": action.ui}
            for action in node.actions.values()
        ],
    }


def _route(route: Route) -> dict[str, object]:
    return {
        "from": route.source,
        "to": route.target,
        "event": route.event,
        "after": route.after,
        "delay": route.delay,
        "mod": route.mod,
        "transition": {"name": route.motion.name, **_snapshot(route.motion)},
    }


def _snapshot(motion: NamedTransition) -> dict[str, object]:
    """What the transition says of itself; a Mod's own type may raise or give what JSON cannot hold."""
    outcome = guarded(motion.transition.config_snapshot)
    if not isinstance(outcome.value, Mapping):
        reason = "no mapping" if outcome.error is None else describe_error(outcome.error)
        return {"type": motion.transition.type_name, "config_snapshot": reason}
    return {str(key): _plain(value) for key, value in outcome.value.items()}


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value)


def _title(node: StateNode) -> str:
    label = node.look.label
    return f"{label} ({node.name})" if label and label != node.name else node.name


def _words(route: Route) -> str:
    cause = route.event if route.event is not None else f"after {route.after:g} s"
    delay = f", {route.delay:g} s later" if route.delay else ""
    return f"{cause}{delay} / {route.motion.name}"


def _mermaid(text: str) -> str:
    """Free text with everything that means something to Mermaid as entities."""
    return "".join(
        c if c.isalnum() or c in " _-./,()" else " " if c.isspace() else f"#{ord(c)};" for c in text
    )


def _dot(text: str) -> str:
    escaped = " ".join(text.replace("\\", "\\\\").replace('"', '\\"').split())
    return f'"{escaped}"'


def _dot_node(node: StateNode, graph: StateGraph) -> str:
    marks = [f"label={_dot(_title(node))}"]
    if node.name in (graph.stop, graph.fault):
        marks.append("peripheries=2")
    if node.name == graph.initial:
        marks.append("penwidth=2")
    return f"{_dot(node.name)} [{', '.join(marks)}];"
