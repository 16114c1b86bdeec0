"""Lays ``KEY=VALUE`` from the command line over the tree of a configuration file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode

from bxi_framework.diagnostics import Diagnostic
from bxi_framework.manifest.composing import TooDeepError, compose
from bxi_framework.manifest.strictness import tree_faults
from bxi_framework.manifest.trouble import CommandLineMark, Faults

_COMPOSED: Final = ("[", "{", '"', "'")
_PART: Final = re.compile(r'"[^"]+"|[^".=]+')
_FORM: Final = re.compile(
    rf"\s*(?P<key>(?:{_PART.pattern})(?:\.(?:{_PART.pattern}))*)=(?P<value>.*)", re.DOTALL
)


def apply_overrides(faults: Faults, root: MappingNode, overrides: Sequence[str]) -> MappingNode:
    """The tree with each override put in its place; the nodes of an override know that they come from the
    command line.

    A part of the key that holds dots itself, such as a Mod's id, is put in double quotes. The value is typed
    like a plain scalar of the file; one that begins with a bracket or a quote is read as YAML. Whether the
    key exists is found out by whoever reads the tree.
    """
    for override in overrides:
        place = f"--set {override}"
        match = _FORM.fullmatch(override)
        if match is None:
            faults.found.append(
                Diagnostic(
                    "override-form",
                    f"'{override}' is not of the form KEY=VALUE.",
                    file=place,
                    subject=override,
                    hint="Write for example control_runtime.period_sec=0.01.",
                )
            )
            continue
        parts = [part.strip('"') for part in _PART.findall(match["key"])]
        node = _value(faults, match["value"], place)
        if node is not None:
            root = _put(root, parts, node)
    return root


def _value(faults: Faults, text: str, place: str) -> Node | None:
    if not text.lstrip().startswith(_COMPOSED):
        return _scalar(text.strip(), place)
    try:
        node = compose(text)
    except (yaml.YAMLError, TooDeepError):
        node = None
    if node is None or tree_faults(node).tagged:
        faults.found.append(
            Diagnostic(
                "override-form",
                "The value cannot be read.",
                file=place,
                subject=text,
                hint="Close brackets and quotes, and quote the whole for the shell.",
            )
        )
        return None
    _mark(node, place)
    return node


def _mark(node: Node, place: str) -> None:
    mark: Any = CommandLineMark(place)
    node.start_mark = mark
    children = [part for pair in node.value for part in pair] if isinstance(node, MappingNode) else node.value
    for child in children if not isinstance(node, ScalarNode) else ():
        _mark(child, place)


def _scalar(text: str, place: str) -> ScalarNode:
    mark: Any = CommandLineMark(place)
    return ScalarNode("", text, mark, mark, "")


def _put(root: MappingNode, parts: Sequence[str], value: Node) -> MappingNode:
    """A copy of ``root`` with ``value`` at the path ``parts``; what is no mapping on the way makes room for
    one.
    """
    key, rest = parts[0], parts[1:]
    entries = list(root.value)
    index = next((i for i, (node, _) in enumerate(entries) if node.value == key), None)
    if rest:
        old = entries[index][1] if index is not None else None
        inner = (
            old
            if isinstance(old, MappingNode)
            else MappingNode("", [], value.start_mark, value.end_mark, False)
        )
        value = _put(inner, rest, value)
    if index is None:
        mark: Any = value.start_mark
        entries.append((ScalarNode("", key, mark, mark, ""), value))
    else:
        entries[index] = (entries[index][0], value)
    return MappingNode(root.tag, entries, root.start_mark, root.end_mark, root.flow_style)
