"""``bxi run``: boots and runs until Ctrl-C."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence

from bxi_framework import bootstrap
from bxi_framework.cli.default_config import default_config
from bxi_framework.cli.parsing import Parser, add_boot_options, add_namespace, one_of
from bxi_framework.ros.log import LEVELS
from bxi_framework.ros.options import RunOptions

ROS_ARGS = "--ros-args"


def run(words: Sequence[str]) -> int:
    """Run the control node."""
    parser = Parser("run", "Boot a robot and run it until Ctrl-C. ROS arguments follow after --ros-args.")
    add_boot_options(parser)
    parser.once("--log-level", type=one_of(LEVELS), metavar="LEVEL", help=f"one of {', '.join(LEVELS)}")
    add_namespace(parser)
    own, ros_args = split_ros_args(words)
    values = parser.read(own)
    return bootstrap.run(
        RunOptions(
            default_config=default_config(),
            config=values.config,
            mod_paths=tuple(values.mod_path),
            overrides=tuple(values.overrides),
            safe=values.safe,
            namespace=values.namespace,
            log_level=values.log_level,
            ros_args=ros_args,
            command=typed_command(),
        )
    )


def control_node() -> int:
    """The control node with ROS arguments only, as ``ros2 run`` and ``ros2 launch`` start it."""
    parser = Parser("control_node", "The control node. All settings are ROS parameters, after --ros-args.")
    own, ros_args = split_ros_args(sys.argv[1:])
    parser.read(own)
    return bootstrap.run(
        RunOptions(default_config(), ros_args=ros_args, command="ros2 run bxi_framework bxi")
    )


def split_ros_args(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """What is ours, and what lies between ``--ros-args`` and ``--`` or the end."""
    own: list[str] = []
    ros: list[str] = []
    target = own
    for word in words:
        if word == ROS_ARGS:
            target = ros
        elif word == "--" and target is ros:
            target = own
        else:
            target.append(word)
    return own, tuple(ros)


def typed_command() -> str:
    """How the person at this terminal calls ``bxi`` so that it finds this run."""
    called = sys.argv[0]
    found = shutil.which("bxi")
    on_path = found is not None and os.path.realpath(found) == os.path.realpath(called)
    command = called if os.path.basename(called) == "bxi" and not on_path else "bxi"
    domain = os.environ.get("ROS_DOMAIN_ID", "")
    prefix = f"ROS_DOMAIN_ID={shlex.quote(domain)} " if domain not in ("", "0") else ""
    return f"{prefix}{shlex.quote(command)}"
