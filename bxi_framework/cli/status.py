"""``bxi status``: shows what a running control node does."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from bxi_framework.cli.parsing import Parser, add_namespace, add_timeout

_BUSY: Final = 5.0
"""Percent of a CPU from which a node is worth naming."""


def run(words: Sequence[str]) -> int:
    """Print the state; 1 if nobody answers."""
    parser = Parser("status", "Show what a running control node does.")
    parser.add_argument("--json", action="store_true", help="print the JSON of the topic ~/state")
    add_namespace(parser)
    add_timeout(parser)
    values = parser.read(words)

    from bxi_framework.ros.client import read_state

    state = read_state(values.namespace, values.timeout)
    print(json.dumps(state, ensure_ascii=False, indent=2) if values.json else "\n".join(lines(state)))
    return 0


def _input(name: str, each: Any) -> str:
    if each["lost"]:
        return f"{name} LOST" if each["age"] is None else f"{name} LOST for {each['age']:.1f} s"
    return f"{name} never" if each["age"] is None else f"{name} {each['age']:.2f} s ago"


def _policy(policy: Any) -> str:
    """What the model of the state in control has cost, and how old its inputs are."""
    asked = policy["inference"]
    said = [_input(topic, each) for topic, each in policy["inputs"].items()]
    if asked is not None:
        figures = f"last {asked['last_ms']:.1f} ms, worst {asked['worst_ms']:.1f} ms"
        said.insert(0, f"{asked['calls']} calls, {asked['late']} late, {figures}")
    return ", ".join(said)


def _nodes(nodes: Any) -> str:
    """How many are in which state, the names of those that have failed, and the busiest."""
    counts = Counter(node["state"] for node in nodes)
    failed = [node["name"] for node in nodes if node["state"] in ("faulted", "restarting")]
    said = ", ".join(f"{count} {state}" for state, count in counts.items())
    said = f"{said}: {', '.join(failed)}" if failed else said
    busiest = max(nodes, key=lambda node: node["cpu_percent"] or 0.0)
    percent = busiest["cpu_percent"] or 0.0
    return f"{said}; {busiest['name']} takes {percent:.0f} % of a CPU" if percent >= _BUSY else said


def lines(state: Any) -> Iterable[str]:
    """The state for a terminal."""
    current, run, control = state["current"], state["transition"], state["control"]
    yield f"state       {current['name']} for {current['elapsed']:.1f} s"
    if run is not None:
        yield f"transition  {run['from']} -> {run['to']} by {run['type']}, {100 * run['progress']:.0f} %"
    if state["pending"] is not None:
        pending = state["pending"]
        yield f"pending     {pending['to']} in {pending['remaining']:.1f} s ({pending['trigger']})"
    if state["preparing"] is not None:
        ready = state["preparing"]
        yield f"preparing   {ready['to']} for {ready['elapsed']:.1f} s, waiting for {ready['awaits']}"
    if state["stop"]["latched"]:
        yield f"stop        {state['stop']['reason']}; nothing moves until it is resumed"
    if state["passive"] is not None:
        yield f"passive     {state['passive']}"
    if state["held"] is not None:
        yield f"held        {state['held']}"
    if state["ignored"] is not None:
        yield f"ignored     {state['ignored']['name']}: {state['ignored']['reason']}"
    yield f"control     {'active' if control['active'] else 'inactive'}, velocity from {control['velocity']}"
    yield f"inputs      {', '.join(_input(name, each) for name, each in state['inputs'].items())}"
    if state["policy"] is not None:
        yield f"policy      {_policy(state['policy'])}"
    if state["nodes"]:
        yield f"nodes       {_nodes(state['nodes'])}"
    timing = state["timing"]
    if timing["ticks"] == 0:
        yield f"timing      {1e6 / timing['period_us']:g} Hz, not measured yet"
        return
    yield (
        f"timing      {1e6 / timing['period_us']:g} Hz, lateness p99 {timing['lateness_p99_us']:.0f} µs, "
        f"compute p99 {timing['compute_p99_us']:.0f} µs, "
        f"skipped cycles {timing['skipped']}"
        f"{', stalls ' + str(timing['stalls']) if timing['stalls'] else ''}"
    )
