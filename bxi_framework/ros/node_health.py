"""Tells whether a node is still as the framework needs it: alive, and on the executor that it was put on."""

from __future__ import annotations

import rclpy
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.utilities import get_default_context

from bxi_framework.diagnostics.guard import guarded


class NodeGoneError(Exception):
    """Code of a Mod has taken its node away from the framework; the message says how."""


def destroyed(node: Node) -> bool:
    """True once `destroy_node` was called, by whomever."""

    def enter() -> None:
        with node.handle:
            pass

    return guarded(enter).error is not None


def trouble_of(node: Node, executor: Executor) -> str:
    """What is wrong with a node that was put on an executor; empty if nothing is."""
    if destroyed(node):
        return "its own code destroyed the node; the framework does that at its end"
    if node not in executor.get_nodes():
        return (
            "its own code took the node to another executor, or off the one that runs it; "
            "the framework spins the node, so it needs none of its own"
        )
    return ""


def unfit(node: Node) -> str:
    """What a factory has returned in place of a node that the framework can run; empty if it can."""
    if destroyed(node):
        return "a node that it has destroyed"
    if node.context is not get_default_context():
        return "a node in a ROS context of its own, expected one in the context that the framework has made"
    executor = node.executor
    if executor is not None and node in executor.get_nodes():
        return (
            f"a node that is on an executor already ({type(executor).__name__}); "
            "the framework spins the node, so it needs none of its own"
        )
    return ""


def take_back(node: Node) -> None:
    """Take a node off its executor; end one that a Mod has made, once it has no other node, and with it the
    thread that may spin it.
    """
    executor = node.executor
    if executor is None:
        return
    executor.remove_node(node)
    shared = getattr(executor, "is_shared", False) or executor is vars(rclpy).get("__executor")
    if not shared and not executor.get_nodes():
        guarded(executor.shutdown, 0.0)
