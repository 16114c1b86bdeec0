"""What Mods that stay would miss of Mods that are removed: in their manifests and in their code."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from bxi_framework.diagnostics import Diagnostic
from bxi_framework.loading.references import references
from bxi_framework.manifest.locate import locate
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.names import owner_of


class NeedsCheck:
    """Looks for what Mods need of removed ones. An optional requirement says that a Mod does without: what
    the framework drops then, and what the Mod's own code does, is no need.
    """

    def __init__(self, removed: Sequence[ModManifest]) -> None:
        self._removed = {manifest.id for manifest in removed}
        self._exports = {name: manifest.id for manifest in removed for name in manifest.python_exports}

    def of_manifest(self, manifest: ModManifest) -> list[Diagnostic]:
        """The needs that a manifest states."""
        needed = self._removed - _optional(manifest)
        found = []
        for requirement in manifest.requires:
            if requirement.id in needed:
                what = f"'{manifest.id}' requires '{requirement.id}'"
                found.append(_at_field(manifest, requirement.field, what, requirement.id))
        for reference in references(manifest):
            owner = owner_of(reference.name)
            if owner in needed:
                what = f"'{manifest.id}' names the {reference.kind} '{reference.name}' of '{owner}'"
                found.append(_at_field(manifest, reference.field, what, owner))
        for field, text in _params(manifest):
            owner = _named(text, needed)
            if owner:
                what = f"A parameter of '{manifest.id}' names '{text}' of '{owner}'"
                found.append(_at_field(manifest, field, what, owner))
        return found

    def of_code(self, manifest: ModManifest, root: Path, files: Sequence[Path]) -> list[Diagnostic]:
        """The needs in Python files, given relative to ``root``: names of removed Mods in texts, and imports
        of packages that they export.
        """
        needed = self._removed - _optional(manifest)
        exports = {name: owner for name, owner in self._exports.items() if owner in needed}
        found = []
        for file in files:
            for line, column, what, owner in _mentions(root / file, needed, exports):
                place = (str(manifest.root / file), line, column)
                found.append(_need(manifest, f"The code of '{manifest.id}' {what}", owner, *place, None))
        return found


def _optional(manifest: ModManifest) -> set[str]:
    return {requirement.id for requirement in manifest.requires if requirement.optional}


def _params(manifest: ModManifest) -> Iterator[tuple[str, str]]:
    """The texts in the parameters of states and nodes, with their field paths."""
    for state in manifest.states:
        yield from _texts(state.params, f"{state.field}.params")
    for node in manifest.nodes:
        yield from _texts(node.params, f"{node.field}.params")


def _texts(value: object, field: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, f"{field}.{key}")
    elif isinstance(value, (list, tuple)):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{field}[{index}]")


def _named(text: str, ids: Collection[str]) -> str:
    """The id that a text is, or that the full name in it begins with; empty for none."""
    owner = text.partition("/")[0]
    return owner if owner in ids else ""


def _mentions(
    file: Path, ids: Collection[str], exports: Mapping[str, str]
) -> Iterator[tuple[int, int, str, str]]:
    """Line, column, what is done there and with which Mod. A file that is no Python is searched as text."""
    text = file.read_text(encoding="utf-8", errors="replace")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        for number, line in enumerate(text.splitlines(), start=1):
            for owner in ids:
                if owner in line:
                    yield number, line.index(owner) + 1, f"names '{owner}'", owner
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            owner = _named(node.value, ids)
            if owner:
                yield node.lineno, node.col_offset + 1, f"names '{node.value}'", owner
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for module in _imported(node):
                owner = exports.get(module.partition(".")[0], "")
                if owner:
                    what = f"imports '{module}' of '{owner}'"
                    yield node.lineno, node.col_offset + 1, what, owner


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if node.level == 0 and node.module is not None else []


def _at_field(manifest: ModManifest, field: str, what: str, owner: str) -> Diagnostic:
    line, column = locate(manifest.text, field) or (1, 1)
    return _need(manifest, what, owner, str(manifest.path), line, column, field)


def _need(
    manifest: ModManifest, what: str, owner: str, file: str, line: int, column: int, field: str | None
) -> Diagnostic:
    return Diagnostic(
        "publish-needs-protected",
        f"{what}, which is protected and would be left out.",
        mod=manifest.id,
        file=file,
        line=line,
        column=column,
        field=field,
        subject=owner,
        hint=f"Do without it here, move what is shared into a public Mod, or make '{owner}' public.",
    )
