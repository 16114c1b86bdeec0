"""The topics that states listen to: one subscription each, whose newest message goes to the input hub."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from importlib import import_module
from typing import Any

from rclpy.node import Node

from bxi_framework.control.inputs import InputHub
from bxi_framework.diagnostics.guard import describe_error
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.ros import qos


class Topics:
    """The subscriptions. What cannot be heard is told once, and its state simply never hears it.

    Args:
        node: subscribes.
        states: all states of the graph.
        hub: keeps the newest message of each topic.
        log: takes messages; must not block.
    """

    def __init__(self, node: Node, states: Iterable[RobotControlState], hub: InputHub, log: LogSink) -> None:
        self._node = node
        self._subscriptions: list[Any] = []
        kinds: dict[str, str] = {}
        for state in states:
            for topic, kind in state.listens.items():
                if topic not in kinds:
                    kinds[topic] = kind
                    self._subscribe(state.name, topic, kind, hub, log)
                elif kinds[topic] != kind:
                    log("warning", state.name, f"hears '{topic}' as {kinds[topic]}, not as {kind}")

    def destroy(self) -> None:
        """Take the subscriptions down."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def _subscribe(self, state: str, topic: str, kind: str, hub: InputHub, log: LogSink) -> None:
        try:
            message = message_type(kind)
            take = partial(hub.message, topic)
            subscription = self._node.create_subscription(message, topic, take, qos.newest_only())
        except Exception as error:
            log("warning", state, f"cannot hear '{topic}' ({kind}): {describe_error(error)}")
        else:
            self._subscriptions.append(subscription)


def message_type(name: str) -> Any:
    """The class of a message type such as ``sensor_msgs/msg/Range``.

    Raises:
        ImportError, AttributeError, ValueError: there is no such type here.
    """
    package, part, kind = name.split("/")
    return getattr(import_module(f"{package}.{part}"), kind)
