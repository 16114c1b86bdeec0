"""Collects the faults of one file; each names the place of the node at fault."""

from __future__ import annotations

from yaml.nodes import Node, ScalarNode

from bxi_framework.diagnostics import Diagnostic


class CommandLineMark:
    """Stands for a position in a file in nodes that come from the command line."""

    def __init__(self, text: str) -> None:
        self.text = text


class Faults:
    """The faults of one file. ``mod`` is the id of the Mod that the file belongs to, once it is known."""

    __slots__ = ("file", "found", "mod")

    def __init__(self, file: str) -> None:
        self.file = file
        self.mod: str | None = None
        self.found: list[Diagnostic] = []

    def add(
        self,
        code: str,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        field: str | None = None,
        hint: str | None = None,
        subject: str | None = None,
    ) -> None:
        """A fault at a known position."""
        self.found.append(
            Diagnostic(
                code,
                message,
                mod=self.mod,
                file=self.file,
                line=line,
                column=column,
                field=field,
                subject=subject,
                hint=hint,
            )
        )

    def at(
        self,
        node: Node,
        code: str,
        message: str,
        *,
        field: str | None,
        hint: str | None = None,
        subject: str | None = None,
        offset: int | None = None,
    ) -> None:
        """A fault where ``node`` begins, or ``offset`` characters into the text of a scalar."""
        mark: object = node.start_mark
        if isinstance(mark, CommandLineMark):
            self.found.append(
                Diagnostic(code, message, file=mark.text, field=field, subject=subject, hint=hint)
            )
            return
        line, column = position(node) if offset is None else position_in(node, offset)
        self.add(code, message, line=line, column=column, field=field, hint=hint, subject=subject)


def position(node: Node) -> tuple[int, int]:
    """Line and column where a node begins, counted from 1."""
    mark = node.start_mark
    return mark.line + 1, mark.column + 1


def position_in(node: Node, offset: int) -> tuple[int, int]:
    """Line and column of a character of a scalar's text, counted from 1; where the scalar begins if its text
    is not written out letter by letter on one line.
    """
    line, column = position(node)
    begin, end = node.start_mark, node.end_mark
    quotes = 1 if isinstance(node, ScalarNode) and node.style in ("'", '"') else 0
    if not node.value or begin.line != end.line or end.column - begin.column != len(node.value) + 2 * quotes:
        return line, column
    return line, column + quotes + offset
