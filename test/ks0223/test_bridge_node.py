"""The bridge checks what it is given, says what does not fit, and never leaves the car behind moving."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from basic_actions.elf3 import elf3
from ks0223.parts import RecordingCar, car, virtual
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String

from bxi_framework.diagnostics import Report
from bxi_framework.manifest.read_system import read_system
from bxi_framework.mod_api import JointLayout, MotorFrame, NodeBuildContext, ParameterError
from bxi_framework.robot import RobotModel

ROOT = Path(__file__).parents[2]
CONFIGS = ("ks0223", "ks0223_tcp", "ks0223_gpio")


def model(name: str = "ks0223") -> RobotModel:
    config = read_system(ROOT / "config" / f"{name}.yaml", Report())
    assert config is not None
    return RobotModel(config.robot.name, config.robot.joints)


@pytest.fixture
def program() -> Iterator[Any]:
    module = virtual("kit.program")
    made = module.KitProgram(RecordingCar(), "127.0.0.1", "127.0.0.1", module.Ports(0, 0, 0), 0.0)
    made.start()
    yield made
    made.close()


@pytest.fixture
def ros() -> Iterator[None]:
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    yield
    rclpy.try_shutdown()


def context(program: Any, **more: Any) -> NodeBuildContext:
    params = {
        "transport": "virtual",
        "control_port": program.control.port,
        "telemetry_port": program.telemetry.port,
        "pictures_port": 0,
    }
    return NodeBuildContext("bridge", params=params, **more)


def test_a_start_that_fails_half_way_leaves_a_stop(program: Any, ros: None) -> None:
    hardware = program.control.car
    hardware.drive(0.8, 0.8)
    with pytest.raises(Exception, match="bogus"):
        car("bridge.node").create_node(context(program, arguments=("-r", "bogus")))
    assert hardware.ordered == (0.0, 0.0)


def test_another_robot_is_refused_with_both_lists(
    program: Any, ros: None, capfd: pytest.CaptureFixture[str]
) -> None:
    node = car("bridge.node").create_node(context(program))
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    publisher = node.create_publisher(String, "joint_layout", car("bridge.topics").LATCHED)
    publisher.publish(String(data=json.dumps(elf3().as_dict())))
    try:
        with pytest.raises(SystemExit) as ended:
            end = time.monotonic() + 20.0
            while time.monotonic() < end:
                executor.spin_once(timeout_sec=0.05)
        assert ended.value.code == 2
    finally:
        executor.shutdown()
        node.destroy_node()
    said = capfd.readouterr().err
    assert "no vehicle.ks0223.v1" in said
    assert "front_left_wheel_joint (continuous)" in said and "waist_y_joint (revolute)" in said


def test_a_way_that_lacks_a_sensor_is_refused_with_both_lists() -> None:
    contract = car("bridge.contract")

    class Blind:
        sensors = frozenset(("ultrasonic",))
        actuators = frozenset(("throttle", "steer", "brake"))

    with pytest.raises(contract.MismatchError) as refused:
        contract.check_transport(contract.read_contract(), Blind(), "blind")
    assert "The contract has camera, line_center, line_left, line_right, ultrasonic" in str(refused.value)
    assert "the transport has ultrasonic" in str(refused.value)


@pytest.mark.parametrize("name", CONFIGS)
def test_the_robots_that_come_along_fit_the_contract(name: str) -> None:
    contract = car("bridge.contract")
    robot = model(name).as_dict()
    contract.check_robot(contract.read_contract(), robot["robot"], robot["joints"])
    assert model(name).layout == model().layout


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, r"params\.transport: is missing"),
        ({"transport": "tpc"}, r"params\.transport: must be one of tcp, virtual, gpio"),
        ({"transport": "tcp"}, r"params\.host: is missing"),
        ({"transport": "virtual", "control_port": 99999}, r"params\.control_port: must be at most 65535"),
        ({"transport": "gpio", "line_left_pin": 18}, r"params\.line_left_pin: must be 17 or 19, not 18"),
        ({"transport": "virtual", "speed": 1}, r"params\.speed: is not known here"),
    ],
)
def test_parameters_are_checked(params: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        car("bridge.settings").Settings.read(params)


def read(frame: MotorFrame) -> Any:
    reader = car("bridge.command").FrameReader(frame.layout, car("shape").CarShape())
    return reader.read(frame.data.reshape(-1))


def frame(**joints: tuple[float, float, float, float]) -> MotorFrame:
    """(qpos, vel, kp, kd) by the beginning of a joint's name; all others ask for nothing."""
    made = MotorFrame.empty(model().layout)
    for index, name in enumerate(made.layout.names):
        for start, values in joints.items():
            if name.startswith(start):
                made.qpos[index], made.vel[index], made.kp[index], made.kd[index] = values
    return made


