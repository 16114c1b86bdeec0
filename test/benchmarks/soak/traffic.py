"""The robot's surroundings in a process of its own: sensors, a velocity, switches, and somebody who looks.

It begins with a line on its input, ends with the end of it, has the flight record written, and prints what it
has seen of the control node.
"""

from __future__ import annotations

import json
import sys
from threading import Event, Thread
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist
from measures import say
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String

from bxi_framework.ros import qos

BASIC = "com.bxi.basic_actions"
STATES = (f"{BASIC}/normal", f"{BASIC}/hello", f"{BASIC}/normal", f"{BASIC}/applause")
RECORD = "record"
RATE = 100.0
EVERY_VELOCITY = 5
EVERY_SWITCH = 200
PATIENCE = 30.0
NODE = "bxi_control: node "


class Surroundings:
    """Publishes on a timer and keeps what it hears."""

    def __init__(self, node: Node) -> None:
        self._joints = node.create_publisher(JointState, "joint_states", qos.newest_only())
        self._imu = node.create_publisher(Imu, "imu/data", qos.newest_only())
        self._velocity = node.create_publisher(Twist, "cmd_vel", qos.newest_only())
        self._requests = node.create_publisher(String, "bxi_control/request", qos.events())
        node.create_subscription(String, "bxi_control/state", self._on_state, qos.standing())
        node.create_subscription(String, "bxi_control/verdict", self._on_verdict, qos.events())
        node.create_subscription(String, "joint_layout", self._on_layout, qos.standing())
        node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, qos.events())
        self._names: list[str] = []
        self._beats = 0
        self.state: dict[str, Any] = {}
        self.began: dict[str, Any] = {}
        """The timing when the measurement began."""
        self.accepted = 0
        self.refused: list[str] = []
        self.record: dict[str, Any] | None = None
        self.nodes: dict[str, dict[str, str]] = {}
        self.heaviest: dict[str, float] = {}
        self.longest_callback: dict[str, float] = {}
        self.starts: dict[str, set[str]] = {}
        self.control: dict[str, str] = {}
        node.create_timer(1.0 / RATE, self._beat)

    def ask(self, asked: str, verb: str, **args: object) -> None:
        self._requests.publish(String(data=json.dumps({"id": asked, "verb": verb, "args": args})))

    def _beat(self) -> None:
        self._beats += 1
        if self._names:
            at_rest = [0.0] * len(self._names)
            self._joints.publish(JointState(name=self._names, position=at_rest, velocity=at_rest))
        imu = Imu()
        imu.orientation.w = 1.0
        self._imu.publish(imu)
        if self._beats % EVERY_VELOCITY == 0:
            twist = Twist()
            twist.linear.x = 0.2
            self._velocity.publish(twist)
        if self._beats % EVERY_SWITCH == 0:
            number = self._beats // EVERY_SWITCH
            self.ask(f"switch {number}", "state", name=STATES[number % len(STATES)])

    def _on_state(self, message: String) -> None:
        self.state = json.loads(message.data)
        for each in self.state["nodes"]:
            if each["cpu_percent"] is not None:
                name = each["name"]
                self.heaviest[name] = max(self.heaviest.get(name, 0.0), each["cpu_percent"])

    def _on_verdict(self, message: String) -> None:
        verdict = json.loads(message.data)
        if verdict["id"] == RECORD:
            self.record = verdict
        elif verdict["ok"]:
            self.accepted += 1
        else:
            self.refused.append(verdict["reason"])

    def _on_layout(self, message: String) -> None:
        self._names = [joint["name"] for joint in json.loads(message.data)["joints"]]

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            values = {pair.key: pair.value for pair in status.values}
            if status.name.endswith(": control"):
                self.control = values
            elif status.name.startswith(NODE):
                name = status.name[len(NODE) :]
                longest = float(values.get("longest_callback_ms") or 0.0)
                self.longest_callback[name] = max(self.longest_callback.get(name, 0.0), longest)
                if values.get("pid"):
                    self.starts.setdefault(name, set()).add(values["pid"])


def main() -> None:
    """Work until the input ends."""
    rclpy.init(args=[])
    node = rclpy.create_node("soak_traffic")
    here = Surroundings(node)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    begun, ending = Event(), Event()

    def orders() -> None:
        sys.stdin.readline()
        begun.set()
        sys.stdin.read()
        ending.set()

    Thread(target=orders, daemon=True).start()
    while not ending.is_set():
        executor.spin_once(0.05)
        if begun.is_set() and not here.began and here.state:
            here.began, here.accepted, here.refused = here.state["timing"], 0, []
    timing = here.state.get("timing", {})
    here.ask(RECORD, "record", reason="the soak is over")
    end = node.get_clock().now().nanoseconds / 1e9 + PATIENCE
    while here.record is None and node.get_clock().now().nanoseconds / 1e9 < end:
        executor.spin_once(0.05)
    say(
        {
            "record": here.record,
            "skipped": timing.get("skipped", 0) - here.began.get("skipped", 0),
            "overruns": timing.get("overruns", 0) - here.began.get("overruns", 0),
            "stalls": timing.get("stalls", 0),
            "switches": here.accepted,
            "refused": here.refused[:5],
            "process_starts": {name: len(pids) for name, pids in here.starts.items()},
            "node_cpu_percent": here.heaviest,
            "longest_callback_ms": here.longest_callback,
            "control": here.control,
        }
    )


if __name__ == "__main__":
    main()
