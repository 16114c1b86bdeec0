"""What the machine lacks of a Mod's runtime requirements; nothing is imported and nothing installed."""

from __future__ import annotations

import ctypes.util
import importlib.util
from collections.abc import Collection
from importlib.machinery import PathFinder

from bxi_framework.loading.ament_index import package_prefix
from bxi_framework.loading.field_imports import is_field_import
from bxi_framework.loading.vendor import VendorFolders, has_vendored_library, has_vendored_module
from bxi_framework.manifest.mod import ModManifest, NodeDecl


def missing_requirements(
    declared: ModManifest | NodeDecl, exports: Collection[str], folders: VendorFolders
) -> list[tuple[str, str]]:
    """Field path and sentence for each requirement of a Mod or a node that neither this machine nor the Mod
    itself meets.

    ``exports`` are the packages of Mods that it may import, ``folders`` the vendor folders in force for it.
    """
    found = []
    prefix = f"{declared.field}." if isinstance(declared, NodeDecl) else ""
    for index, name in enumerate(declared.required_imports):
        offered = name.partition(".")[0] in exports or is_field_import(name)
        if not (offered or has_vendored_module(name, folders) or has_module(name)):
            place = f"{prefix}runtime_requirements.python[{index}].import"
            found.append((place, f"the Python module '{name}' is not installed"))
    for index, name in enumerate(declared.required_packages):
        if not has_ros_package(name):
            place = f"{prefix}runtime_requirements.ros[{index}].package"
            found.append((place, f"the ROS package '{name}' is not installed"))
    for index, name in enumerate(declared.required_libraries):
        if not has_vendored_library(name, folders) and not has_library(name):
            place = f"{prefix}runtime_requirements.system[{index}].library"
            found.append((place, f"the system library '{name}' is not installed"))
    return found


def has_module(name: str) -> bool:
    """True if ``import name`` would find a module; parent packages are looked into but not imported."""
    top, *rest = name.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except Exception:  # whatever an import hook of some installed package raises
        return False
    full = top
    for part in rest:
        if spec is None or spec.submodule_search_locations is None:
            return False
        full = f"{full}.{part}"
        spec = PathFinder.find_spec(full, list(spec.submodule_search_locations))
    return spec is not None


def has_ros_package(name: str) -> bool:
    """True if the ament index knows the package."""
    return package_prefix(name) is not None


def has_library(name: str) -> bool:
    """True if the dynamic linker finds the library, given as ``usb-1.0`` or as ``libusb-1.0.so.0``."""
    try:
        if ctypes.util.find_library(name) is not None:
            return True
        stem = name.removeprefix("lib").partition(".so")[0]
        return stem != name and ctypes.util.find_library(stem) is not None
    except OSError:
        return False
