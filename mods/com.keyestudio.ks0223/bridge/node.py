"""The bridge as a ROS node: motor frames to the car, and what the car says to topics."""

from __future__ import annotations

import json
import sys
import time
from typing import Final

import numpy as np

# Older distributions have ClockType in this module only.
from rclpy.clock import Clock, ClockType  # type: ignore[attr-defined]
from rclpy.logging import get_logger
from rclpy.node import Node
from std_msgs.msg import Float32, Float32MultiArray, String

from bxi_framework.mod_api import JointLayout, NodeBuildContext, ParameterError
from bxi_framework.mod_api.device_contract import DeviceContract

from .command import STOP, FrameReader
from .contract import MismatchError, check_robot, check_transport, read_contract
from .helper import LastStop
from .odometry import Odometry
from .settings import Settings
from .topics import LATCHED, NEWEST, CarTopics
from .transport import COMMAND_LIMIT, Transport

RATE: Final = 50.0
REFUSED: Final = 2
"""Exit status after a mismatch or a wrong parameter: another start would bring nothing else."""


class Bridge(Node):
    """Takes ``joint_layout`` and ``motor_frame``; publishes what `CarTopics` says.

    The car is stopped when no frame has come for 0.2 s, and before this node ends in whatever way.

    Args:
        context: name and surroundings of the node.
        settings: its parameters.
        contract: what the robot is compared with.
        car: the way to the car, already open.
        last_stop: stops the car if this process dies.
    """

    def __init__(
        self,
        context: NodeBuildContext,
        settings: Settings,
        contract: DeviceContract,
        car: Transport,
        last_stop: LastStop,
    ) -> None:
        remaps = [part for old, new in context.remappings.items() for part in ("-r", f"{old}:={new}")]
        super().__init__(
            context.node_name,
            namespace=context.namespace or None,
            cli_args=["--ros-args", *remaps, *context.arguments] if remaps or context.arguments else None,
        )
        self._settings, self._contract = settings, contract
        self._car, self._last_stop = car, last_stop
        self._frames: FrameReader | None = None
        self._joints: tuple[str, ...] = ()
        self._command = STOP
        self._framed_at = -float("inf")
        self._odometry = Odometry(settings.shape)
        self._topics = CarTopics(self, settings.shape)
        self._stepped_at = time.monotonic()
        self._reached = False
        self.create_subscription(String, "joint_layout", self._on_layout, LATCHED)
        self.create_subscription(Float32MultiArray, "motor_frame", self._on_frame, NEWEST)
        self.create_subscription(String, "led/pattern", self._on_pattern, NEWEST)
        self.create_subscription(Float32, "buzzer/tone", self._on_tone, NEWEST)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(1.0 / RATE, self._step, clock=steady)
        self.create_timer(1.0, self._report, clock=steady)

    def destroy_node(self) -> None:
        """Stop the car, then end. A car that was never reached is not moving because of this node."""
        self._last_stop.dismiss(self._car.close() or not self._reached)
        super().destroy_node()

    def _on_layout(self, message: String) -> None:
        try:
            layout = json.loads(message.data)
            robot, joints = str(layout["robot"]), list(layout["joints"])
            names = tuple(str(joint["name"]) for joint in joints)
            check_robot(self._contract, robot, joints)
        except MismatchError as error:
            self.get_logger().fatal(str(error))
            raise SystemExit(REFUSED) from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self.get_logger().error(f"the joint layout cannot be read and is ignored: {error!r}")
            return
        if names != self._joints:
            self._joints = names
            self._frames = FrameReader(JointLayout(names), self._settings.shape)
            self._topics.joints(names)

    def _on_frame(self, message: Float32MultiArray) -> None:
        if self._frames is None:
            return
        command = self._frames.read(np.asarray(message.data, dtype=np.float32))
        if command is None:
            self.get_logger().error(
                "a motor frame with a wrong size or a value that is no number is ignored",
                throttle_duration_sec=5.0,
            )
            return
        self._command, self._framed_at = command, time.monotonic()
        self._car.command(command)

    def _on_pattern(self, message: String) -> None:
        self._car.show(message.data)

    def _on_tone(self, message: Float32) -> None:
        self._car.tone(message.data)

    def _step(self) -> None:
        self._car.check()
        now = time.monotonic()
        dt, self._stepped_at = now - self._stepped_at, now
        in_touch = self._car.in_touch
        self._reached = self._reached or in_touch
        moving = now - self._framed_at <= COMMAND_LIMIT and in_touch
        command = self._command if moving else STOP
        self._odometry.step(command.left, command.right, dt)
        readings = self._car.readings()
        self._topics.commanded(command, readings.servos, dt)
        self._topics.odometry(self._odometry)
        self._topics.readings(readings)

    def _report(self) -> None:
        self._topics.report(self._car.parts())


def create_node(context: NodeBuildContext) -> Node:
    """The node, not yet spinning. What does not fit ends the process for good."""
    logger = get_logger(context.node_name)

    def log(level: str, message: str) -> None:
        # One call per level: the logger refuses a line that changes its level.
        if level == "info":
            logger.info(message)
        elif level == "warning":
            logger.warning(message)
        else:
            logger.error(message)

    try:
        settings, contract = Settings.read(context.params), read_contract()
        car = settings.make(log)
        check_transport(contract, car, settings.transport)
    except (MismatchError, ParameterError, ImportError) as error:
        sys.stderr.write(f"{context.node_name} refuses to start: {error}\n")
        raise SystemExit(REFUSED) from None
    last_stop = LastStop(settings.last_stop())
    try:
        car.open()
        return Bridge(context, settings, contract, car, last_stop)
    except BaseException:
        last_stop.dismiss(car.close())
        raise
