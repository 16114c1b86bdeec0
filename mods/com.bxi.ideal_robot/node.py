"""A robot that is not there: answers motor frames with joint states of ideal actuators, always upright."""

from __future__ import annotations

import array
import json

import numpy as np

# Older distributions have ClockType in this module only.
from rclpy.clock import Clock, ClockType  # type: ignore[attr-defined]
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float32MultiArray, String

from bxi_framework.mod_api import ConfigReader, FloatArray, IdealActuators, NodeBuildContext

NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
FIELDS = 5
READINGS = ("position", "velocity", "effort")
GRAVITY = 9.81


class IdealRobot(Node):
    """Takes ``joint_layout`` and ``motor_frame``, gives ``joint_states`` and ``imu/data``.

    It reports at its own rate, as hardware does, and lets the joints coast once the frames stop.
    """

    def __init__(self, context: NodeBuildContext) -> None:
        params = ConfigReader(context.params, "params")
        rate = params.float("rate", 50.0, minimum=1.0, maximum=1000.0)
        self._time_constant = params.float("time_constant", 0.05, minimum=0.001, maximum=10.0)
        timeout = params.float("command_timeout", 0.1, minimum=0.0, maximum=10.0)
        params.finish()
        remaps = [part for old, new in context.remappings.items() for part in ("-r", f"{old}:={new}")]
        super().__init__(
            context.node_name,
            namespace=context.namespace or None,
            cli_args=["--ros-args", *remaps, *context.arguments] if remaps or context.arguments else None,
        )
        self._dt = 1.0 / rate
        self._patience = max(1, round(timeout * rate))
        self._silent = 0
        self._actuators: IdealActuators | None = None
        self._command: FloatArray = np.zeros((FIELDS, 0), dtype=np.float32)
        self._state = JointState()
        self._imu = Imu()
        self._imu.header.frame_id = "imu"
        self._imu.orientation.w = 1.0
        self._imu.linear_acceleration.z = GRAVITY
        self._joint_states = self.create_publisher(JointState, "joint_states", NEWEST)
        self._imu_data = self.create_publisher(Imu, "imu/data", NEWEST)
        self.create_subscription(String, "joint_layout", self._on_layout, LATCHED)
        self.create_subscription(Float32MultiArray, "motor_frame", self._on_frame, NEWEST)
        self.create_timer(self._dt, self._step, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _on_layout(self, message: String) -> None:
        try:
            joints = json.loads(message.data)["joints"]
            names = [joint["name"] for joint in joints]
            position = [joint["default"]["position"] for joint in joints]
        except (ValueError, KeyError, TypeError) as error:
            self.get_logger().error(f"the joint layout cannot be read and is ignored: {error!r}")
            return
        if self._actuators is not None and self._actuators.names == tuple(names):
            return
        self._actuators = IdealActuators(names, time_constant=self._time_constant, position=position)
        self._command = np.zeros((FIELDS, len(names)), dtype=np.float32)
        self._state = JointState(name=names)
        self.get_logger().info(f"an ideal robot with {len(names)} joints")

    def _on_frame(self, message: Float32MultiArray) -> None:
        if self._actuators is None:
            return
        command = np.asarray(message.data, dtype=np.float32)
        if command.size != self._command.size or not np.isfinite(command).all():
            self.get_logger().error(
                f"a motor frame must be {self._command.size} finite numbers; this one has {command.size}",
                throttle_duration_sec=5.0,
            )
            return
        self._command[...] = command.reshape(self._command.shape)
        self._silent = 0

    def _step(self) -> None:
        actuators = self._actuators
        if actuators is None:
            return
        self._silent += 1
        if self._silent > self._patience:
            self._command.fill(0.0)
        actuators.step(self._command, self._dt)
        stamp = self.get_clock().now().to_msg()
        state = self._state
        state.header.stamp = stamp
        for field in READINGS:
            setattr(state, field, array.array("d", getattr(actuators, field).tolist()))
        self._joint_states.publish(state)
        self._imu.header.stamp = stamp
        self._imu_data.publish(self._imu)


def create_node(context: NodeBuildContext) -> Node:
    """The node, not yet spinning."""
    return IdealRobot(context)
