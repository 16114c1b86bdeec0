"""Checks how nodes depend on each other, and finds those that cannot run on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from bxi_framework.loading.cycles import find_cycles
from bxi_framework.loading.findings import Findings
from bxi_framework.loading.node_files import machine_lacks
from bxi_framework.manifest.mod import ModManifest, NodeDecl
from bxi_framework.manifest.names import owner_of

MOST_CYCLES: Final = 20

Owned = tuple[ModManifest, NodeDecl]


def check_node_graph(manifests: Iterable[ModManifest], findings: Findings) -> None:
    """No circles, and no node that outlives one on which it depends."""
    nodes = {node.name: (manifest, node) for manifest in manifests for node in manifest.nodes}
    for manifest, node in nodes.values():
        for index, name in enumerate(node.depends_on):
            if name in nodes:
                _check_lifecycle(
                    manifest, node, nodes[name][1], f"{node.field}.depends_on[{index}]", findings
                )
    needs = {
        name: [other for other in node.depends_on if other in nodes] for name, (_, node) in nodes.items()
    }
    for cycle in find_cycles(needs, MOST_CYCLES):
        _report_cycle(nodes[cycle[0]], cycle, findings)


def _check_lifecycle(
    manifest: ModManifest, node: NodeDecl, needed: NodeDecl, field: str, findings: Findings
) -> None:
    if needed.lifecycle != "state":
        return
    if node.lifecycle != "state":
        message = (
            f"The node '{node.local}' lives as long as its Mod, but '{needed.name}' runs only in some states."
        )
        hint = "Write 'lifecycle: state' with the same states here, or 'lifecycle: mod' there."
    else:
        lacking = [state for state in node.states if state not in needed.states]
        if not lacking:
            return
        message = (
            f"The node '{node.local}' also runs in {', '.join(lacking)}, "
            f"where '{needed.name}', on which it depends, does not."
        )
        hint = f"Add the missing states to '{needed.name}', or remove them here."
    findings.add(manifest, "node-lifecycle", message, field, hint=hint, subject=needed.name)


def _report_cycle(owned: Owned, cycle: Sequence[str], findings: Findings) -> None:
    manifest, node = owned
    following = cycle[1] if len(cycle) > 1 else cycle[0]
    path = " -> ".join((*cycle, cycle[0]))
    findings.add(
        manifest,
        "node-cycle",
        f"Nodes depend on each other in a circle: {path}.",
        f"{node.field}.depends_on[{node.depends_on.index(following)}]",
        hint="Remove one of these dependencies.",
        subject=path,
        blame={owner_of(name) for name in cycle},
    )


def unavailable_nodes(manifests: Sequence[ModManifest], findings: Findings) -> dict[str, str]:
    """The nodes that lack something on this machine, and all that depend on them, each with the reason and a
    warning.
    """
    reasons: dict[str, str] = {}
    for manifest in manifests:
        for node in manifest.nodes:
            for field, reason in machine_lacks(manifest, node):
                reasons.setdefault(node.name, reason)
                _warn(manifest, node, reason, field, findings)
    grown = bool(reasons)
    while grown:
        grown = False
        for manifest in manifests:
            for node in manifest.nodes:
                lacking = next((name for name in node.depends_on if name in reasons), None)
                if lacking is not None and node.name not in reasons:
                    reasons[node.name] = f"it depends on '{lacking}' ({reasons[lacking]})"
                    field = f"{node.field}.depends_on[{node.depends_on.index(lacking)}]"
                    _warn(manifest, node, reasons[node.name], field, findings)
                    grown = True
    return reasons


def _warn(manifest: ModManifest, node: NodeDecl, reason: str, field: str, findings: Findings) -> None:
    findings.add(
        manifest,
        "node-unavailable",
        f"The node '{node.name}' is unavailable: {reason}.",
        field,
        hint="The Mod runs without it. Install what is missing to use it.",
        subject=node.name,
        warning=True,
    )


def nodes_of_states(manifests: Iterable[ModManifest]) -> dict[str, tuple[str, ...]]:
    """The nodes that run only in some states, by full state name."""
    found: dict[str, tuple[str, ...]] = {}
    for manifest in manifests:
        for node in manifest.nodes:
            for state in node.states:
                found[state] = (*found.get(state, ()), node.name)
    return found


def without_nodes(manifest: ModManifest, gone: Mapping[str, str]) -> ModManifest:
    """The manifest without the nodes in ``gone``."""
    if not any(node.name in gone for node in manifest.nodes):
        return manifest
    return replace(manifest, nodes=tuple(node for node in manifest.nodes if node.name not in gone))
