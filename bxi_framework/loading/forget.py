"""Makes the import system forget modules and folders."""

from __future__ import annotations

import os
import sys
import typing
from collections.abc import Collection, Iterable, Iterator


def forget_families(families: Collection[str]) -> None:
    """Remove the modules whose top-level name is one of these."""
    for name in [name for name in sys.modules if name.partition(".")[0] in families]:
        del sys.modules[name]


def forget_modules(names: Iterable[str], roots: Collection[str], keep: Collection[str]) -> None:
    """Remove those of the modules whose files lie below ``roots``, however they came to be imported, but not
    those whose top-level name is in ``keep``.
    """
    verdicts: dict[str, bool] = {}
    for name in names:
        folder = _folder_of(name)
        if folder is None or name.partition(".")[0] in keep:
            continue
        if folder not in verdicts:
            verdicts[folder] = nearest_root(folder, roots) is not None
        if verdicts[folder]:
            sys.modules.pop(name, None)


def forget_folders(roots: Collection[str]) -> None:
    """Remove what the import system remembers of the folders in and below ``roots``."""
    for path in [path for path in sys.path_importer_cache if nearest_root(path, roots) is not None]:
        sys.path_importer_cache.pop(path, None)


def forget_types() -> None:
    """Have `typing` let go of the generic types that were made last, such as ``PoseState[Params]``, which
    would keep the classes of a closed Mod alive.
    """
    for clear in getattr(typing, "_cleanups", ()):
        clear()


def nearest_root(path: str, roots: Collection[str]) -> str | None:
    """The innermost of ``roots`` that a path is or lies below."""
    return next((folder for folder in _upwards(path) if folder in roots), None)


def _upwards(path: str) -> Iterator[str]:
    """A path and all folders above it."""
    yield path
    parent = os.path.dirname(path)
    while parent not in (path, ""):
        yield parent
        path, parent = parent, os.path.dirname(parent)


def _folder_of(name: str) -> str | None:
    """Where a module lies; None if it has no file. Modules that load themselves when they are asked for
    anything are looked into, not asked.
    """
    try:
        known = object.__getattribute__(sys.modules[name], "__dict__")
        file = known.get("__file__")
        return os.path.dirname(file) if isinstance(file, str) else str(next(iter(known["__path__"])))
    except Exception:
        return None
