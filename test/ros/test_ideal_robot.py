"""The ideal robot's node on real topics: frames in, joint states and an upright IMU out."""

from __future__ import annotations

import array
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rclpy
from basic_actions.elf3 import mod_module
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float32MultiArray, String

from bxi_framework.mod_api import NodeBuildContext, ParameterError
from bxi_framework.ros import qos

PATIENCE = 20.0
WHEEL = '{"name": "wheel", "default": {"position": 0.0}}'
ARM = '{"name": "arm", "default": {"position": 0.3}}'
LAYOUT = f'{{"joints": [{WHEEL}, {ARM}]}}'


@pytest.fixture
def ros() -> Iterator[None]:
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    yield
    rclpy.try_shutdown()


class Operator:
    """Sends layouts and frames to an ideal robot, and hears what it reports."""

    def __init__(self, **context: Any) -> None:
        node = mod_module("mods/com.bxi.ideal_robot", "node")
        self.robot: Node = node.create_node(NodeBuildContext(**context))
        self.node = Node("operator", namespace=context.get("namespace") or None)
        self.states: list[JointState] = []
        self.imu: list[Imu] = []
        self.node.create_subscription(JointState, "joint_states", self.states.append, qos_profile_sensor_data)
        self.node.create_subscription(Imu, "imu/data", self.imu.append, qos_profile_sensor_data)
        self.layouts = self.node.create_publisher(String, "joint_layout", qos.standing())
        self.frames = self.node.create_publisher(Float32MultiArray, "motor_frame", qos.frames())
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.robot)
        self.executor.add_node(self.node)

    def until(self, happened: Callable[[], bool], frame: list[float] | None = None) -> None:
        """Spin until something has happened, sending a frame all the while."""
        end = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < end, "it never happened"
            if frame is not None:
                self.frames.publish(Float32MultiArray(data=array.array("f", frame)))
            self.executor.spin_once(timeout_sec=0.02)

    def close(self) -> None:
        self.executor.shutdown()
        self.robot.destroy_node()
        self.node.destroy_node()


@pytest.fixture
def operator(ros: None) -> Iterator[Operator]:
    operator = Operator(node_name="ideal_robot", params={"rate": 200.0}, namespace="lab")
    yield operator
    operator.close()


def test_it_begins_at_the_default_position_and_follows_frames(operator: Operator) -> None:
    operator.layouts.publish(String(data=LAYOUT))
    operator.until(lambda: bool(operator.states))
    first = operator.states[0]
    assert list(first.name) == ["wheel", "arm"]
    assert list(first.position) == [0.0, pytest.approx(0.3)]
    # Rows qpos, vel, kp, kd, torque: the wheel turns at 2 rad/s, the arm goes to -0.5 rad.
    frame = [0.0, -0.5, 2.0, 0.0, 0.0, 50.0, 1.0, 1.0, 0.0, 0.0]
    operator.until(lambda: abs(operator.states[-1].position[1] + 0.5) < 1e-3, frame)
    operator.until(lambda: operator.states[-1].velocity[0] > 1.9, frame)
    assert operator.states[-1].position[0] > 0.0


def test_it_stands_upright_under_gravity(operator: Operator) -> None:
    operator.layouts.publish(String(data=LAYOUT))
    operator.until(lambda: bool(operator.imu))
    reading = operator.imu[-1]
    orientation = reading.orientation
    assert (orientation.x, orientation.y, orientation.z, orientation.w) == (0.0, 0.0, 0.0, 1.0)
    assert reading.linear_acceleration.z == 9.81
    assert reading.angular_velocity.x == 0.0


def test_without_frames_the_joints_coast_to_rest_and_the_reports_go_on(operator: Operator) -> None:
    operator.layouts.publish(String(data=LAYOUT))
    turning = [0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    operator.until(lambda: bool(operator.states) and operator.states[-1].velocity[0] > 4.0, turning)
    operator.until(lambda: abs(operator.states[-1].velocity[0]) < 0.01)


def test_layouts_and_frames_that_make_no_sense_are_ignored(operator: Operator) -> None:
    for text in ("", "[]", '{"joints": 3}', '{"joints": [{}]}', '{"joints": [{"name": "a", "default": {}}]}'):
        operator.layouts.publish(String(data=text))
        operator.until(lambda: True, [1.0, 2.0])
        operator.executor.spin_once(timeout_sec=0.05)
    operator.layouts.publish(String(data=LAYOUT))
    operator.until(lambda: bool(operator.states), [float("nan")] * 10)
    assert list(operator.states[-1].position) == [0.0, pytest.approx(0.3)]


def test_settings_are_checked(ros: None) -> None:
    with pytest.raises(ParameterError, match=r"params\.rate: must be at least 1\.0"):
        Operator(node_name="ideal_robot", params={"rate": 0.0})
    with pytest.raises(ParameterError, match=r"params\.speed: is not known here"):
        Operator(node_name="ideal_robot", params={"speed": 1.0})


def test_names_and_remappings_are_the_frameworks(ros: None) -> None:
    operator = Operator(
        node_name="stand_in", namespace="lab", remappings={"joint_states": "measured"}, arguments=()
    )
    assert operator.robot.get_fully_qualified_name() == "/lab/stand_in"
    topics = dict(operator.robot.get_publisher_names_and_types_by_node("stand_in", "/lab"))
    assert "/lab/measured" in topics and "/lab/joint_states" not in topics
    operator.close()
