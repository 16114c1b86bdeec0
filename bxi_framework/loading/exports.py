"""Checks the top-level Python packages that Mods export."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable

from bxi_framework.loading.findings import Findings
from bxi_framework.manifest.mod import ModManifest


def check_exports(manifest: ModManifest, findings: Findings) -> None:
    """An exported package is a folder with ``__init__.py`` and hides nothing that is installed."""
    for index, name in enumerate(manifest.python_exports):
        field = f"python_exports[{index}]"
        folder = manifest.root / name
        if not os.path.isfile(folder / "__init__.py"):
            findings.add(
                manifest,
                "export-missing",
                f"The exported package '{name}' is no folder of the Mod with an __init__.py.",
                field,
                hint=f"Create {name}/__init__.py, or remove the entry.",
                subject=name,
            )
        elif name in sys.stdlib_module_names or _is_elsewhere(name, str(folder)):
            findings.add(
                manifest,
                "export-hides-module",
                f"The exported package '{name}' would hide an installed module of that name.",
                field,
                hint="Rename the package.",
                subject=name,
            )


def _is_elsewhere(name: str, folder: str) -> bool:
    """True if ``import name`` finds something outside ``folder``."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and not (spec.origin or "").startswith(os.path.join(folder, ""))


def check_shared_exports(manifests: Iterable[ModManifest], findings: Findings) -> None:
    """No two Mods export packages of one name."""
    owners: dict[str, str] = {}
    for manifest in manifests:
        for index, name in enumerate(manifest.python_exports):
            owner = owners.setdefault(name, manifest.id)
            if owner != manifest.id:
                findings.add(
                    manifest,
                    "export-twice",
                    f"The package '{name}' is exported by '{owner}' and by '{manifest.id}'.",
                    f"python_exports[{index}]",
                    hint="Rename one of the packages.",
                    subject=name,
                )
