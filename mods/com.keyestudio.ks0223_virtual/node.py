"""The virtual car as a ROS node: the kit's programs around a simulated car, and its true pose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from nav_msgs.msg import Odometry

# Older distributions have ClockType in this module only.
from rclpy.clock import Clock, ClockType  # type: ignore[attr-defined]
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_srvs.srv import Trigger

from bxi_framework.mod_api import ConfigReader, NodeBuildContext

from .car import PhysicalCar
from .clocked import ClockedCar
from .jpeg import can_encode
from .kit.program import KitProgram, Ports

RATE: Final = 50.0
CONFIG: Final = ("latency", "response", "dead_zone", "turn_spread", "asymmetry")
"""What the vehicle takes besides its track."""

NEWEST: Final = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)


class VirtualCar(Node):
    """Serves what the real car serves, and publishes its true pose as ``truth/odom``, which no car can."""

    def __init__(self, context: NodeBuildContext) -> None:
        params = ConfigReader(context.params, "params")
        rate = params.float("image_rate", 5.0, minimum=0.0, maximum=60.0)
        car = read_car(params, rate)
        self._car = ClockedCar(car, self._tell_late)
        self._lost = self._told = 0.0
        try:
            program = read_program(params, self._car, rate)
        except BaseException:
            self._car.close()
            raise
        try:
            remaps = [part for old, new in context.remappings.items() for part in ("-r", f"{old}:={new}")]
            super().__init__(
                context.node_name,
                namespace=context.namespace or None,
                cli_args=["--ros-args", *remaps, *context.arguments] if remaps or context.arguments else None,
            )
            self._truth = self.create_publisher(Odometry, "truth/odom", NEWEST)
            self.create_timer(1.0 / RATE, self._publish, clock=Clock(clock_type=ClockType.STEADY_TIME))
            self.declare_parameter("seed", car.seed)
            self.create_service(Trigger, "~/reset", self._reset)
        except BaseException:
            program.close()
            self._car.close()
            raise
        self._program = program
        self._car.start()
        program.start()

    def destroy_node(self) -> None:
        """End the programs and the car."""
        self._program.close()
        self._car.close()
        super().destroy_node()

    def _reset(self, request: Trigger.Request, answer: Trigger.Response) -> Trigger.Response:
        seed = self.get_parameter("seed").value
        try:
            self._car.reset(seed)
        except ValueError as error:
            answer.success, answer.message = False, str(error)
        else:
            answer.success, answer.message = True, f"began anew with seed {seed}"
        return answer

    def _tell_late(self, lost: float) -> None:
        self._lost += lost

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
        lost = self._lost
        if lost > self._told:
            self.get_logger().warning(
                f"this machine is too slow for the virtual car: {lost - self._told:.2f} s were left out; "
                "end other programs, or lower image_rate",
                throttle_duration_sec=10.0,
            )
            self._told = lost


def read_car(params: ConfigReader, image_rate: float) -> PhysicalCar:
    """The car on its track.

    Raises:
        ParameterError: a parameter is wrong.
        UnsoundSimulationError: a parameter of the track or the car is wrong, and says what is allowed.
    """
    track = params.string("track", "track.line_loop.v1")
    parameters = params.value("track_parameters", {})
    if not isinstance(parameters, Mapping):
        raise params.error("track_parameters", "must be a mapping of the track's parameters")
    seed = params.integer("seed", 0, minimum=0)
    config = {name: params.float(name) for name in CONFIG if name in params}
    rate = image_rate if image_rate > 0.0 and can_encode() else 0.0
    return PhysicalCar(track, parameters, seed, config=config, image_rate=rate)


def read_program(params: ConfigReader, car: ClockedCar, image_rate: float) -> KitProgram:
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
    params.finish()
    return KitProgram(car, host, operator, Ports(*read.values()), image_rate)


def create_node(context: NodeBuildContext) -> Node:
    """The node, not yet spinning."""
    return VirtualCar(context)
