"""A node as the manifests describe it, and the order in which nodes start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.node_decl import NodeDecl
from bxi_framework.mod_api.definition import NodeFactory
from bxi_framework.mod_api.node import NodeBuildContext


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """A node to run; ``name`` and ``depends_on`` are full names, ``root`` is its Mod's folder. A node that is
    a process has no ``factory`` here.
    """

    name: str
    mod: str
    root: Path
    label: str
    depends_on: tuple[str, ...]
    context: NodeBuildContext
    decl: NodeDecl
    factory: NodeFactory | None


def node_specs(
    manifests: Iterable[ModManifest], factories: Mapping[str, NodeFactory], namespace: str = ""
) -> tuple[NodeSpec, ...]:
    """The nodes of the Mods that run, in the order of the manifests.

    ``namespace`` is that of the control node; a node's own one lies below it.
    """
    return tuple(
        NodeSpec(
            name=node.name,
            mod=manifest.id,
            root=manifest.root,
            label=node.label or node.local,
            depends_on=node.depends_on,
            context=NodeBuildContext(
                node_name=node.local,
                mod_id=manifest.id,
                params=node.params,
                arguments=node.arguments,
                namespace=_join(namespace, node.namespace),
                remappings=node.remappings,
            ),
            decl=node,
            factory=factories.get(node.name),
        )
        for manifest in manifests
        for node in manifest.nodes
    )


def start_order(specs: Sequence[NodeSpec]) -> tuple[NodeSpec, ...]:
    """Every node after those it depends on; nodes in a circle, or that depend on one, come last."""
    waiting = list(specs)
    known = {spec.name for spec in specs}
    placed: dict[str, NodeSpec] = {}
    while True:
        free = [
            spec for spec in waiting if all(name in placed or name not in known for name in spec.depends_on)
        ]
        if not free:
            return (*placed.values(), *waiting)
        placed[free[0].name] = free[0]
        waiting.remove(free[0])


def _join(outer: str, inner: str) -> str:
    """``inner`` below ``outer``; an absolute one stays as it is."""
    if inner.startswith("/"):
        return inner
    return f"{outer.rstrip('/')}/{inner}" if inner else outer
