"""Where Mods are looked for, in which order."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from bxi_framework.loading.ament_index import package_prefix
from bxi_framework.loading.entry_points import mod_packages
from bxi_framework.manifest.system import SystemConfig

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

    ``path`` is None for an entry point that leads to no folder, for the reason in ``problem``; ``name`` is
    how a person knows the root.
    """

    path: Path | None
    origin: Origin
    name: str
    config: SystemConfig | None = None
    field: str | None = None
    problem: str = ""


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


def default_config_file() -> Path | None:
    """The configuration of the default robot: the one that ``config/default`` names. None if it is not
    there.
    """
    share = share_folder()
    if share is None:
        return None
    try:
        name = (share / "config" / "default").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return share / "config" / name if name else None


def folder_of_mod(path: Path) -> Path | None:
    """The Mod in which a folder lies, itself or one above it."""
    return next((folder for folder in (path, *path.parents) if (folder / "mod.yaml").is_file()), None)


def _entry_point_roots() -> Iterable[Root]:
    for found in mod_packages():
        yield Root(found.folder, Origin.ENTRY_POINT, found.name, problem=found.problem)


def _configured_roots(config: SystemConfig | None) -> Iterable[Root]:
    for index, path in enumerate(config.mod_paths if config is not None else ()):
        yield Root(path, Origin.CONFIGURATION, str(path), config, f"mod_paths[{index}]")


def _environment_roots(value: str) -> Iterable[Root]:
    for part in value.split(os.pathsep):
        if part:
            yield Root(Path(part).expanduser().absolute(), Origin.ENVIRONMENT, part)
