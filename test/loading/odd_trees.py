"""Changes a YAML text as a tree, so that it stays YAML: entries dropped, doubled, renamed, exchanged."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode

from bxi_framework.manifest.composing import compose


@dataclass
class Branch:
    """A mapping (with ``keys``) or a list of texts and further branches."""

    values: list[Branch | str] = field(default_factory=list)
    keys: list[str] | None = None


@dataclass
class Spot:
    """Where a value stands."""

    branch: Branch
    index: int

    @property
    def value(self) -> Branch | str:
        return self.branch.values[self.index]

    @value.setter
    def value(self, value: Branch | str) -> None:
        self.branch.values[self.index] = value


Edit = Callable[[Spot, Spot, str, str], None]


def changed(edit: Edit, data: bytes, first: int, second: int, word: str, key: str) -> bytes:
    """The text with an edit at two spots of its tree; as it is if it is no YAML."""
    try:
        root = compose(data.decode())
    except (yaml.YAMLError, UnicodeDecodeError):
        return data
    top = branch_of(root) if root is not None else ""
    if isinstance(top, str):
        return data
    spots = list(spots_of(top))
    if not spots:
        return data
    edit(spots[first % len(spots)], spots[second % len(spots)], word, key)
    if top.keys is None:
        return text_of(top).encode()
    lines = (f"{key}: {text_of(value)}\n" for key, value in zip(top.keys, top.values, strict=True))
    return "".join(lines).encode("utf-8", errors="surrogatepass")


def branch_of(node: Node) -> Branch | str:
    """A node and everything below it. Quoted texts stay quoted."""
    if isinstance(node, ScalarNode):
        return json.dumps(node.value, ensure_ascii=False) if node.style else node.value
    if isinstance(node, MappingNode):
        return Branch([branch_of(value) for _, value in node.value], [key_of(key) for key, _ in node.value])
    return Branch([branch_of(item) for item in node.value])


def key_of(node: Node) -> str:
    return node.value if isinstance(node, ScalarNode) else "odd"


def text_of(value: Branch | str) -> str:
    """The value in flow style."""
    if isinstance(value, str):
        return value
    if value.keys is None:
        return f"[{', '.join(map(text_of, value.values))}]"
    entries = (f"{key}: {text_of(item)}" for key, item in zip(value.keys, value.values, strict=True))
    return f"{{{', '.join(entries)}}}"


def spots_of(branch: Branch, depth: int = 0) -> list[Spot]:
    """All values below a branch."""
    found = []
    for index, value in enumerate(branch.values):
        found.append(Spot(branch, index))
        if isinstance(value, Branch) and depth < 40:
            found += spots_of(value, depth + 1)
    return found


def drop(here: Spot, there: Spot, word: str, key: str) -> None:
    del here.branch.values[here.index]
    if here.branch.keys is not None:
        del here.branch.keys[here.index]


def double(here: Spot, there: Spot, word: str, key: str) -> None:
    here.branch.values.append(here.value)
    if here.branch.keys is not None:
        here.branch.keys.append(here.branch.keys[here.index])


def double_renamed(here: Spot, there: Spot, word: str, key: str) -> None:
    here.branch.values.append(here.value)
    if here.branch.keys is not None:
        here.branch.keys.append(f"{here.branch.keys[here.index]}2")


def rename(here: Spot, there: Spot, word: str, key: str) -> None:
    if here.branch.keys is not None:
        here.branch.keys[here.index] = key


def put_word(here: Spot, there: Spot, word: str, key: str) -> None:
    here.value = word


def put_copy(here: Spot, there: Spot, word: str, key: str) -> None:
    here.value = branch_copy(there.value)


def exchange(here: Spot, there: Spot, word: str, key: str) -> None:
    here.value, there.value = branch_copy(there.value), branch_copy(here.value)


def add(here: Spot, there: Spot, word: str, key: str) -> None:
    branch = here.value if isinstance(here.value, Branch) else here.branch
    branch.values.append(branch_copy(there.value))
    if branch.keys is not None:
        branch.keys.append(key)


def add_word(here: Spot, there: Spot, word: str, key: str) -> None:
    branch = here.value if isinstance(here.value, Branch) else here.branch
    branch.values.append(word)
    if branch.keys is not None:
        branch.keys.append(key)


def wrap(here: Spot, there: Spot, word: str, key: str) -> None:
    here.value = Branch([branch_copy(here.value)], [key] if len(word) % 2 else None)


def branch_copy(value: Branch | str) -> Branch | str:
    """A copy, so that no branch holds itself."""
    if isinstance(value, str):
        return value
    return Branch([branch_copy(item) for item in value.values], None if value.keys is None else [*value.keys])


TREE_EDITS: tuple[Edit, ...] = (
    drop,
    double,
    double_renamed,
    rename,
    put_word,
    put_word,
    put_word,
    put_copy,
    exchange,
    add,
    add_word,
    wrap,
)
