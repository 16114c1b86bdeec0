"""The virtual car as a ROS node: the kit's programs around a car that is not there, and its true pose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from nav_msgs.msg import Odometry

# Older distributions have ClockType in this module only.
from rclpy.clock import Clock, ClockType  # type: ignore[attr-defined]
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from bxi_framework.mod_api import ConfigReader, NodeBuildContext

from .kinematic_car import CarBuild, KinematicCar, Room
from .kit.program import KitProgram, Ports

RATE: Final = 50.0
NEWEST: Final = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)


class VirtualCar(Node):
    """Serves what the real car serves, and publishes its true pose as ``truth/odom``, which no car can."""

    def __init__(self, context: NodeBuildContext) -> None:
        params = ConfigReader(context.params, "params")
        self._car = read_car(params)
        program = read_program(params, self._car)
        try:
            remaps = [part for old, new in context.remappings.items() for part in ("-r", f"{old}:={new}")]
            super().__init__(
                context.node_name,
                namespace=context.namespace or None,
                cli_args=["--ros-args", *remaps, *context.arguments] if remaps or context.arguments else None,
            )
            self._truth = self.create_publisher(Odometry, "truth/odom", NEWEST)
            self.create_timer(1.0 / RATE, self._publish, clock=Clock(clock_type=ClockType.STEADY_TIME))
        except BaseException:
            program.close()
            raise
        self._program = program
        program.start()

    def destroy_node(self) -> None:
        """End the programs."""
        self._program.close()
        super().destroy_node()

    def _publish(self) -> None:
        pose = self._car.pose
        message = Odometry()
        message.header.stamp = self.get_clock().now().to_msg()
        message.header.frame_id, message.child_frame_id = "world", "base_link"
        message.pose.pose.position.x, message.pose.pose.position.y = pose.x, pose.y
        message.pose.pose.orientation.z = math.sin(pose.heading / 2.0)
        message.pose.pose.orientation.w = math.cos(pose.heading / 2.0)
        message.twist.twist.linear.x, message.twist.twist.angular.z = pose.speed, pose.turn
        self._truth.publish(message)


def read_car(params: ConfigReader) -> KinematicCar:
    """The car and its room.

    Raises:
        ParameterError: a parameter is wrong.
    """
    build = CarBuild(
        latency=params.float("latency", CarBuild.latency, minimum=0.0, maximum=2.0),
        response=params.float("response", CarBuild.response, minimum=0.001, maximum=2.0),
        dead_zone=params.float("dead_zone", CarBuild.dead_zone, minimum=0.0, maximum=0.8),
    )
    room = Room(
        length=params.float("room_length", Room.length, minimum=2.0, maximum=100.0),
        width=params.float("room_width", Room.width, minimum=2.0, maximum=100.0),
    )
    return KinematicCar(build, room)


def read_program(params: ConfigReader, car: KinematicCar) -> KitProgram:
    """The programs around the car, not started yet; reads what is left of the parameters.

    Raises:
        ParameterError: a parameter is wrong or unknown.
        OSError: an address is in use.
    """
    ports = Ports()
    defaults: Mapping[str, int] = {
        "control_port": ports.control,
        "telemetry_port": ports.telemetry,
        "pictures_port": ports.camera,
    }
    read = {name: params.integer(name, port, minimum=0, maximum=65535) for name, port in defaults.items()}
    host, operator = params.string("host", "127.0.0.1"), params.string("operator", "127.0.0.1")
    rate = params.float("image_rate", 5.0, minimum=0.0, maximum=60.0)
    params.finish()
    return KitProgram(car, host, operator, Ports(*read.values()), rate)


def create_node(context: NodeBuildContext) -> Node:
    """The node, not yet spinning."""
    return VirtualCar(context)
