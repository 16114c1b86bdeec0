"""Line and column of a field path in a file's text; asked only when something is wrong."""

from __future__ import annotations

import yaml
from yaml.nodes import MappingNode, Node, SequenceNode

from bxi_framework.manifest.composing import TooDeepError, compose
from bxi_framework.manifest.mod import ModManifest, NodeDecl, StateDecl
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.manifest.trouble import position


def locate(text: str, field: str) -> tuple[int, int] | None:
    """Where the value of ``field`` (``states.wave.params.amplitude``, ``routes[0].to``) begins, counted from
    1.

    Where the path ends early, the last part that is there counts; None if not even the first is.
    """
    try:
        node = compose(text)
    except (yaml.YAMLError, TooDeepError):
        return None
    found: Node | None = None
    rest = field
    while node is not None and rest:
        node, rest = _step(node, rest)
        found = node or found
    return None if found is None else position(found)


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


def _step(node: Node, field: str) -> tuple[Node | None, str]:
    """The child that ``field`` begins with, and what is left of the path; the longest key that fits wins."""
    if field.startswith("[") and isinstance(node, SequenceNode):
        index, _, rest = field[1:].partition("]")
        inside = index.isdigit() and int(index) < len(node.value)
        return (node.value[int(index)] if inside else None), rest.removeprefix(".")
    if not isinstance(node, MappingNode):
        return None, field
    best: tuple[Node | None, str] = (None, field)
    longest = -1
    for key_node, value in node.value:
        key = key_node.value
        if not isinstance(key, str) or len(key) <= longest or not field.startswith(key):
            continue
        rest = field[len(key) :]
        if not rest or rest[0] in ".[":
            best = (value, rest.removeprefix("."))
            longest = len(key)
    return best
