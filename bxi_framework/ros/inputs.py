"""What the node hears: gamepad, velocity wishes and sensors, each handed on at once to the input hub."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from geometry_msgs.msg import Twist
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState, Joy

from bxi_framework.control.inputs import InputHub
from bxi_framework.diagnostics.guard import describe_error
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.ros import qos

Message = TypeVar("Message")


class Inputs:
    """The subscriptions. No message, however odd, gets past them as an exception.

    Args:
        node: subscribes.
        hub: keeps the newest of everything.
        stop: called once each time the gamepad's stop chord is pressed.
        log: told once about each topic whose messages cannot be used.
    """

    def __init__(self, node: Node, hub: InputHub, stop: Callable[[], None], log: LogSink) -> None:
        self._node = node
        self._hub = hub
        self._stop = stop
        self._log = log
        self._told: set[str] = set()
        self._stop_held = False
        topics: tuple[tuple[Any, str, Callable[[Any], None]], ...] = (
            (Joy, "joy", self._joy),
            (Twist, "cmd_vel", self._cmd_vel),
            (JointState, "joint_states", self._joint_states),
            (Imu, "imu/data", self._imu),
        )
        self._subscriptions = [
            node.create_subscription(kind, topic, self._shielded(topic, take), qos.newest_only())
            for kind, topic, take in topics
        ]

    def destroy(self) -> None:
        """Take the subscriptions down."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def _shielded(self, topic: str, take: Callable[[Message], None]) -> Callable[[Message], None]:
        def callback(message: Message) -> None:
            try:
                take(message)
            except Exception as error:
                if topic not in self._told:
                    self._told.add(topic)
                    self._log("warning", topic, f"a message is dropped: {describe_error(error)}; told once")

        return callback

    def _joy(self, message: Joy) -> None:
        state = self._hub.joy(message.axes, message.buttons)
        held = state is not None and state.stop
        if held and not self._stop_held:
            self._stop()
        self._stop_held = held

    def _cmd_vel(self, message: Twist) -> None:
        self._hub.velocity(message.linear.x, message.linear.y, message.angular.z)

    def _joint_states(self, message: JointState) -> None:
        self._hub.joint_states(message.name, message.position, message.velocity, message.effort)

    def _imu(self, message: Imu) -> None:
        orientation, rate = message.orientation, message.angular_velocity
        self._hub.imu((orientation.x, orientation.y, orientation.z, orientation.w), (rate.x, rate.y, rate.z))
