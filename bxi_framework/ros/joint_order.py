"""The order of the joints as the robot itself reports it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from threading import Thread

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

from bxi_framework.ros import qos

PATIENCE = 10.0
"""Seconds to wait for the first message."""


def wait_for_joint_names(namespace: str, given_up: Callable[[], bool]) -> tuple[str, ...] | None:
    """Names and order of the first ``joint_states`` message, heard on a thread of its own; no more is used.

    Args:
        namespace: where the robot speaks.
        given_up: asked now and then if nobody needs the answer any more.

    Returns:
        The names, or None if no message with names, each of them once, came in time.
    """
    found: list[tuple[str, ...]] = []

    def hear(message: JointState) -> None:
        names = tuple(message.name)
        if names and not found and "" not in names and len(set(names)) == len(names):
            found.append(names)

    def listen() -> None:
        node = Node(f"bxi_joint_order_{os.getpid()}", namespace=namespace, start_parameter_services=False)
        executor = SingleThreadedExecutor()
        try:
            node.create_subscription(JointState, "joint_states", hear, qos.newest_only())
            executor.add_node(node)
            deadline = time.monotonic() + PATIENCE
            while not found and not given_up() and time.monotonic() < deadline:
                executor.spin_once(timeout_sec=0.1)
        finally:
            executor.shutdown()
            node.destroy_node()

    thread = Thread(target=listen, name="joint-order")
    thread.start()
    thread.join()
    return found[0] if found else None
