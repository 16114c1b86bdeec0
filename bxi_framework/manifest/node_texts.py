"""Looks for faulty placeholders in the texts of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bxi_framework.manifest.block import Block
from bxi_framework.manifest.placeholders import PlaceholderFault, fact_faults
from bxi_framework.manifest.trouble import Faults
from bxi_framework.manifest.values import scalar

Check = Callable[[str], Iterable[PlaceholderFault]]


def check_texts(block: Block, key: str) -> None:
    """Every text at any depth of the value of ``key``."""
    node = block.fields.get(key)
    if node is not None:
        check_texts_below(block.faults, node, block.path(key))


def check_texts_below(faults: Faults, node: Node, field: str) -> None:
    """Every text at any depth of ``node``, which stands at the path ``field``."""
    for path, text_node in _texts(node, field):
        check_text(faults, text_node, path, fact_faults)


def check_text(faults: Faults, node: ScalarNode, field: str, check: Check) -> None:
    """One text; each fault stands where its placeholder begins."""
    text: str = node.value
    if "\0" in text:
        faults.at(
            node,
            "bad-expansion",
            "A text for a node cannot hold the character U+0000.",
            field=field,
            hint="Remove it.",
        )
    for fault in check(text):
        faults.at(
            node,
            fault.code,
            fault.message,
            field=field,
            hint=fault.hint,
            subject=fault.subject,
            offset=fault.offset,
        )


def _texts(node: Node, field: str) -> Iterator[tuple[str, ScalarNode]]:
    if isinstance(node, ScalarNode):
        if isinstance(scalar(node), str):
            yield field, node
    elif isinstance(node, MappingNode):
        for key, value in node.value:
            yield from _texts(value, f"{field}.{key.value}")
    elif isinstance(node, SequenceNode):
        for index, item in enumerate(node.value):
            yield from _texts(item, f"{field}[{index}]")
