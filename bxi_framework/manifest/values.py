"""Scalars and plain data from nodes: types come from a scalar's text and style alone.

Plain ``true`` and ``false`` are booleans; ``null``, ``~`` and nothing are None; decimal integers without
leading zeros are whole numbers; ``1.5``, ``.5`` and ``1e-3`` are numbers. All else, and whatever is quoted,
is text: ``no``, ``010`` and ``12:30`` too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from yaml.nodes import MappingNode, Node, ScalarNode

Scalar = None | bool | int | float | str

_WORDS: Final[Mapping[str, Scalar]] = {"true": True, "false": False, "null": None, "~": None, "": None}
_NUMBER_BEGINS: Final = frozenset("0123456789+-.")
_NUMBER_HOLDS: Final = frozenset("0123456789+-.eE")
_LONGEST_INTEGER: Final = 30


def scalar(node: ScalarNode) -> Scalar:
    """The value of a scalar node."""
    text: str = node.value
    if node.style:
        return text
    if text and text[0] in _NUMBER_BEGINS:
        return _number(text)
    return _WORDS.get(text, text)


def _number(text: str) -> Scalar:
    digits = text[1:] if text[0] in "+-" else text
    if len(digits) > 1 and digits[0] == "0" and digits[1] not in ".eE":
        return text
    if not _NUMBER_HOLDS.issuperset(digits):
        return text
    if digits.isdecimal():
        return int(text) if len(digits) <= _LONGEST_INTEGER else text
    try:
        return float(text)
    except ValueError:
        return text


def key_text(node: Node) -> str | None:
    """A mapping key as text; None for a key that is no scalar."""
    return node.value if isinstance(node, ScalarNode) else None


def plain(node: Node) -> object:
    """A whole tree as plain data: dictionaries with text keys, lists, scalars."""
    if isinstance(node, ScalarNode):
        return scalar(node)
    if isinstance(node, MappingNode):
        return {key.value: plain(value) for key, value in node.value if isinstance(key, ScalarNode)}
    return [plain(item) for item in node.value]
