"""Reads a mapping of the file key by key, also what is nested in it; whatever is wrong becomes a fault and a
harmless value takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bxi_framework.manifest.fields import Fields, found_in
from bxi_framework.manifest.keys import check_keys
from bxi_framework.manifest.values import plain, scalar

INT32: Final = (-(2**31), 2**31 - 1)


class Block(Fields):
    """One mapping with what is nested in it."""

    __slots__ = ()

    def block(self, key: str) -> Block | None:
        """The mapping at ``key``; None if the key is absent or holds something else (a fault)."""
        node = self.fields.get(key)
        if node is None:
            return None
        if isinstance(node, MappingNode):
            return Block(self.faults, node, self.path(key))
        self.wrong_type(key, "a mapping", "Write 'key: value' lines below it, or {} for none.")
        return None

    def items(self, key: str) -> list[Node]:
        """The items of the list at ``key``; empty if the key is absent or holds something else (a fault)."""
        node = self.fields.get(key)
        if node is None:
            return []
        if isinstance(node, SequenceNode):
            items: list[Node] = node.value
            return items
        self.wrong_type(key, "a list", "Write '- item' lines below it, or [] for none.")
        return []

    def texts(self, key: str) -> Iterator[tuple[str, str, Node]]:
        """The items of a list of texts as (path, text, node); an item of another type is a fault and left
        out.
        """
        for index, item in enumerate(self.items(key)):
            path = f"{self.path(key)}[{index}]"
            value = scalar(item) if isinstance(item, ScalarNode) else None
            if isinstance(value, str):
                yield path, value, item
            else:
                message = f"This item must be text, not {found_in(item)}."
                hint = f'Put it in quotes: "{item.value}".' if isinstance(item, ScalarNode) else None
                self.faults.at(item, "wrong-type", message, field=path, hint=hint)

    def integers(self, key: str, low: int, high: int, what: str) -> tuple[int, ...]:
        """A list of whole numbers from ``low`` to ``high``; ``what`` names one of them in a sentence."""
        found = []
        for index, item in enumerate(self.items(key)):
            value = scalar(item) if isinstance(item, ScalarNode) else None
            if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
                found.append(value)
            else:
                self.faults.at(
                    item,
                    "wrong-type",
                    f"{what} is a whole number from {low} to {high}.",
                    field=f"{self.path(key)}[{index}]",
                )
        return tuple(found)

    def blocks(self, key: str) -> Iterator[Block]:
        """The items of a list of mappings; an item of another type is a fault and left out."""
        for index, item in enumerate(self.items(key)):
            path = f"{self.path(key)}[{index}]"
            if isinstance(item, MappingNode):
                yield Block(self.faults, item, path)
            else:
                message = f"This item must be a mapping, not {found_in(item)}."
                self.faults.at(item, "wrong-type", message, field=path)

    def named(self, key: str, accept: Callable[[str], bool], rule: str) -> Iterator[tuple[str, Block]]:
        """The entries ``name: {…}`` of the mapping at ``key``; a bad name or an entry that is no mapping is a
        fault.
        """
        holder = self.block(key)
        if holder is None:
            return
        for key_node, node in holder.node.value:
            name = key_node.value
            if not isinstance(name, str) or holder.fields.get(name) is not node:
                continue
            if not accept(name):
                self.faults.at(
                    key_node,
                    "bad-name",
                    f"'{name}' is not a valid name here.",
                    field=holder.path(name),
                    hint=rule,
                    subject=name,
                )
            if isinstance(node, MappingNode):
                yield name, Block(self.faults, node, holder.path(name))
            else:
                holder.wrong_type(name, "a mapping", "Write 'key: value' lines below it, or {} for none.")

    def data(self, key: str) -> dict[str, object]:
        """The mapping at ``key`` as plain data; empty if the key is absent."""
        holder = self.block(key)
        return {} if holder is None else holder.as_data()

    def as_data(self, *, but: Collection[str] = ()) -> dict[str, object]:
        """This block as plain data, without the keys ``but``."""
        result: dict[str, object] = {}
        for key, node in self.fields.items():
            if key not in but:
                if not isinstance(node, ScalarNode):
                    check_keys(self.faults, node, self.path(key))
                result[key] = plain(node)
        return result
