"""Where Mods are looked for, in which order."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.machinery import PathFinder
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from bxi_framework.loading.ament_index import package_prefix
from bxi_framework.manifest.system import SystemConfig

ENTRY_POINT_GROUP: Final = "bxi_framework.mods"
ENVIRONMENT_VARIABLE: Final = "BXI_MOD_PATH"
_PACKAGE: Final = "bxi_framework"


class Origin(str, Enum):
    """Who named a root."""

    BUILT_IN = "built-in"
    ENTRY_POINT = "entry point"
    CONFIGURATION = "configuration"
    ARGUMENT = "--mod-path"
    ENVIRONMENT = ENVIRONMENT_VARIABLE


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to search. ``config`` and ``field`` say where in the configuration it is named, if it is.

    ``path`` is None for an entry point whose package is not there; ``name`` is how a person knows the root.
    """

    path: Path | None
    origin: Origin
    name: str
    config: SystemConfig | None = None
    field: str | None = None


def default_roots(config: SystemConfig | None, mod_paths: Sequence[Path] = ()) -> tuple[Root, ...]:
    """All roots in order: built-in, entry points, configuration, ``mod_paths`` (the command line's),
    environment.
    """
    return (
        *built_in_roots(),
        *_entry_point_roots(),
        *_configured_roots(config),
        *(Root(path.absolute(), Origin.ARGUMENT, str(path)) for path in mod_paths),
        *_environment_roots(os.environ.get(ENVIRONMENT_VARIABLE, "")),
    )


def built_in_roots() -> tuple[Root, ...]:
    """The folder of the Mods that come with the framework, if it can be found."""
    share = share_folder()
    return () if share is None else (Root(share / "mods", Origin.BUILT_IN, "built-in Mods"),)


def share_folder() -> Path | None:
    """The folder that holds ``mods/`` and ``config/``: the source tree when running from it, else the
    installed share.
    """
    source = Path(__file__).resolve().parents[2]
    if (source / "package.xml").is_file():
        return source
    installed = Path(sys.prefix, "share", _PACKAGE)
    if installed.is_dir():
        return installed
    prefix = package_prefix(_PACKAGE)
    return None if prefix is None else prefix / "share" / _PACKAGE


def package_folder(name: str) -> Path | None:
    """The folder of a Python package, found without importing anything."""
    locations: list[str] | None = None
    full = ""
    for part in name.split("."):
        full = f"{full}.{part}" if full else part
        spec = PathFinder.find_spec(full, locations)
        if spec is None or spec.submodule_search_locations is None:
            return None
        locations = list(spec.submodule_search_locations)
    return Path(locations[0]) if locations else None


def _entry_point_roots() -> Iterable[Root]:
    for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: (entry.name, entry.value)):
        yield Root(
            package_folder(entry.value.partition(":")[0].strip()),
            Origin.ENTRY_POINT,
            f"{entry.name} = {entry.value}",
        )


def _configured_roots(config: SystemConfig | None) -> Iterable[Root]:
    for index, path in enumerate(config.mod_paths if config is not None else ()):
        yield Root(path, Origin.CONFIGURATION, str(path), config, f"mod_paths[{index}]")


def _environment_roots(value: str) -> Iterable[Root]:
    for part in value.split(os.pathsep):
        if part:
            yield Root(Path(part).expanduser().absolute(), Origin.ENVIRONMENT, part)
