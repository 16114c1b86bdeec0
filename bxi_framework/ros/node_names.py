"""Notices nodes with the same full ROS name, which ROS itself lets pass and no tool can tell apart."""

from __future__ import annotations

from threading import Lock

from bxi_framework.mod_api.logger import LogSink
from bxi_framework.supervision import NodeSpec
from bxi_framework.supervision.command import speaks_ros

CONTROL = "the control node"


class NodeNames:
    """The full ROS names of the control node and of all nodes of Mods that live; for any thread.

    Args:
        control: that of the control node.
        log: takes one warning for each two that have the same.
    """

    def __init__(self, control: str, log: LogSink) -> None:
        self._log = log
        self._names = {CONTROL: control}
        self._told: set[tuple[str, str, str]] = set()
        self._lock = Lock()

    def take(self, owner: str, name: str) -> None:
        """A node, by its full name in the framework, has a full ROS name from now on."""
        with self._lock:
            others = [other for other, taken in self._names.items() if taken == name and other != owner]
            self._names[owner] = name
            fresh = [other for other in others if (owner, other, name) not in self._told]
            self._told.update((owner, other, name) for other in fresh)
        for other in fresh:
            who = CONTROL if other == CONTROL else f"the node '{other}'"
            self._log(
                "warning",
                owner,
                f"the node '{owner}' has the same ROS name as {who}, '{name}': their parameters and services "
                "collide, and tools show one of them. Name one of them otherwise, or give it a 'namespace'.",
            )

    def release(self, owner: str) -> None:
        """A node has ended."""
        with self._lock:
            self._names.pop(owner, None)


def ros_name(spec: NodeSpec) -> str:
    """The full ROS name that a node's process is told to take; empty if it is told none."""
    if not speaks_ros(spec.decl, spec.context):
        return ""
    return "/".join(("", *filter(None, spec.context.namespace.split("/")), spec.context.node_name))