def test_a_frame_of_nothing_coasts_and_leaves_the_servos() -> None:
    command = read(frame())
    assert command.stopped and not command.brake
    assert (command.ultrasonic, command.tilt, command.pan) == (None, None, None)


def test_a_wheel_turns_as_far_as_it_is_held() -> None:
    top = 0.73 / 0.0325
    command = read(frame(front=(0, top, 0, 0.02), rear=(0, top, 0, 0.02)))
    assert (command.left, command.right) == pytest.approx((1.0, 1.0))
    assert read(frame(front=(0, top, 0, 0.0), rear=(0, top, 0, 0.0))).stopped
    assert read(frame(front=(0, 0, 0, 0.02), rear=(0, 0, 0, 0.02))).brake
    command = read(frame(front_left=(0, -top, 0, 0.02), rear_left=(0, -top, 0, 0.02)))
    assert (command.left, command.right) == pytest.approx((-1.0, 0.0))
    assert read(frame(front=(0, 9 * top, 0, 0.02), rear=(0, 9 * top, 0, 0.02))).left == 1.0


def test_a_servo_goes_to_its_angle_while_it_has_stiffness() -> None:
    command = read(frame(ultrasonic=(math.radians(30), 0, 1, 0), camera_pan=(-9.0, 0, 1, 0)))
    assert command.ultrasonic == pytest.approx(120.0, abs=1e-4)
    assert (command.tilt, command.pan) == (None, 0.0)


def test_a_frame_that_is_none_is_no_command() -> None:
    reader = car("bridge.command").FrameReader(JointLayout(model().layout.names), car("shape").CarShape())
    assert reader.read(np.zeros(34, dtype=np.float32)) is None
    assert reader.read(np.full(35, np.nan, dtype=np.float32)) is None


def test_odometry_goes_where_it_was_told_and_knows_how_little_that_means() -> None:
    odometry = car("bridge.odometry").Odometry(car("shape").CarShape())
    for _ in range(100):
        odometry.step(0.5, 0.5, 0.02)
    assert (odometry.x, odometry.y) == pytest.approx((0.73, 0.0))
    assert odometry.place_sigma > 0.1 and odometry.heading_sigma > 0.05
    straight = odometry.heading_sigma
    for _ in range(50):
        odometry.step(-0.5, 0.5, 0.02)
    assert odometry.turn == pytest.approx(0.73 / 0.22)
    assert odometry.heading_sigma - straight == pytest.approx(0.3 * 0.73 / 0.22, rel=0.01)


def test_the_last_stop_asks_until_the_server_has_read_it_and_gives_up_in_the_end() -> None:
    module = virtual("kit.control")
    hardware = RecordingCar()
    server = module.ControlServer(hardware, ("127.0.0.1", 0))
    server.start()
    hardware.drive(0.8, 0.8)
    last_stop = car("bridge.last_stop")
    assert last_stop.stop_by_word(("127.0.0.1", server.port), 20.0)
    assert hardware.ordered == (0.0, 0.0)
    server.close()
    assert not last_stop.stop_by_word(("127.0.0.1", server.port), 0.3)


def test_the_last_stop_sets_all_motor_pins_low(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[object, ...]] = []

    class Chip:
        """What lgpio offers, and which needs a Raspberry Pi."""

        @staticmethod
        def gpiochip_open(number: int) -> int:
            return 7 + number

        @staticmethod
        def gpio_claim_output(chip: int, pin: int, level: int) -> None:
            calls.append((chip, pin, level))

        @staticmethod
        def gpiochip_close(chip: int) -> None:
            calls.append((chip,))

    monkeypatch.setitem(__import__("sys").modules, "lgpio", Chip)
    settings = car("bridge.settings").Settings.read({"transport": "gpio"})
    kind, *pins = settings.last_stop()
    assert kind == "pins"
    car("bridge.last_stop").stop_pins([int(pin) for pin in pins])
    assert {pin for _, pin, _ in calls[:-1]} == {20, 21, 22, 23, 24, 25, 26, 27, 0, 1, 12, 13}
    assert {level for _, _, level in calls[:-1]} == {0} and calls[-1] == (7,)
