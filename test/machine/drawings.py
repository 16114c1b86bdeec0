"""Readers of drawings of state graphs; each knows the statements that are needed here, no others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_TEXT = r"(?P<text>(?:[\w \-./,()]|#\d+;)*)"
_LINES: Mapping[str, re.Pattern[str]] = {
    "state": re.compile(rf' {{4}}state "{_TEXT}" as (?P<id>s\d+)'),
    "start": re.compile(r" {4}\[\*\] --> (?P<id>s\d+)"),
    "route": re.compile(rf" {{4}}(?P<id>s\d+) --> (?P<to>s\d+) : {_TEXT}"),
    "action": re.compile(rf" {{4}}(?P<id>s\d+) : {_TEXT}"),
}


def read_mermaid(text: str) -> dict[str, list[dict[str, str]]]:
    """The statements of a drawing by kind; a line that is none of them is an error."""
    head, *lines = text.splitlines()
    assert head == "stateDiagram-v2"
    found: dict[str, list[dict[str, str]]] = {kind: [] for kind in _LINES}
    for line in lines:
        matches = {kind: form.fullmatch(line) for kind, form in _LINES.items()}
        kind, match = next(((k, m) for k, m in matches.items() if m), ("", None))
        assert match is not None, f"no statement of a state diagram: {line!r}"
        parts = match.groupdict()
        if "text" in parts:
            parts["text"] = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), parts["text"])
        found[kind].append(parts)
    return found


_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\\n\r]|\\.)*")|(?P<word>[A-Za-z_][A-Za-z_0-9]*|\d+)|(?P<mark>->|[{}\[\]=;,]))"""
)


@dataclass
class Dot:
    """What a DOT file says."""

    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    edges: list[tuple[str, str, str]] = field(default_factory=list)


class DotReader:
    """Reads the part of the DOT language that is needed here, and nothing else."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = []
        place, end = 0, len(text.rstrip())
        while place < end:
            match = _TOKEN.match(text, place)
            assert match is not None, f"no token of DOT: {text[place : place + 40]!r}"
            self._tokens.append(match.group(match.lastgroup or 0))
            place = match.end()
        self.dot = Dot()

    def read(self) -> Dot:
        assert self._take() == "digraph"
        assert self._take().isidentifier()
        self._statements("")
        assert not self._tokens, f"after the end: {self._tokens}"
        return self.dot

    def _statements(self, group: str) -> None:
        assert self._take() == "{"
        while self._tokens[0] != "}":
            self._statement(group)
        self._take()

    def _statement(self, group: str) -> None:
        name = self._take()
        if name == "subgraph":
            inner = self._take()
            assert inner.startswith("cluster_") and not group
            self._statements(inner)
            return
        if self._tokens[0] == "=":
            self._take()
            self.dot.groups[f"{group} {name}".strip()] = self._text()
        elif self._tokens[0] == "->":
            self._take()
            target = self._text()
            self.dot.edges.append((unquoted(name), target, self._attributes()["label"]))
        else:
            attributes = self._attributes()
            if name.startswith('"'):
                assert unquoted(name) not in self.dot.nodes, "a node is drawn twice"
                self.dot.nodes[unquoted(name)] = {**attributes, "group": group}
            else:
                assert name == "node", f"a word of DOT that nobody meant: {name}"
        assert self._take() == ";"

    def _attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        assert self._take() == "["
        while True:
            key = self._take()
            assert key.isidentifier() and self._take() == "="
            found[key] = self._text()
            mark = self._take()
            if mark == "]":
                return found
            assert mark == ","

    def _text(self) -> str:
        return unquoted(self._take())

    def _take(self) -> str:
        assert self._tokens, "the file ends too early"
        return self._tokens.pop(0)


def unquoted(token: str) -> str:
    """The text that Graphviz shows. After a backslash only a quote or another one may come: any other sign
    would be an order, such as a line break, which no label may give.
    """
    if not token.startswith('"'):
        return token
    orders = re.findall(r"\\(.)", token[1:-1])
    assert set(orders) <= {'"', "\\"}, f"an order to Graphviz: {token}"
    return re.sub(r"\\(.)", r"\1", token[1:-1])
