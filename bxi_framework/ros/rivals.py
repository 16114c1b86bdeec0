"""Who else sends motor frames to the same robot. Two controllers at once would tear at its joints."""

from __future__ import annotations

import os
import time
from threading import Thread

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import Float32MultiArray

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.ros import qos

LISTEN = 0.4
"""Seconds in which a frame of another controller is waited for; its discovery on one machine takes 0.1."""


def frames_of_others(node: Node) -> list[str] | None:
    """Listen for motor frames while the node itself sends none, on a thread of its own.

    Returns:
        The names of the other nodes that publish ``motor_frame``, if a frame came; else None.
    """
    heard: list[bool] = []
    names: list[str] = []

    def listen() -> None:
        ear = Node(
            f"bxi_rivals_{os.getpid()}", namespace=node.get_namespace(), start_parameter_services=False
        )
        executor = SingleThreadedExecutor()
        try:
            ear.create_subscription(
                Float32MultiArray, "motor_frame", lambda _: heard.append(True), qos.newest_only()
            )
            executor.add_node(ear)
            deadline = time.monotonic() + LISTEN
            while time.monotonic() < deadline and not (heard and names):
                executor.spin_once(timeout_sec=0.02)
                # A frame may come before the graph tells whose it is.
                names[:] = _publishers(ear, node.get_fully_qualified_name())
        finally:
            executor.shutdown()
            ear.destroy_node()

    thread = Thread(target=listen, name="rivals")
    thread.start()
    thread.join()
    return names if heard else None


def refusal(names: list[str], topic: str) -> Report:
    """The report of a start that another controller stands in the way of."""
    who = ", ".join(f"'{name}'" for name in names) or "another node"
    return Report(
        [
            Diagnostic(
                "second-controller",
                f"{who} already sends motor frames on '{topic}'.",
                hint="End it first, or give this robot a namespace or ROS_DOMAIN_ID of its own.",
            )
        ]
    )


def _publishers(ear: Node, own: str) -> list[str]:
    """The publishers by node name, without the one of our own node; another may have the same name."""
    infos = ear.get_publishers_info_by_topic(ear.resolve_topic_name("motor_frame"))
    names = [f"{info.node_namespace.rstrip('/')}/{info.node_name}" for info in infos]
    if own in names:
        names.remove(own)
    return [name for name in names if not name.rpartition("/")[2].startswith("_")]
