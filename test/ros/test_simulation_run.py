"""A virtual robot in a process of its own takes the place of the hardware, from velocity command to pose."""

from __future__ import annotations

import json
import math
import os
import signal
from collections.abc import Iterator

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped, Twist
from rclpy.qos import qos_profile_sensor_data
from ros.peer import Peer, peer
from ros.running import ROOT, Running, call, running
from sensor_msgs.msg import JointState, Range
from std_srvs.srv import SetBool, Trigger

CART = ("--config", str(ROOT / "docs" / "examples" / "com.example.cart" / "config.yaml"))
NODE = "com.example.cart/cart"


@pytest.fixture(scope="module")
def robot() -> Iterator[Running]:
    with running("run", *CART) as process:
        process.wait_for("50 Hz")
        yield process
        assert process.end()[0] == 0, process.text
        assert "Traceback" not in process.text


@pytest.fixture(scope="module")
def operator(robot: Running) -> Iterator[Peer]:
    with peer("operator") as made:
        poses = made.hear(PoseStamped, "cart/pose", qos_profile_sensor_data)
        made.until(lambda: poses, "a pose")
        yield made


def place(operator: Peer) -> tuple[float, float]:
    """Where the cart is now, in m."""
    poses = operator.hear(PoseStamped, "cart/pose", qos_profile_sensor_data)
    seen = len(poses)
    operator.until(lambda: len(poses) > seen + 1, "a new pose")
    return poses[-1].pose.position.x, poses[-1].pose.position.y


def far(operator: Peer) -> float:
    return math.hypot(*place(operator))


def simulation(operator: Peer) -> DiagnosticStatus:
    """The next thing that the simulation says of itself."""
    heard = operator.hear(DiagnosticArray, "/diagnostics", 10)
    heard.clear()

    def own() -> list[DiagnosticStatus]:
        return [each for array in heard for each in array.status if each.name == "cart: simulation"]

    operator.until(own, "the simulation's diagnostics")
    return own()[-1]


def figures(status: DiagnosticStatus) -> dict[str, str]:
    return {pair.key: pair.value for pair in status.values}


def drive(operator: Peer, metres: float) -> None:
    """Send a velocity until the cart is that far from where it began."""
    send = operator.sender(Twist, "cmd_vel")
    command = Twist()
    command.linear.x = 0.4

    def there() -> bool:
        send(command)
        return far(operator) > metres

    operator.until(there, f"a way of {metres} m")


def test_the_cart_drives_as_it_is_told_and_stops_when_nobody_tells_it(operator: Peer) -> None:
    assert far(operator) < 0.05
    assert call("event", "com.example.cart/drive").returncode == 0
    drive(operator, 0.2)
    joints = operator.hear(JointState, "joint_states", qos_profile_sensor_data)
    operator.until(lambda: joints and joints[-1].name, "joint states")
    assert joints[-1].name == ["left_wheel", "right_wheel"]
    assert min(joints[-1].position) > 0.2 / 0.05 * 0.5, "the wheels have turned"
    operator.until(lambda: max(map(abs, joints[-1].velocity)) < 0.05, "a standstill without commands")
    ranges = operator.hear(Range, "front", qos_profile_sensor_data)
    operator.until(lambda: ranges, "a range")
    assert ranges[-1].range == math.inf
    assert (ranges[-1].min_range, ranges[-1].max_range) == (pytest.approx(0.02), 4.0)


def test_a_reset_puts_it_back_and_a_pause_keeps_it(operator: Peer) -> None:
    drive(operator, 0.2)
    paused = operator.call(SetBool, "cart/pause", SetBool.Request(data=True))
    assert (paused.success, paused.message) == (True, "paused")
    status = simulation(operator)
    assert figures(status)["paused"] == "true"
    assert figures(simulation(operator))["simulated_time"] == figures(simulation(operator))["simulated_time"]
    assert operator.call(SetBool, "cart/pause", SetBool.Request(data=False)).message == "running"
    again = operator.call(Trigger, "cart/reset", Trigger.Request())
    assert (again.success, again.message) == (True, "seed 0")
    assert far(operator) < 0.1
    operator.until(lambda: figures(simulation(operator))["paused"] == "false", "a running simulation")


def test_diagnostics_tell_the_factor_that_is_reached(operator: Peer) -> None:
    said = figures(simulation(operator))
    assert said["wanted_factor"] == "1"
    assert 0.2 < float(said["factor"]) < 2.0, "this machine is busy, but the simulation runs"
    assert float(said["simulated_time"]) > 0.0
    assert said["last_refusal"] == ""


def test_a_simulation_that_is_killed_comes_back_and_control_goes_on(operator: Peer) -> None:
    def node() -> dict[str, object]:
        listed = json.loads(call("node", "list", "--json").stdout)
        return next(each for each in listed if each["name"] == NODE)

    before = node()
    assert before["state"] == "running"
    os.kill(int(str(before["pid"])), signal.SIGKILL)
    operator.until(lambda: node()["restarts"] == 1 and node()["state"] == "running", "a new simulation")
    assert call("status").returncode == 0
    operator.hear(PoseStamped, "cart/pose", qos_profile_sensor_data).clear()
    assert far(operator) < 0.05, "it begins where the manifest puts it"
