"""The bench and the control node on ROS, given the same events, emit the same frames to the bit."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Condition, Thread, current_thread

import numpy as np
import pytest
import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float32MultiArray, String

from bxi_framework.bootstrap import assemble
from bxi_framework.control.runtime import BootRequest, Runtime
from bxi_framework.loading.preparation import InlinePreparation
from bxi_framework.machine.preparation import Preparation
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot import FloatArray
from bxi_framework.ros.control_node import ControlNode
from bxi_framework.ros.executor import NamingExecutor
from bxi_framework.ros.options import RunOptions
from bxi_framework.testing import Bench

CONFIG = Path(__file__).resolve().parents[2] / "config" / "elf3_ideal.yaml"
ACTIONS = "com.bxi.basic_actions"
ALONE = ("mods.select=[com.bxi.basic_actions]",)
TICKS = 330
EVENTS = {
    3: "pd_brake",  # hold, then a gain ramp of 1 s
    30: "initial_pos",  # leads nowhere from zero_torque's transition but replaces it
    90: "pd_brake",
    150: "normal",
    160: "hello",  # blend
    200: "toggle_pause",
    215: "toggle_pause",
    230: "normal",  # blend back, cancelled half way
    250: "hello",
    300: "zero_torque",
}
PATIENCE = 30.0


class SteppedClock:
    """Time that passes only when the test lets the loop have its next cycle."""

    def __init__(self) -> None:
        self._now = 0
        self._granted = 0
        self._free = False
        self._changed = Condition()

    def now_ns(self) -> int:
        return self._now

    def sleep_until(self, deadline_ns: int) -> None:
        if current_thread().name != "control":
            # Those who watch the loop take no cycle from it.
            time.sleep(0.01)
            return
        with self._changed:
            self._changed.wait_for(lambda: self._free or self._granted > 0)
            self._granted -= 1
            self._now = max(self._now, deadline_ns)

    def grant(self) -> None:
        with self._changed:
            self._granted += 1
            self._changed.notify_all()

    def let_go(self) -> None:
        with self._changed:
            self._free = True
            self._changed.notify_all()


class Witness(Node):
    """Another node that sends events and keeps all frames."""

    def __init__(self) -> None:
        super().__init__("witness")
        self.frames: list[FloatArray] = []
        self._events = self.create_publisher(String, "bxi_control/event", 10)
        self._joints = self.create_publisher(JointState, "joint_states", 10)
        self.create_subscription(Float32MultiArray, "motor_frame", self._take, QoSProfile(depth=10))

    def _take(self, message: Float32MultiArray) -> None:
        self.frames.append(np.array(message.data, dtype=np.float32).reshape(5, -1))

    @property
    def connected(self) -> bool:
        heard = self._events.get_subscription_count() > 0 and self._joints.get_subscription_count() > 0
        return heard and self.count_publishers("motor_frame") > 0

    def send(self, name: str) -> None:
        self._events.publish(String(data=name))

    def report(self, names: Sequence[str]) -> None:
        """All joints are at zero, as with a bench whose joints nobody moves."""
        self._joints.publish(JointState(name=list(names), position=[0.0] * len(names)))


@pytest.fixture
def ros() -> Iterator[None]:
    rclpy.init()
    yield
    rclpy.try_shutdown()
    # A lifecycle node of rclpy is part of a cycle: until it is collected, its services stay, unanswered.
    gc.collect()


def wait(condition: Callable[[], bool], spin: Callable[[], None]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        spin()


def frames_of_the_node() -> list[FloatArray]:
    clock, booted = SteppedClock(), []

    def boot(request: BootRequest, _: Preparation, log: LogSink) -> Runtime:
        booted.append(assemble(request, InlinePreparation(), log, lambda: clock.now_ns() / 1e9))
        return booted[0]

    node = ControlNode(
        boot,
        RunOptions(CONFIG, overrides=ALONE),
        lambda *line: None,
        clock,
        lambda: False,
        lambda report: None,
    )
    executor = NamingExecutor(lambda *fault: None)
    executor.add_node(node)
    spinning = True

    def keep_spinning() -> None:
        while spinning:
            executor.spin_once(0.05)

    assert node.configure() and node.activate()
    spinner = Thread(target=keep_spinning)
    spinner.start()
    witness = Witness()
    engine = booted[0].engine
    assert node._session is not None
    hub = node._session.hub

    def spin() -> None:
        rclpy.spin_once(witness, timeout_sec=0.01)

    try:
        wait(lambda: witness.connected, spin)
        for tick in range(TICKS):
            if tick in EVENTS:
                witness.send(f"{ACTIONS}/{EVENTS[tick]}")
                wait(lambda: engine.waiting == 1, spin)
            before = hub.snapshot().joints
            witness.report(before.names)
            wait(lambda before=before: hub.snapshot().joints is not before, spin)
            clock.grant()
            wait(lambda tick=tick: len(witness.frames) == tick + 1, spin)
    finally:
        clock.let_go()
        spinning = False
        spinner.join()
        node.end(lambda: executor.spin_once(0.02))
        executor.remove_node(node)
        executor.shutdown()
        node.destroy_node()
        witness.destroy_node()
    return witness.frames[:TICKS]


def test_the_node_emits_what_the_bench_emits(ros: None) -> None:
    with Bench(CONFIG, overrides=ALONE, actuators=None) as bench:
        for tick in range(TICKS):
            if tick in EVENTS:
                bench.send_event(f"{ACTIONS}/{EVENTS[tick]}")
            bench.step()
        expected = [frame.data for frame in bench.frames]
        assert bench.state == f"{ACTIONS}/zero_torque"
    assert len({frame.tobytes() for frame in expected}) > 100
    for tick, (wanted, seen) in enumerate(zip(expected, frames_of_the_node(), strict=True)):
        assert wanted.tobytes() == seen.tobytes(), f"tick {tick}: {np.abs(wanted - seen).max()}"
