"""The bundled dependencies of a Mod: which of its vendor folders are in force on this machine, and what they
hold. Nothing is imported.

``vendor/python/<platform>-<abi>``, such as ``linux-x86_64-cp311``, holds packages for one Python,
``vendor/python/common`` such as run on any, and ``vendor/lib/<platform>`` shared libraries.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import all_suffixes
from pathlib import Path
from typing import Final

from bxi_framework.loading.platform_name import platform_name

COMMON: Final = "common"


@dataclass(frozen=True, slots=True)
class VendorFolders:
    """Folders that are there, in the order in which they are searched."""

    python: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()


NO_FOLDERS: Final = VendorFolders()


def python_tag() -> str:
    """The platform and the interface for compiled code of this Python, such as ``linux-x86_64-cp311``."""
    return f"{platform_name()}-cp{sys.version_info.major}{sys.version_info.minor}{sys.abiflags}"


def vendor_folders(root: Path, mode: str = "vendor") -> VendorFolders:
    """The vendor folders in force for code of the Mod at ``root``.

    Args:
        root: the Mod's folder.
        mode: the mode of a node's runtime profile. ``vendor`` is also that of states and of nodes without a
            profile; ``host`` uses none; ``portable`` has a Python of its own, so the folder for this one is
            left out.
    """
    top = os.path.join(root, "vendor")
    if mode == "host" or not os.path.isdir(top):
        return NO_FOLDERS
    names = (COMMON,) if mode == "portable" else (python_tag(), COMMON)
    python = (os.path.join(top, "python", name) for name in names)
    return VendorFolders(
        tuple(folder for folder in python if os.path.isdir(folder)),
        tuple(folder for folder in (os.path.join(top, "lib", platform_name()),) if os.path.isdir(folder)),
    )


def foreign_bundles(root: Path) -> tuple[str, ...]:
    """The vendor folders of the Mod for other machines, as paths from its folder."""
    found = []
    for kind, ours in (("python", (python_tag(), COMMON)), ("lib", (platform_name(),))):
        folder = os.path.join(root, "vendor", kind)
        found += [
            f"vendor/{kind}/{name}"
            for name in _entries(folder)
            if name not in ours and os.path.isdir(os.path.join(folder, name))
        ]
    return tuple(found)


def vendored_names(folders: VendorFolders) -> tuple[str, ...]:
    """The top-level modules and packages in the Python folders, in order."""
    names = (_module_name(folder, entry) for folder in folders.python for entry in _entries(folder))
    return tuple(sorted({name for name in names if name is not None}))


def has_vendored_module(name: str, folders: VendorFolders) -> bool:
    """True if the folders hold the module, given with its packages."""
    paths = [os.path.join(folder, *name.split(".")) for folder in folders.python]
    files = (path + suffix for path in paths for suffix in all_suffixes())
    return any(map(os.path.isdir, paths)) or any(map(os.path.isfile, files))


def library_files(folders: VendorFolders) -> tuple[str, ...]:
    """The shared libraries, each file once, in order."""
    found: dict[str, str] = {}
    for folder in folders.libraries:
        for entry in _entries(folder):
            path = os.path.join(folder, entry)
            if (entry.endswith(".so") or ".so." in entry) and os.path.isfile(path):
                found.setdefault(os.path.realpath(path), path)
    return tuple(found.values())


def has_vendored_library(name: str, folders: VendorFolders) -> bool:
    """True if the folders hold the library, given as ``usb-1.0`` or as ``libusb-1.0.so.0``."""
    entries = [entry for folder in folders.libraries for entry in _entries(folder)]
    stem = f"lib{name}.so"
    return any(entry in (name, stem) or entry.startswith(f"{stem}.") for entry in entries)


def _entries(folder: str) -> Sequence[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return ()


def _module_name(folder: str, entry: str) -> str | None:
    """The module that an entry of a Python folder is, None for what is none, such as ``bin`` or metadata."""
    path = os.path.join(folder, entry)
    if os.path.isdir(path):
        return entry if entry.isidentifier() and _is_package(path) else None
    suffix = next((suffix for suffix in all_suffixes() if entry.endswith(suffix)), None)
    name = "" if suffix is None else entry.removesuffix(suffix)
    return name if name.isidentifier() else None


def _is_package(folder: str) -> bool:
    """True if the folder holds a module, or a package: one without ``__init__.py`` may be shared by several
    bundles.
    """
    if folder.endswith("__pycache__"):
        return False
    entries = _entries(folder)
    return any(
        entry.endswith(tuple(all_suffixes())) or os.path.isfile(os.path.join(folder, entry, "__init__.py"))
        for entry in entries
    )
