"""Mods in installed Python packages: which packages offer some, found without importing anything."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, EntryPoint, distributions, entry_points
from pathlib import Path
from typing import Final

ENTRY_POINT_GROUP: Final = "bxi_framework.mods"


@dataclass(frozen=True, slots=True)
class ModPackage:
    """An entry point of the group: ``name`` is what a person knows it by; without a ``folder`` there is a
    ``problem``.
    """

    name: str
    folder: Path | None
    problem: str = ""


def mod_packages() -> list[ModPackage]:
    """The entry points of all installed packages, by name; those that lead nowhere too."""
    try:
        entries: Iterable[EntryPoint] = entry_points(group=ENTRY_POINT_GROUP)
        broken: list[ModPackage] = []
    except Exception:
        # One package whose list of entry points is damaged must not take those of all others along.
        entries, broken = _readable_entries()
    ordered = sorted(entries, key=lambda entry: (entry.name, entry.value))
    return [*(_mod_package(entry) for entry in ordered), *broken]


def package_folder(name: str) -> Path | None:
    """The folder of a Python package; None if there is no package of that name."""
    spec = _spec(name)
    locations = None if spec is None else spec.submodule_search_locations
    return Path(next(iter(locations))) if locations else None


def _mod_package(entry: EntryPoint) -> ModPackage:
    name = f"{entry.name} = {entry.value}"
    package = entry.value.partition(":")[0].strip()
    folder = package_folder(package)
    if folder is not None:
        return ModPackage(name, folder)
    owner = f" of '{entry.dist.name}'" if entry.dist is not None else ""
    spec = _spec(package)
    if spec is None:
        return ModPackage(name, None, f"The package of the entry point '{name}'{owner} is not there.")
    return ModPackage(
        name, None, f"The entry point '{name}'{owner} names a single module, not a package with a folder."
    )


def _spec(name: str) -> ModuleSpec | None:
    """What would be imported. Only the top-level name may come from an import hook, such as an editable
    installation has; a hook that fails finds nothing.
    """
    top, *rest = name.split(".")
    try:
        spec = importlib.util.find_spec(top) if top else None
        full = top
        for part in rest:
            if spec is None or spec.submodule_search_locations is None:
                return None
            full = f"{full}.{part}"
            spec = PathFinder.find_spec(full, list(spec.submodule_search_locations))
    except Exception:
        return None
    return spec


def _readable_entries() -> tuple[list[EntryPoint], list[ModPackage]]:
    """The entries package by package, the first of a name as usual, and what is damaged."""
    entries: list[EntryPoint] = []
    broken: list[ModPackage] = []
    seen: set[str] = set()
    for package in distributions():
        name = (package.metadata["Name"] or "").lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        try:
            entries.extend(entry for entry in package.entry_points if entry.group == ENTRY_POINT_GROUP)
        except Exception as error:
            if _mentions_group(package, error):
                problem = f"The entry points of the package '{name}' cannot be read."
                broken.append(ModPackage(name, None, problem))
    return entries, broken


def _mentions_group(package: Distribution, error: Exception) -> bool:
    if isinstance(error, UnicodeDecodeError):
        return ENTRY_POINT_GROUP.encode() in error.object
    return ENTRY_POINT_GROUP in (package.read_text("entry_points.txt") or "")
