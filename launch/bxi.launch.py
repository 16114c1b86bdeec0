"""Starts the control node.

ros2 launch bxi_framework bxi.launch.py config:=FILE mod_paths:=DIR:DIR namespace:=NAME log_level:=debug
"""

from __future__ import annotations

import sys
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch_ros.actions import Node

from bxi_framework.ros.launch_arguments import check_assignments, launch_arguments, node_arguments

SHARE = Path(get_package_share_directory("bxi_framework"))
ARGUMENTS = launch_arguments(default_config=str(SHARE / "config" / "elf3_ideal.yaml"))


def control_node(context: LaunchContext) -> list[Node]:
    """The control node with the answers given, or a ``ValueError`` that says which argument is wrong."""
    # Included from another launch file, the command line belongs to that file.
    if any(Path(word).name == Path(__file__).name for word in sys.argv):
        check_assignments(context.argv, ARGUMENTS)
    given = context.launch_configurations
    return [
        Node(
            package="bxi_framework",
            executable="control_node",
            namespace=given["namespace"],
            ros_arguments=node_arguments(
                config=given["config"], mod_paths=given["mod_paths"], log_level=given["log_level"]
            ),
            output="screen",
            emulate_tty=True,
            on_exit=Shutdown(reason="the control node ended"),
        )
    ]


def generate_launch_description() -> LaunchDescription:
    """The arguments, then the node that they describe."""
    declared = [
        DeclareLaunchArgument(argument.name, default_value=argument.default, description=argument.description)
        for argument in ARGUMENTS
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=control_node)])
