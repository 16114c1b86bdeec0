"""Another node on the same ROS graph, in a context of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from ros.running import PATIENCE


class Peer:
    """Publishes, hears and calls; everything it waits for must happen within `PATIENCE`."""

    def __init__(self, name: str = "peer") -> None:
        self.context = Context()
        rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = Node(name, context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self._heard: dict[str, list[Any]] = {}
        self._publishers: dict[str, Any] = {}
        self._clients: dict[str, Any] = {}

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.try_shutdown()

    def until(self, happened: Callable[[], Any], what: str = "it") -> None:
        """Spin until something has happened."""
        end = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < end, f"{what} never happened"
            self.executor.spin_once(timeout_sec=0.02)

    def spin(self, seconds: float) -> None:
        """Let time pass."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)

    def hear(self, kind: Any, topic: str, profile: QoSProfile) -> list[Any]:
        """The list that all messages of a topic go into; one for each topic."""
        if topic not in self._heard:
            self._heard[topic] = []
            self.node.create_subscription(kind, topic, self._heard[topic].append, profile)
        return self._heard[topic]

    def sender(self, kind: Any, topic: str, profile: QoSProfile | int = 10) -> Callable[[Any], None]:
        """A way to publish, once somebody listens; one for each topic."""
        publisher = self._publishers.get(topic)
        if publisher is None:
            publisher = self._publishers[topic] = self.node.create_publisher(kind, topic, profile)
        self.until(lambda: publisher.get_subscription_count() > 0, f"a subscription to {topic}")
        return publisher.publish

    def call(self, kind: Any, service: str, request: Any) -> Any:
        """Call a service."""
        client = self._clients.get(service)
        if client is None:
            client = self._clients[service] = self.node.create_client(kind, service)
        self.until(client.service_is_ready, f"service {service}")
        future = client.call_async(request)
        self.until(future.done, f"an answer of {service}")
        return future.result()


@contextmanager
def peer(name: str = "peer") -> Iterator[Peer]:
    """A peer for a while."""
    made = Peer(name)
    try:
        yield made
    finally:
        made.close()


def states_of(messages: list[Any]) -> list[dict[str, Any]]:
    """The messages of ``~/state``."""
    return [json.loads(message.data) for message in messages]
