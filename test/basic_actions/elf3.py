"""The humanoid of the default configuration and the code of Mods, without booting anything."""

from __future__ import annotations

import importlib.util
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from bxi_framework.diagnostics import Report
from bxi_framework.machine.context import ControlContext
from bxi_framework.manifest.read_system import read_system
from bxi_framework.robot import RobotModel

ROOT = Path(__file__).parents[2]


def elf3(*, head: bool = True) -> RobotModel:
    """The robot of the default configuration, with or without its two head joints."""
    config = read_system(ROOT / "config" / "elf3_ideal.yaml", Report())
    assert config is not None
    joints = [joint for joint in config.robot.joints if head or not joint.name.startswith("head_")]
    return RobotModel("elf3", joints)


def context(model: RobotModel) -> ControlContext:
    """What a state of this robot sees."""
    return ControlContext(model, {}, lambda *wish: True, lambda level, source, message: None)


def mod_module(folder: str, name: str) -> ModuleType:
    """A module of a Mod, imported below a package of the Mod's own."""
    root = ROOT / folder
    package = "mod_under_test_" + root.name.replace(".", "_")
    if package not in sys.modules:
        spec = importlib.util.spec_from_loader(package, loader=None, is_package=True)
        assert spec is not None
        parent = importlib.util.module_from_spec(spec)
        parent.__path__ = [str(root)]
        sys.modules[package] = parent
    return import_module(f"{package}.{name}")
