"""What YAML allows and these files do not: tags, aliases that expand without bound, tabs as white space."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from yaml.nodes import MappingNode, Node, SequenceNode

from bxi_framework.manifest.composing import tokens

MAX_NODES: Final = 10_000
_LINE_BREAK: Final = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class TreeFaults:
    """Nodes with a tag, and what the tree grows to when every alias is written out: nodes, and levels of
    nesting.
    """

    tagged: tuple[Node, ...]
    nodes: int
    levels: int


def tree_faults(root: Node) -> TreeFaults:
    """Look at every node once, writing no alias out. A tree that contains itself has too many nodes."""
    tagged: list[Node] = []
    grown: dict[int, tuple[int, int]] = {}

    def visit(node: Node) -> None:
        grown[id(node)] = (MAX_NODES + 1, 1)
        if node.tag:
            tagged.append(node)
        nodes, levels = 1, 0
        for child in _children(node):
            if id(child) not in grown:
                visit(child)
            child_nodes, child_levels = grown[id(child)]
            nodes += child_nodes
            levels = max(levels, child_levels)
        grown[id(node)] = (nodes, levels + 1)

    visit(root)
    return TreeFaults(tuple(tagged), *grown[id(root)])


def _children(node: Node) -> list[Node]:
    if isinstance(node, MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, SequenceNode) else []


def lines_of(text: str) -> list[str]:
    """The lines as YAML counts them."""
    return _LINE_BREAK.split(text)


def unwanted_tab(text: str) -> tuple[int, int] | None:
    """Line and column, from 1, of the first tab that is neither part of a value nor of a comment."""
    lines = lines_of(text)
    end = (0, 0)
    for token in tokens(text):
        found = _tab_between(lines, end, (token.start_mark.line, token.start_mark.column))
        if found is not None:
            return found
        end = (token.end_mark.line, token.end_mark.column)
    return _tab_between(lines, end, (len(lines) - 1, len(lines[-1])))


def _tab_between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> tuple[int, int] | None:
    for number in range(start[0], min(end[0] + 1, len(lines))):
        first = start[1] if number == start[0] else 0
        last = end[1] if number == end[0] else len(lines[number])
        gap = lines[number][first:last].split("#", 1)[0]
        if "\t" in gap:
            return number + 1, first + gap.index("\t") + 1
    return None
