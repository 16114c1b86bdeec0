"""The keys of a mapping: words, each given once, and no merge keys."""

from __future__ import annotations

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bxi_framework.manifest.trouble import Faults, position


def unique_fields(faults: Faults, node: MappingNode, field: str) -> dict[str, Node]:
    """The entries of a mapping; a key given twice, a merge key, or a key that is no scalar is a fault and
    left out.
    """
    fields: dict[str, Node] = {}
    first: dict[str, Node] = {}
    for key_node, value in node.value:
        key = key_node.value
        path = f"{field}.{key}" if field else str(key)
        if not isinstance(key_node, ScalarNode):
            faults.at(
                key_node, "yaml-key", "A key must be a word, not a list or a mapping.", field=field or None
            )
        elif key == "<<" and not key_node.style:
            faults.at(
                key_node,
                "yaml-merge-key",
                "Merge keys are not allowed.",
                field=path,
                hint="Write the fields out.",
            )
        elif key in first:
            line = position(first[key])[0]
            again = position(key_node)[0]
            faults.at(
                key_node,
                "yaml-duplicate-key",
                f"'{key}' is given twice, on line {line} and on line {again}.",
                field=path,
                hint="Keep one of the two.",
                subject=key,
            )
        else:
            first[key] = key_node
            fields[key] = value
    return fields


def check_keys(faults: Faults, node: Node, field: str) -> None:
    """Look for faulty keys in a tree that becomes plain data."""
    if isinstance(node, MappingNode):
        for key, value in unique_fields(faults, node, field).items():
            if not isinstance(value, ScalarNode):
                check_keys(faults, value, f"{field}.{key}")
    elif isinstance(node, SequenceNode):
        for index, item in enumerate(node.value):
            if not isinstance(item, ScalarNode):
                check_keys(faults, item, f"{field}[{index}]")
