"""Composes YAML text into nodes: with positions, never deeper than `MAX_DEPTH`, without resolving tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import yaml
from yaml.nodes import Node
from yaml.tokens import Token

MAX_DEPTH: Final = 50

if TYPE_CHECKING or not hasattr(yaml, "CSafeLoader"):
    from yaml import SafeLoader as _Parser
else:
    from yaml.cyaml import CParser as _Parser


class TooDeepError(Exception):
    """Values are nested deeper than `MAX_DEPTH`; ``line`` and ``column``, from 1, say where."""

    def __init__(self, line: int, column: int) -> None:
        super().__init__(f"nested too deep at {line}:{column}")
        self.line = line
        self.column = column


class _Composer(_Parser):
    """The C parser where it is installed, otherwise the pure Python one.

    Tags are not resolved: types come from text and style later, and only a tag that stands in the text is
    kept.
    """

    depth = 0

    def resolve(self, kind: type[Node], value: Any, implicit: Any) -> str:
        """The tag of a node that has none."""
        return ""

    def descend_resolver(self, current_node: Node | None, current_index: Any) -> None:
        """A node begins."""
        self.depth += 1
        if self.depth > MAX_DEPTH + 1 and current_node is not None:
            mark = current_node.start_mark
            raise TooDeepError(mark.line + 1, mark.column + 1)

    def ascend_resolver(self) -> None:
        """A node has ended."""
        self.depth -= 1


def compose(text: str) -> Node | None:
    """The document's root node; None for an empty document.

    Raises:
        yaml.YAMLError: the text is not one YAML document.
        TooDeepError: it is nested too deep.
    """
    composer = _Composer(text)
    try:
        return composer.get_single_node()
    finally:
        composer.dispose()


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text that can be composed."""
    composer = _Composer(text)
    try:
        while composer.check_token():
            token: Token = composer.get_token()  # type: ignore[no-untyped-call]
            yield token
    finally:
        composer.dispose()
