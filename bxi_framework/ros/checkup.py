"""Whether ROS works here, how far it reaches, and who controls the robot already."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import get_rmw_implementation_identifier

from bxi_framework.mod_api.check import CheckResult
from bxi_framework.ros.rivals import claimed
from bxi_framework.ros.surroundings import find_log_folder

LOOK = 1.0
"""Seconds in which other programs show themselves on the ROS graph."""

SCOPES = {"LOCALHOST": "this machine only", "OFF": "nobody", "SUBNET": "the local network"}


def check_ros(namespace: str) -> Iterator[CheckResult]:
    """Start ROS for a moment and look around."""
    context = Context()
    try:
        find_log_folder()
        rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
        node = Node(
            f"bxi_doctor_{os.getpid()}",
            context=context,
            namespace=namespace or None,
            use_global_arguments=False,
            enable_rosout=False,
            start_parameter_services=False,
        )
    except Exception as error:
        yield CheckResult.failed(
            "ros",
            f"it does not start: {' '.join(str(error).split())}",
            "In a fresh clone 'make venv' installs it; on a robot source the distribution's setup.bash",
        )
        context.try_shutdown()
        return
    try:
        yield _reach()
        yield _controllers(node)
    finally:
        node.destroy_node()
        context.try_shutdown()


def _reach() -> CheckResult:
    domain = os.environ.get("ROS_DOMAIN_ID") or "0"
    scope = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET").upper()
    heard = SCOPES.get(scope, scope)
    middleware = get_rmw_implementation_identifier()
    return CheckResult.passed("ros", f"{middleware}, domain {domain}, heard by {heard}")


def _controllers(node: Node) -> CheckResult:
    topic = node.resolve_topic_name("motor_frame")
    names = _publishers(node, topic)
    if not names:
        claim = claimed(topic)
        if claim is None:
            names = {"another process of this machine"}
        else:
            claim.close()
    if not names:
        return CheckResult.passed("controller", f"nobody sends {topic}, so a robot can start")
    return CheckResult.warning(
        "controller",
        f"{', '.join(sorted(names))} sends {topic} already",
        "A second controller is refused; end that one first if you want to start another",
    )


def _publishers(node: Node, topic: str) -> set[str]:
    """Who shows on the graph, as soon as somebody does."""
    end = time.monotonic() + LOOK
    while time.monotonic() < end:
        infos = node.get_publishers_info_by_topic(topic)
        if infos:
            return {f"{info.node_namespace.rstrip('/')}/{info.node_name}" for info in infos}
        time.sleep(0.05)
    return set()
