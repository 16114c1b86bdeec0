"""Checks what Mods bring under ``vendor/``: nothing of it hides something else without a word."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence

from bxi_framework.loading.availability import has_module
from bxi_framework.loading.findings import Findings
from bxi_framework.loading.vendor import foreign_bundles, library_files, vendor_folders, vendored_names
from bxi_framework.manifest.mod import ModManifest

_FIELD = "id"


def check_vendor(manifests: Iterable[ModManifest], findings: Findings) -> dict[str, list[str]]:
    """Check what each Mod brings, by itself and against the others.

    Returns:
        The packages that this machine has only in Mods: the ids of their Mods by name.
    """
    manifests = tuple(manifests)
    exported = {name: manifest.id for manifest in manifests for name in manifest.python_exports}
    brought: dict[str, str] = {}
    libraries: dict[str, str] = {}
    only: dict[str, list[str]] = {}
    for manifest in manifests:
        if not os.path.isdir(os.path.join(manifest.root, "vendor")):
            continue
        folders = vendor_folders(manifest.root)
        names = vendored_names(folders)
        known = _check_known(manifest, names, findings)
        if runs_here(manifest):
            _check_twice(manifest, names, exported, brought, findings)
            _check_libraries(manifest, library_files(folders), libraries, findings)
        for name in names:
            if name not in known:
                only.setdefault(name, []).append(manifest.id)
    return only


def runs_here(manifest: ModManifest) -> bool:
    """True if code of the Mod runs in the control process."""
    nodes = any(node.execution == "in_process" for node in manifest.nodes)
    return bool(manifest.entrypoint or manifest.states or manifest.python_exports or nodes)


def _check_known(manifest: ModManifest, names: Sequence[str], findings: Findings) -> set[str]:
    """One warning each for bundles that are not for this machine, and for packages that the standard library
    or this machine has as well; returns those names.
    """
    foreign = foreign_bundles(manifest.root)
    if foreign:
        message = f"brings bundles for other machines, which are not used: {', '.join(foreign)}."
        _warn(manifest, findings, "vendor-foreign-bundle", message, None)
    standard = [name for name in names if name in sys.stdlib_module_names]
    if standard:
        message = f"brings modules that the standard library has, and that are never used: {_list(standard)}."
        hint = "Remove them from vendor/python, or rename them."
        _warn(manifest, findings, "vendor-standard-module", message, hint)
    installed = [name for name in names if name not in standard and has_module(name)]
    if installed:
        message = f"brings packages that are installed here too, and uses its own copies: {_list(installed)}."
        hint = "Remove them from vendor/python if the installed ones will do."
        _warn(manifest, findings, "vendor-beside-installed", message, hint)
    return {*standard, *installed}


def _check_twice(
    manifest: ModManifest,
    names: Sequence[str],
    exported: Mapping[str, str],
    brought: dict[str, str],
    findings: Findings,
) -> None:
    """``exported`` and ``brought`` are owners by name; the latter is filled."""
    for name in names:
        owner = brought.setdefault(name, manifest.id)
        how = "brought" if owner != manifest.id else "exported" if name in exported else ""
        if how:
            other = owner if how == "brought" else exported[name]
            findings.add(
                manifest,
                "vendor-twice",
                f"The package '{name}' is {how} by '{other}', and '{manifest.id}' brings one too.",
                _FIELD,
                hint="Have one Mod export it, and let the others require that Mod.",
                subject=name,
            )


def _check_libraries(
    manifest: ModManifest, files: Sequence[str], libraries: dict[str, str], findings: Findings
) -> None:
    for file in files:
        name = os.path.basename(file)
        owner = libraries.setdefault(name, manifest.id)
        if owner != manifest.id:
            message = f"brings the library '{name}', as '{owner}' does, whose copy serves both."
            hint = "Bring it once, in a Mod that both require."
            _warn(manifest, findings, "vendor-library-twice", message, hint)


def _warn(manifest: ModManifest, findings: Findings, code: str, message: str, hint: str | None) -> None:
    said = f"'{manifest.id}' {message}"
    findings.add(manifest, code, said, _FIELD, hint=hint, subject=manifest.id, warning=True)


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)
