"""Runs one python node of a Mod as this process:
``python -m bxi_framework.ros.node_runner NAME MOD_FOLDER MODE --ros-args …``.

Only the guard starts it, with the rest of what it needs in open files. This part makes ready what must be so
before anything heavy is imported, and hands over to `node_process`. It is run by its path on a portable
Python in which the framework is not installed.
"""

from __future__ import annotations

import faulthandler
import importlib
import importlib.util
import os
import signal
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from types import FrameType


def main(arguments: Sequence[str]) -> int:
    """Run the node until a signal ends it; the exit status.

    Args:
        arguments: the node's full name, its Mod's folder, the mode of its runtime profile, ROS arguments.
    """
    # Until there is a node, a wish to end needs nothing but an end.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    faulthandler.enable()
    if len(arguments) < 3:
        sys.stderr.write("Only the framework starts this program; its nodes run with 'bxi run'.\n")
        return 2
    name, root, mode, *ros_arguments = arguments
    _set_search_path(Path(root), mode)
    process = importlib.import_module("bxi_framework.ros.node_process")
    status: int = process.run_node(name, ros_arguments)
    return status


def _set_search_path(root: Path, mode: str) -> None:
    """Let what the Mod brings come before what is installed, and nothing from the folder of the start."""
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]
    if __spec__ is None:
        _import_framework(Path(__file__).resolve().parents[1])
    surroundings = importlib.import_module("bxi_framework.loading.node_surroundings")
    vendor = importlib.import_module("bxi_framework.loading.vendor")
    compiled = sysconfig.get_path("platstdlib")
    standard = [sysconfig.get_path("stdlib"), compiled, os.path.join(compiled, "lib-dynload")]
    sys.path[:] = surroundings.search_path(sys.path, vendor.vendor_folders(root, mode), standard)


def _import_framework(folder: Path) -> None:
    """Import the framework out of its folder, and nothing that is installed beside it: that belongs to
    another Python.
    """
    spec = importlib.util.spec_from_file_location(
        folder.name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None and spec.loader is not None
    sys.modules[folder.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[folder.name])


def _end(_: int, __: FrameType | None) -> None:
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
