"""What the bridge publishes: joint states and odometry as commanded, sensors as read, how each part does."""

from __future__ import annotations

import array
import math
from collections.abc import Sequence
from typing import Final

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CompressedImage, JointState, Range
from std_msgs.msg import Float32MultiArray, UInt32

from ..shape import CAMERA_PAN, CAMERA_TILT, LEFT_WHEELS, RIGHT_WHEELS, ULTRASONIC_PAN, CarShape
from .command import CarCommand
from .odometry import Odometry
from .readings import CarReadings, Echo, Part, Stamped
from .sectors import SECTORS, Sectors

NEWEST: Final = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
LATCHED: Final = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)

NEAREST, FARTHEST = 0.02, 4.5
FIELD_OF_VIEW: Final = 0.26
_LEVELS: Final = {"ok": DiagnosticStatus.OK, "warn": DiagnosticStatus.WARN, "error": DiagnosticStatus.ERROR}
_UNKNOWN: Final = 1e6


class CarTopics:
    """The publishers of the bridge."""

    def __init__(self, node: Node, shape: CarShape) -> None:
        self._node = node
        self._top = shape.top_wheel_speed
        self._state = JointState()
        self._joint_states = node.create_publisher(JointState, "joint_states", NEWEST)
        self._odometry = node.create_publisher(OdometryMessage, "odom", NEWEST)
        self._ranges = {topic: node.create_publisher(Range, topic, NEWEST) for topic, _, _ in SECTORS}
        self._line = node.create_publisher(Float32MultiArray, "line_tracker/front_norm", NEWEST)
        self._pictures = node.create_publisher(CompressedImage, "camera/front/image_raw/compressed", NEWEST)
        self._infrared = node.create_publisher(UInt32, "ir/code", NEWEST)
        self._diagnostics = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._published: dict[str, float] = {}
        self._sectors = Sectors()

    def joints(self, names: Sequence[str]) -> None:
        """The joints of the robot, in the order of its frames."""
        zeros = [0.0] * len(names)
        self._state = JointState(name=list(names), position=zeros, velocity=zeros, effort=zeros)

    def commanded(self, command: CarCommand, servos: Sequence[float], dt: float) -> None:
        """Wheels as commanded for ``dt`` seconds, servos (degrees) where they are believed to be."""
        state = self._state
        angles = dict(zip((ULTRASONIC_PAN, CAMERA_TILT, CAMERA_PAN), servos, strict=True))
        sides = {**dict.fromkeys(LEFT_WHEELS, command.left), **dict.fromkeys(RIGHT_WHEELS, command.right)}
        position, velocity = list(state.position), list(state.velocity)
        for index, name in enumerate(state.name):
            if name in sides:
                velocity[index] = sides[name] * self._top
                position[index] += velocity[index] * dt
            else:
                position[index] = math.radians(angles[name] - 90.0)
        state.position, state.velocity = array.array("d", position), array.array("d", velocity)
        state.header.stamp = self._now()
        if state.name:
            self._joint_states.publish(state)

    def odometry(self, odometry: Odometry) -> None:
        """Where the car should be, with the errors that this has."""
        message = OdometryMessage()
        message.header.stamp = self._now()
        message.header.frame_id, message.child_frame_id = "odom", "base_link"
        message.pose.pose.position.x, message.pose.pose.position.y = odometry.x, odometry.y
        message.pose.pose.orientation.z = math.sin(odometry.heading / 2.0)
        message.pose.pose.orientation.w = math.cos(odometry.heading / 2.0)
        message.twist.twist.linear.x, message.twist.twist.angular.z = odometry.speed, odometry.turn
        place, heading = odometry.place_sigma**2 + 1e-6, odometry.heading_sigma**2 + 1e-6
        speed, turn = (sigma**2 for sigma in odometry.twist_sigmas)
        message.pose.covariance = _diagonal(place, place, _UNKNOWN, _UNKNOWN, _UNKNOWN, heading)
        message.twist.covariance = _diagonal(speed, 1e-4, _UNKNOWN, _UNKNOWN, _UNKNOWN, turn)
        self._odometry.publish(message)

    def readings(self, readings: CarReadings) -> None:
        """Each reading once."""
        if readings.echo is not None:
            self._echo(readings.echo)
        if readings.line is not None and self._is_new("line", readings.line.at):
            values = array.array("f", (float(value) for value in readings.line.value))
            self._line.publish(Float32MultiArray(data=values))
        if readings.picture is not None and self._is_new("picture", readings.picture.at):
            picture = CompressedImage(format="jpeg")
            picture.header.stamp = self._now()
            picture.header.frame_id = "camera"
            picture.data = array.array("B", readings.picture.value)
            self._pictures.publish(picture)
        if readings.infrared is not None and self._is_new("infrared", readings.infrared.at):
            self._infrared.publish(UInt32(data=readings.infrared.value & 0xFFFFFFFF))

    def report(self, parts: Sequence[Part]) -> None:
        """How each part does."""
        message = DiagnosticArray()
        message.header.stamp = self._now()
        name = self._node.get_fully_qualified_name()
        for part in parts:
            values = [KeyValue(key=key, value=value) for key, value in part.values.items()]
            message.status.append(
                DiagnosticStatus(
                    level=_LEVELS[part.level],
                    name=f"{self._node.get_name()}: {part.name}",
                    message=part.message,
                    hardware_id=name,
                    values=values,
                )
            )
        self._diagnostics.publish(message)

    def _echo(self, echo: Stamped[Echo]) -> None:
        topic = self._sectors.topic(echo) if self._is_new("echo", echo.at) else None
        if topic is None:
            return
        message = Range(
            radiation_type=Range.ULTRASOUND,
            field_of_view=FIELD_OF_VIEW,
            min_range=NEAREST,
            max_range=FARTHEST,
            range=math.nan if echo.value.distance is None else echo.value.distance,
        )
        message.header.stamp = self._now()
        message.header.frame_id = "ultrasonic"
        self._ranges[topic].publish(message)

    def _is_new(self, what: str, at: float) -> bool:
        new = self._published.get(what) != at
        self._published[what] = at
        return new

    def _now(self) -> object:
        return self._node.get_clock().now().to_msg()


def _diagonal(*values: float) -> list[float]:
    """A covariance matrix of 6 × 6, row by row."""
    matrix = [0.0] * 36
    matrix[::7] = values
    return matrix
