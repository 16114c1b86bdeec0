"""The Python package that the simulation Mod exports, importable by the tests as robots' Mods import it."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[2] / "mods" / "com.bxi.simulation"


def exported(name: str) -> ModuleType:
    """A module of the exported package."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return import_module(f"bxi_simulation.{name}")
