"""The command line of a node's process. No shell takes part; the first word is a path."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

import bxi_framework
from bxi_framework.loading.ament_index import package_prefix
from bxi_framework.loading.node_files import is_below
from bxi_framework.loading.platform_name import platform_name
from bxi_framework.manifest.node_decl import NodeDecl
from bxi_framework.mod_api.node import NodeBuildContext
from bxi_framework.supervision.surroundings import Host, StartError, Surroundings

RUNNER: Final = "bxi_framework.ros.node_runner"

_PYTHONS: Final = ("python", "python3")


def command(
    root: Path, decl: NodeDecl, context: NodeBuildContext, around: Surroundings, host: Host, params_file: str
) -> list[str]:
    """All words of the command line.

    Args:
        root: the Mod's folder.
        decl: what the manifest says of the node.
        context: its name, arguments, namespace and remappings, with all placeholders filled in.
        around: its surroundings.
        host: those of the framework.
        params_file: the path of its ROS parameter file; empty for none.

    Raises:
        StartError: a program that it needs is not there, may not be executed, or is not in the Mod.
    """
    words = _program(root, decl, around, host)
    if decl.runtime != "python":
        words += context.arguments
    return words + ros_arguments(context, params_file) if speaks_ros(decl, context) else words


def speaks_ros(decl: NodeDecl, context: NodeBuildContext) -> bool:
    """True for a node that gets ``--ros-args``: every one but a command that asks for nothing of ROS."""
    return decl.runtime != "command" or bool(context.params or context.remappings or decl.namespace)


def ros_arguments(context: NodeBuildContext, params_file: str) -> list[str]:
    """Name, namespace, remappings and parameters as every ROS 2 node reads them."""
    words = ["--ros-args", "-r", f"__node:={context.node_name}"]
    words += ["-r", f"__ns:=/{context.namespace.strip('/')}"]
    for name, target in context.remappings.items():
        words += ["-r", f"{name}:={target}"]
    return [*words, "--params-file", params_file] if params_file else words


def _program(root: Path, decl: NodeDecl, around: Surroundings, host: Host) -> list[str]:
    if decl.runtime == "python":
        if around.home is None:
            return [host.python, "-m", RUNNER, decl.name, str(root), around.mode]
        return [_portable_python(root, around.home), _runner_file(), decl.name, str(root), around.mode]
    if decl.runtime == "executable":
        return [_of_mod(root, f"bin/{platform_name()}/{decl.entrypoint}", executed=True)]
    if decl.runtime == "ros":
        return [_of_package(*decl.entrypoint.split(":", 1))]
    script = _of_mod(root, decl.entrypoint, executed=False)
    return [_interpreter(root, decl.interpreter or "", around, host), script]


def _of_mod(root: Path, path: str, *, executed: bool) -> str:
    """A file of the Mod, by its path from the Mod's folder."""
    full = os.path.join(root, path)
    if not os.path.isfile(full):
        raise StartError(f"the Mod has no file '{path}'")
    if not is_below(str(root), full):
        raise StartError(f"'{path}' is a link that leads out of the Mod")
    if executed and not os.access(full, os.X_OK):
        raise StartError(f"'{path}' may not be executed; run 'chmod +x' on it")
    return full


def _of_package(package: str, name: str) -> str:
    """An executable of a ROS package."""
    prefix = package_prefix(package)
    if prefix is None:
        raise StartError(f"the ROS package '{package}' is not installed")
    path = os.path.join(prefix, "lib", package, name)
    if "/" in name or not os.path.isfile(path):
        raise StartError(f"the ROS package '{package}' has no executable '{name}'")
    if not os.access(path, os.X_OK):
        raise StartError(f"'{path}' may not be executed")
    return path


def _interpreter(root: Path, name: str, around: Surroundings, host: Host) -> str:
    """A program of the Mod by its path, one of this machine by its path or name; ``python3`` is the Python
    that runs the framework, or the portable one.
    """
    if "/" in name and not name.startswith("/"):
        return _of_mod(root, name, executed=True)
    if name in _PYTHONS and around.home is None:
        return host.python
    found = shutil.which(name, path=around.environment.get("PATH"))
    if found is None:
        raise StartError(f"the program '{name}' is not installed")
    return found


def _portable_python(root: Path, home: Path) -> str:
    return _of_mod(root, os.path.join(home.relative_to(root), "bin", "python3"), executed=True)


def _runner_file() -> str:
    """The runner by its path, for a Python in which the framework is not installed."""
    folder = os.path.dirname(os.path.abspath(bxi_framework.__file__))
    return os.path.join(folder, *RUNNER.split(".")[1:]) + ".py"
