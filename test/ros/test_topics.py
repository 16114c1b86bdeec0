"""The topics that states name are heard, whoever publishes them; what cannot be heard is told once."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import rclpy
from basic_actions.elf3 import context, elf3
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import Range

from bxi_framework.control import InputHub
from bxi_framework.mod_api import RobotControlState
from bxi_framework.ros.topics import Topics

RANGE = "sensor_msgs/msg/Range"


def listener(name: str, listens: Mapping[str, str]) -> RobotControlState:
    return type("Listener", (RobotControlState,), {"listens": listens})(name, 1)


def test_states_hear_their_topics() -> None:
    ros = Context()
    rclpy.init(context=ros, signal_handler_options=SignalHandlerOptions.NO)
    node = Node("hearing", context=ros)
    executor = SingleThreadedExecutor(context=ros)
    executor.add_node(node)
    log: list[str] = []
    ticks = itertools.count()
    model = elf3()
    hub = InputHub(model, command_timeout=0.5, now_ns=lambda: next(ticks), gamepad=None, warn=log.append)
    states = [
        listener("a/one", {"front": RANGE}),
        listener("a/two", {"front": RANGE, "odd": "no_such_msgs/msg/Thing", "bad": "Range"}),
        listener("a/three", {"front": "std_msgs/msg/String"}),
    ]
    topics = Topics(node, states, hub, lambda level, source, message: log.append(f"{source}: {message}"))
    try:
        publisher = node.create_publisher(Range, "front", qos_profile_sensor_data)
        ctx = context(model)
        assert ctx.heard("front") is None
        while ctx.heard("front") is None:
            publisher.publish(Range(range=0.5))
            executor.spin_once(timeout_sec=0.02)
            ctx.begin(hub.snapshot(), 0.02)
        heard = ctx.heard("front")
        assert heard is not None and heard.message.range == 0.5 and heard.age > 0.0
        assert [line.partition(" (")[0] for line in log] == [
            "a/two: cannot hear 'odd'",
            "a/two: cannot hear 'bad'",
            "a/three: hears 'front' as sensor_msgs/msg/Range, not as std_msgs/msg/String",
        ]
    finally:
        topics.destroy()
        executor.shutdown()
        node.destroy_node()
        ros.try_shutdown()
