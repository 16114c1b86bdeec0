"""Finds imports of another Mod's packages by a Mod that may not count on them, before any code runs.

An exported package belongs to the Mods that require its Mod, a vendored one to its own Mod alone. Without
this check such an import would work or fail by the order in which Mods load.
"""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence

from bxi_framework.loading.findings import Findings
from bxi_framework.manifest.mod import ModManifest


def check_imports(
    manifests: Sequence[ModManifest], brought: Mapping[str, Sequence[str]], findings: Findings
) -> None:
    """Look through the Mods' own Python files. They are read only if some Mod exports or brings a package,
    and parsed only if they mention one.

    ``brought`` are the packages that exist only in vendor folders: the ids of their Mods by name.
    """
    exported = {name: manifest.id for manifest in manifests for name in manifest.python_exports}
    for manifest in manifests if exported or brought else ():
        allowed = {manifest.id, *(requirement.id for requirement in manifest.requires)}
        strange = {name: owner for name, owner in exported.items() if owner not in allowed}
        hidden = {
            name: owners[0]
            for name, owners in brought.items()
            if manifest.id not in owners and name not in exported
        }
        if strange or hidden:
            _check_files(manifest, strange, hidden, findings)


def _check_files(
    manifest: ModManifest, strange: Mapping[str, str], hidden: Mapping[str, str], findings: Findings
) -> None:
    """``strange`` are exports of Mods that this one does not require, ``hidden`` what others bring."""
    told: set[str] = set()
    for file, name, line in _imports(str(manifest.root), {*strange, *hidden}):
        if name in told:
            continue
        told.add(name)
        if name in strange:
            findings.add(
                manifest,
                "reference-without-requires",
                f"The package '{name}' belongs to '{strange[name]}', which this Mod does not require.",
                "requires",
                hint=f"Add '{strange[name]}' to 'requires'.",
                subject=name,
                place=(file, line),
            )
        else:
            findings.add(
                manifest,
                "import-of-vendored",
                f"The package '{name}' is in the vendor folder of '{hidden[name]}' and for that Mod alone.",
                "requires",
                hint="Move it into a Mod that exports it, and require that Mod.",
                subject=name,
                place=(file, line),
            )


def _imports(root: str, names: set[str]) -> Iterator[tuple[str, str, int]]:
    """File, top-level name and line of each import of one of ``names``."""
    words = [name.encode() for name in names]
    for file in _python_files(root):
        try:
            with open(file, "rb") as source:
                text = source.read()
        except OSError:
            continue
        if any(word in text for word in words):
            yield from ((file, name, line) for name, line in _imported(text) if name in names)


def _python_files(root: str) -> Iterator[str]:
    """The Mod's own files, without what it brings."""
    for folder, inside, files in os.walk(root):
        skipped = {"vendor", "assets", "__pycache__"} if folder == root else {"__pycache__"}
        inside[:] = sorted(name for name in inside if name not in skipped and not name.startswith("."))
        paths = (os.path.join(folder, name) for name in sorted(files) if name.endswith(".py"))
        yield from filter(os.path.isfile, paths)


def _imported(text: bytes) -> Iterator[tuple[str, int]]:
    """The top-level names that a file imports; none of a file that is no Python, which is told when it is
    imported.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0], node.lineno
