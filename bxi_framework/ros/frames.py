"""What the node sends every tick: ``motor_frame``, and ``joint_commands`` while somebody listens."""

from __future__ import annotations

import array
import time
from typing import Final

import numpy as np
from rclpy.duration import Duration
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float32MultiArray, MultiArrayDimension

from bxi_framework.robot import FIELDS, JointLayout, MotorFrame
from bxi_framework.ros import qos

_BETWEEN: Final = 0.005
"""Seconds between the two last frames of an end at once."""


class FrameOutput:
    """Publishes frames from reused messages; `publish` belongs to the control thread while the loop runs.

    Args:
        node: publishes.
        passive: what `publish_passive` sends; its layout is that of all frames.
    """

    def __init__(self, node: Node, passive: MotorFrame) -> None:
        layout = passive.layout
        self._node = node
        self._layout = layout
        self._publisher = node.create_publisher(Float32MultiArray, "motor_frame", qos.frames())
        self._message = frame_message(layout)
        self._values = np.frombuffer(self._message.data, dtype=np.float32).reshape(len(FIELDS), -1)
        self._passive = frame_message(layout)
        np.frombuffer(self._passive.data, dtype=np.float32).reshape(len(FIELDS), -1)[...] = passive.data
        self._commands = _JointCommands(node, layout)
        self.wanted = False
        self._closed = False

    def publish(self, frame: MotorFrame) -> None:
        """Send one frame in the robot layout; none after `publish_last`."""
        if self._closed:
            return
        np.copyto(self._values, frame.data)
        self._publisher.publish(self._message)
        if self.wanted:
            self._commands.publish(frame)

    def publish_passive(self) -> None:
        """Send the passive frame in place of a control thread that does not; callable from any thread."""
        self._publisher.publish(self._passive)

    def publish_nothing(self) -> None:
        """Send a frame of zeros in place of a control thread that does not; callable from any thread."""
        self._publisher.publish(frame_message(self._layout))

    def publish_last(self, seconds: float) -> None:
        """Send the passive frame as the last of all, and wait until it is heard, at most ``seconds``."""
        self._closed = True
        self.publish_passive()
        # The control thread may have been about to send a frame of its own.
        time.sleep(_BETWEEN)
        self.publish_passive()
        self.flush(seconds)

    def look_for_listeners(self) -> None:
        """See whether anybody hears ``joint_commands``; called now and then beside the loop."""
        self.wanted = self._commands.listeners > 0

    def flush(self, seconds: float) -> None:
        """Wait until every listener has the last frame, at most ``seconds``."""
        self._publisher.wait_for_all_acked(Duration(seconds=seconds))

    def destroy(self) -> None:
        """Take the publishers down."""
        self._node.destroy_publisher(self._publisher)
        self._commands.destroy()


class _JointCommands:
    """The same frame for tools that know joint states: position, velocity and effort of the frame."""

    def __init__(self, node: Node, layout: JointLayout) -> None:
        self._node = node
        self._clock = node.get_clock()
        self._publisher = node.create_publisher(JointState, "joint_commands", qos.frames())
        self._message = JointState(name=list(layout.names))
        rows = {"position": "qpos", "velocity": "vel", "effort": "torque"}
        self._rows = []
        for field, row in rows.items():
            setattr(self._message, field, array.array("d", bytes(8 * layout.dof_num)))
            # The message may keep a copy of what it was given; the view must be of what it keeps.
            values = np.frombuffer(getattr(self._message, field), dtype=np.float64)
            self._rows.append((values, FIELDS.index(row)))

    @property
    def listeners(self) -> int:
        """How many subscriptions there are."""
        return self._publisher.get_subscription_count()

    def publish(self, frame: MotorFrame) -> None:
        """Send one frame."""
        for values, row in self._rows:
            np.copyto(values, frame.data[row])
        self._message.header.stamp = self._clock.now().to_msg()
        self._publisher.publish(self._message)

    def destroy(self) -> None:
        """Take the publisher down."""
        self._node.destroy_publisher(self._publisher)


def frame_message(layout: JointLayout) -> Float32MultiArray:
    """A message of zeros, 5 rows by N joints, that says so in its layout."""
    joints = layout.dof_num
    message = Float32MultiArray()
    message.layout.dim = [
        MultiArrayDimension(label=" ".join(FIELDS), size=len(FIELDS), stride=len(FIELDS) * joints),
        MultiArrayDimension(label="joint", size=joints, stride=joints),
    ]
    message.data = array.array("f", bytes(4 * len(FIELDS) * joints))
    return message
