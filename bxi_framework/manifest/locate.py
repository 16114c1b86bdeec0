"""Line and column of a field path in a file's text; asked only when something is wrong."""

from __future__ import annotations

from functools import lru_cache

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bxi_framework.manifest.composing import TooDeepError, compose
from bxi_framework.manifest.mod import ModManifest, NodeDecl, StateDecl
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.manifest.trouble import position


def locate(text: str, field: str) -> tuple[int, int] | None:
    """Where the value of ``field`` (``states.wave.params.amplitude``, ``routes[0].to``) begins, counted from
    1.

    Where the path ends early, the last part that is there counts; None if not even the first is.
    """
    return _tree(text).locate(field)


@lru_cache(maxsize=4)
def _tree(text: str) -> _Tree:
    """The last few texts are kept, since faults of one file come one after the other."""
    return _Tree(text)


class _Tree:
    """A text's tree, with the entries of its mappings by key."""

    def __init__(self, text: str) -> None:
        try:
            self._root = compose(text)
        except (yaml.YAMLError, TooDeepError):
            self._root = None
        self._entries: dict[int, dict[str, Node]] = {}

    def locate(self, field: str) -> tuple[int, int] | None:
        """See `locate`."""
        node, found, rest = self._root, None, field
        while node is not None and rest:
            node, rest = self._step(node, rest)
            found = node or found
        return None if found is None else position(found)

    def _step(self, node: Node, field: str) -> tuple[Node | None, str]:
        """The child that ``field`` begins with, and what is left of the path; the longest key that fits
        wins.
        """
        if field.startswith("[") and isinstance(node, SequenceNode):
            index, _, rest = field[1:].partition("]")
            inside = index.isdigit() and int(index) < len(node.value)
            return (node.value[int(index)] if inside else None), rest.removeprefix(".")
        if not isinstance(node, MappingNode):
            return None, field
        entries = self._entries_of(node)
        for end in range(len(field), 0, -1):
            if end == len(field) or field[end] in ".[":
                child = entries.get(field[:end])
                if child is not None:
                    return child, field[end:].removeprefix(".")
        return None, field

    def _entries_of(self, node: MappingNode) -> dict[str, Node]:
        entries = self._entries.get(id(node))
        if entries is None:
            # Of a key given twice the first counts, as when the file was read.
            entries = {key.value: value for key, value in reversed(node.value) if isinstance(key, ScalarNode)}
            self._entries[id(node)] = entries
        return entries


def locate_param(
    manifest: ModManifest, config: SystemConfig | None, decl: StateDecl | NodeDecl, path: str
) -> tuple[str, str, tuple[int, int] | None]:
    """File, field path and position of a parameter, which the configuration or the manifest gives.

    ``path`` is the path below ``params``; empty for all of them.
    """
    kind = "states" if isinstance(decl, StateDecl) else "nodes"
    overlay = config.mods.params.get(manifest.id, {}) if config is not None else {}
    given = overlay.get(kind, {}).get(decl.local, {})
    if config is not None and any(
        path == name or path.startswith((f"{name}.", f"{name}[")) for name in given
    ):
        field = f"mods.params.{manifest.id}.{kind}.{decl.local}.{path}"
        return str(config.path), field, locate(config.text, field)
    field = f"{decl.field}.params.{path}" if path else f"{decl.field}.params"
    return str(manifest.path), field, locate(manifest.text, field)
