"""Reads the nodes that a manifest declares. This version runs Python nodes inside the control process."""

from __future__ import annotations

from typing import Final

from yaml.nodes import ScalarNode

from bxi_framework.manifest.block import Block
from bxi_framework.manifest.header import is_entrypoint
from bxi_framework.manifest.mod import NodeDecl
from bxi_framework.manifest.names import LOCAL_RULE, is_local
from bxi_framework.manifest.states import reference
from bxi_framework.manifest.values import scalar

NODE_FIELDS: Final = frozenset(
    (
        "runtime",
        "entrypoint",
        "execution",
        "lifecycle",
        "depends_on",
        "params",
        "arguments",
        "namespace",
        "remappings",
        "manifest",
    )
)
_RUNS: Final = {"runtime": "python", "execution": "in_process", "lifecycle": "mod"}
_KNOWN: Final = {
    "runtime": ("python", "executable", "ros", "command"),
    "execution": ("in_process", "process"),
    "lifecycle": ("mod", "state"),
}


def read_nodes(top: Block, mod_id: str) -> tuple[NodeDecl, ...]:
    """The nodes that this Mod declares; one with a fault is left out."""
    found = []
    faults = top.faults.found
    for name, block in top.named("nodes", is_local, LOCAL_RULE):
        before = len(faults)
        block.only(NODE_FIELDS, f"Node '{name}'")
        for key, only in _RUNS.items():
            value = block.choice(key, _KNOWN[key], _KNOWN[key][0])
            if value != only:
                block.fault(
                    key,
                    "node-unsupported",
                    f"This version runs nodes with '{key}: {only}' only, not '{value}'.",
                    f"Write '{key}: {only}'.",
                    subject=value,
                )
        entrypoint = block.some_text("entrypoint")
        if entrypoint and not is_entrypoint(entrypoint):
            hint = "Write 'module:function', such as node:create_node."
            block.fault("entrypoint", "bad-entrypoint", f"'{entrypoint}' is not an entrypoint.", hint)
        look = block.block("manifest")
        if look is not None:
            look.only({"label"}, "'manifest' of a node")
        node = NodeDecl(
            name=f"{mod_id}/{name}",
            local=name,
            entrypoint=entrypoint,
            depends_on=_depends_on(block, mod_id),
            params=block.data("params"),
            arguments=tuple(text for _, text, _ in block.texts("arguments")),
            namespace=block.text("namespace", ""),
            remappings=_remappings(block),
            label=look.text("label", "") if look is not None else "",
            field=block.field,
        )
        if len(faults) == before:
            found.append(node)
    return tuple(found)


def _depends_on(block: Block, mod_id: str) -> tuple[str, ...]:
    found = []
    for field, text, node in block.texts("depends_on"):
        if "/" in text or is_local(text):
            found.append(reference(block, "depends_on", text, mod_id))
        else:
            block.faults.at(
                node, "bad-name", f"'{text}' is not a valid name.", field=field, hint=LOCAL_RULE, subject=text
            )
    return tuple(found)


def _remappings(block: Block) -> dict[str, str]:
    holder = block.block("remappings")
    found = {}
    for name, node in holder.fields.items() if holder is not None else ():
        value = scalar(node) if isinstance(node, ScalarNode) else None
        if isinstance(value, str) and value:
            found[name] = value
        elif holder is not None:
            holder.wrong_type(name, "a ROS name")
    return found
