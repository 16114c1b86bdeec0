"""K3: however the bridge or the framework ends, the car is stopped; played with real processes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from geometry_msgs.msg import Twist, Vector3
from ks0223.parts import RecordingCar, until, virtual
from rclpy.qos import qos_profile_sensor_data
from ros.peer import Peer, peer
from ros.running import ROOT, Running, running
from sensor_msgs.msg import JointState, Range
from std_msgs.msg import String

SPARE = 3.0
"""Seconds that a busy machine may add to what is promised."""

CAR = "com.keyestudio.ks0223"


class Desk:
    """The kit's programs in this process, the framework in its own, and an operator."""

    def __init__(self, robot: Running, operator: Peer, hardware: RecordingCar, reads: list[bytes]) -> None:
        self.robot, self.operator, self.hardware, self.reads = robot, operator, hardware, reads
        self._event = operator.sender(String, "bxi_control/event")
        self._velocity = operator.sender(Twist, "cmd_vel")

    def drive(self) -> None:
        """Drive at full speed until the wheels turn."""
        self._event(String(data=f"{CAR}/drive"))
        self.operator.until(self._moves, "driving")

    def _moves(self) -> bool:
        self._velocity(Twist(linear=Vector3(x=0.73)))
        return self.hardware.ordered == (0.8, 0.8)

    def bridge_pid(self) -> int:
        """The process of the bridge, found among what the framework has started."""
        (found,) = [
            pid
            for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
            if f"{CAR}/bridge" in _arguments(pid) and self.robot.process.pid in _ancestors(pid)
        ]
        return found

    def stopped_within(self, promised: float) -> None:
        """A stop reaches the car in time."""
        begun = time.monotonic()
        until(lambda: self.hardware.ordered == (0.0, 0.0), "the stop")
        assert time.monotonic() - begun < promised + SPARE


def _arguments(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").split("\0")
    except OSError:
        return []


def _ancestors(pid: int) -> set[int]:
    found = set()
    while pid > 1:
        try:
            status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        except OSError:
            break
        pid = int(status.rpartition(")")[2].split()[1])
        found.add(pid)
    return found


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    hardware, reads = RecordingCar(), []
    module = virtual("kit.program")
    program = module.KitProgram(
        hardware, "127.0.0.1", "127.0.0.1", module.Ports(0, 0, 0), 0.0, lambda data, late: reads.append(data)
    )
    program.start()
    text = (ROOT / "config" / "ks0223_tcp.yaml").read_text(encoding="utf-8")
    assert text.count("host: raspberrypi.local") == 1
    ports = (
        f"control_port: {program.control.port}, telemetry_port: {program.telemetry.port}, pictures_port: 0"
    )
    text = text.replace("bridge:\n", f"bridge: {{transport: tcp, host: 127.0.0.1, {ports}}}\n")
    lines = [line for line in text.splitlines() if line.strip()[:10] not in ("transport:", "host: rasp")]
    config = tmp_path / "car.yaml"
    pad = ROOT / "config" / "gamepad_ks0223.yaml"
    config.write_text("\n".join(lines).replace("gamepad_ks0223.yaml", str(pad)) + "\n", encoding="utf-8")
    with running("run", "--config", str(config)) as robot, peer("operator") as operator:
        robot.wait_for("can be driven")
        yield Desk(robot, operator, hardware, reads)
    program.close()


def test_a_bridge_that_is_killed_leaves_a_stop_and_comes_back_with_one(desk: Desk) -> None:
    desk.drive()
    old = desk.bridge_pid()
    os.kill(old, signal.SIGKILL)
    desk.stopped_within(1.0)
    desk.robot.wait_for("the bridge is gone; the car was stopped")
    desk.robot.wait_for("can be driven", count=2)
    assert desk.bridge_pid() != old
    desk.drive()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_framework_that_ends_leaves_a_stop(desk: Desk, number: signal.Signals) -> None:
    desk.drive()
    begun = len(desk.reads)
    desk.robot.end(number)
    desk.stopped_within(1.0)
    assert desk.reads[begun:] and desk.reads[-1] == b"DirStop"


def test_a_velocity_that_falls_silent_stops_the_car(desk: Desk) -> None:
    desk.drive()
    desk.stopped_within(0.5)


def test_what_the_car_says_is_published_and_what_is_asked_of_it_as_joint_states(desk: Desk) -> None:
    desk.hardware.seen = 0.6
    ranges = desk.operator.hear(Range, "ultrasonic/front", qos_profile_sensor_data)
    states = desk.operator.hear(JointState, "joint_states", qos_profile_sensor_data)
    desk.operator.until(lambda: ranges and ranges[-1].range == pytest.approx(0.6), "a distance")
    desk.hardware.seen = None
    desk.operator.until(lambda: ranges[-1].range != ranges[-1].range, "no reading, which is not a number")
    desk.drive()
    desk.operator.until(lambda: max(states[-1].velocity[:4]) > 20.0, "commanded wheels")
    assert list(states[-1].name)[:2] == ["front_left_wheel_joint", "front_right_wheel_joint"]
    assert states[-1].velocity[0] == pytest.approx(0.73 / 0.0325, rel=0.01)
