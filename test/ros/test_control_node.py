"""A running control node from outside: topics, services and nodes, with sound messages and odd ones."""

from __future__ import annotations

import json
import math
import time
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist
from ros.peer import Peer, states_of
from ros.running import Running, call
from sensor_msgs.msg import Imu, JointState, Joy
from std_msgs.msg import Float32MultiArray, String
from std_srvs.srv import Trigger

from bxi_framework.ros import qos


@pytest.fixture(autouse=True)
def limp(operator: Peer) -> None:
    """Every test begins with a limp robot that may move."""
    operator.call(Trigger, "bxi_control/resume", Trigger.Request())
    operator.sender(String, "bxi_control/event", qos.events())(String(data="test.ros/limp"))
    operator.until(
        lambda: current(operator.hear(String, "bxi_control/state", qos.standing())) == "test.ros/limp"
    )


def current(messages: list[Any]) -> str:
    return str(states_of(messages)[-1]["current"]["name"]) if messages else ""


class Asker:
    """Sends requests and finds their verdicts."""

    def __init__(self, operator: Peer) -> None:
        self._operator = operator
        self._verdicts = operator.hear(String, "bxi_control/verdict", qos.answers())
        self._send = operator.sender(String, "bxi_control/request", qos.events())

    def ask(self, text: str, request_id: str | int | None) -> dict[str, Any]:
        seen = len(self._verdicts)
        self._send(String(data=text))

        def answers() -> list[dict[str, Any]]:
            said = [json.loads(message.data) for message in self._verdicts[seen:]]
            return [verdict for verdict in said if verdict["id"] == request_id]

        self._operator.until(answers, f"a verdict on {text[:100]}")
        return answers()[0]


def test_the_first_lines_name_mods_and_what_became_of_the_nodes(robot: Running) -> None:
    assert "mods: enabled: test.ros 1.2.0" in robot.text
    assert "com.bxi.ideal_robot (the configuration does not select it)" in robot.wait_for("mods: disabled")
    failed = robot.wait_for("ERROR   test.ros/hopeless: node of 'test.ros' failed: create_node() failed: ")
    assert failed.endswith("nodes.py:40: ValueError: there is nothing to create")
    assert "it depends on 'test.ros/hopeless', which is faulted" in robot.wait_for("test.ros/needy")
    assert "state test.ros/limp, 50 Hz; next: " in robot.text
    assert " event test.ros/hold" in robot.text


def test_layout_and_graph_wait_for_whoever_comes(operator: Peer) -> None:
    layouts = operator.hear(String, "joint_layout", qos.standing())
    graphs = operator.hear(String, "bxi_control/graph", qos.standing())
    operator.until(lambda: layouts and graphs)
    layout, graph = json.loads(layouts[0].data), json.loads(graphs[0].data)
    assert layout["robot"] == "pair"
    assert [joint["name"] for joint in layout["joints"]] == ["a", "b"]
    hold = next(state for state in graph["states"] if state["name"] == "test.ros/hold")
    assert {
        key: hold[key] for key in ("label", "icon", "group", "priority", "confirm", "confirm_message")
    } == {
        "label": "Hold",
        "icon": "lock",
        "group": "Base",
        "priority": 5,
        "confirm": True,
        "confirm_message": "Stand back",
    }


def test_frames_say_what_their_rows_and_columns_are(operator: Peer) -> None:
    frames = operator.hear(Float32MultiArray, "motor_frame", qos.frames())
    commands = operator.hear(JointState, "joint_commands", qos.frames())
    operator.until(lambda: frames and commands)
    dims = [(dim.label, dim.size, dim.stride) for dim in frames[0].layout.dim]
    assert dims == [("qpos vel kp kd torque", 5, 10), ("joint", 2, 2)]
    assert list(frames[0].data) == [0.0] * 10
    operator.sender(String, "bxi_control/event", qos.events())(String(data="test.ros/hold"))
    operator.until(lambda: commands[-1].position[0] != 0.0)
    assert list(commands[-1].name) == ["a", "b"]
    assert list(commands[-1].position) == pytest.approx([0.3, 0.3])
    assert list(frames[-1].data) == pytest.approx([0.3, 0.3, 0.0, 0.0, 40.0, 40.0, 1.0, 1.0, 0.0, 0.0])


def test_the_state_comes_on_change_and_twice_a_second(operator: Peer) -> None:
    states = operator.hear(String, "bxi_control/state", qos.standing())
    operator.until(lambda: states)
    begin, before = time.monotonic(), len(states)
    operator.until(lambda: len(states) >= before + 4)
    assert time.monotonic() - begin < 10.0
    assert set(states_of(states)[-1]) == {
        "current",
        "transition",
        "pending",
        "preparing",
        "stop",
        "passive",
        "held",
        "policy",
        "ignored",
        "control",
        "inputs",
        "unheard_joints",
        "clamps",
        "nodes",
        "timing",
    }
    assert states_of(states)[-1]["control"] == {"active": True, "velocity": "none"}
    assert states_of(states)[-1]["timing"]["period_us"] == 20000.0
    never = {"age": None, "limit": None, "lost": False}
    assert states_of(states)[-1]["inputs"] == dict.fromkeys(
        ("joint_states", "imu", "gamepad", "cmd_vel"), never
    )
    operator.sender(String, "bxi_control/event", qos.events())(String(data="test.ros/ramp"))
    operator.until(lambda: current(states) == "test.ros/hold")
    runs = [state["transition"] for state in states_of(states[before:]) if state["transition"] is not None]
    assert (runs[0]["from"], runs[0]["to"], runs[0]["type"]) == (
        "test.ros/limp",
        "test.ros/hold",
        "entry_gain_ramp",
    )


def test_an_unknown_event_is_told_once_with_the_nearest_name_and_changes_nothing(
    robot: Running, operator: Peer
) -> None:
    send = operator.sender(String, "bxi_control/event", qos.events())
    states = operator.hear(String, "bxi_control/state", qos.standing())
    for _ in range(3):
        send(String(data="test.ros/hodl"))
    robot.wait_for("no event 'test.ros/hodl'. Did you mean 'test.ros/hold'?")
    operator.spin(0.3)
    assert robot.text.count("test.ros/hodl") == 1
    assert current(states) == "test.ros/limp"


def test_stop_holds_until_resume(operator: Peer) -> None:
    asker = Asker(operator)
    states = operator.hear(String, "bxi_control/state", qos.standing())
    assert asker.ask('{"id": 1, "verb": "event", "args": {"name": "test.ros/hold"}}', 1)["ok"]
    operator.until(lambda: states and current(states) == "test.ros/hold")

    stopped = operator.call(Trigger, "bxi_control/stop", Trigger.Request())
    assert (stopped.success, stopped.message) == (
        True,
        "stopped: 'test.ros/limp' is in control until ~/resume; all joints free to coast",
    )
    operator.until(lambda: states_of(states)[-1]["stop"]["latched"])
    assert current(states) == "test.ros/limp"
    refused = asker.ask('{"id": 2, "verb": "event", "args": {"name": "test.ros/hold"}}', 2)
    assert refused == {"id": 2, "ok": False, "reason": "a stop holds; resume first"}

    resumed = operator.call(Trigger, "bxi_control/resume", Trigger.Request())
    assert (resumed.success, resumed.message) == (True, "resumed: nothing moves until a state is asked for")
    again = operator.call(Trigger, "bxi_control/resume", Trigger.Request())
    assert (again.success, again.message) == (False, "no stop holds")


def test_the_stop_button_of_the_gamepad_stops(operator: Peer) -> None:
    states = operator.hear(String, "bxi_control/state", qos.standing())
    send = operator.sender(Joy, "joy", qos.frames())
    axes = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    operator.until(lambda: states)
    for held in (0, 0, 1, 1, 1, 0):
        send(Joy(axes=axes, buttons=[0] * 6 + [held, 0]))
        operator.spin(0.06)
    operator.until(lambda: states_of(states)[-1]["stop"] == {"latched": True, "reason": "gamepad"})


@pytest.mark.parametrize(
    ("request_id", "text", "ok", "reason"),
    [
        ("s", '{"id": "s", "verb": "state", "args": {"name": "test.ros/hold"}}', True, ""),
        (4, '{"id": 4, "verb": "stop", "args": {}}', True, ""),
        (5, '{"id": 5, "verb": "resume"}', False, "no stop holds"),
        (6, '{"id": 6, "verb": "evnt", "args": {}}', False, "no verb 'evnt'. Did you mean 'event'?"),
        (
            7,
            '{"id": 7, "verb": "event", "args": {"nam": "x"}}',
            False,
            "'event' has no 'nam'. Did you mean 'name'?",
        ),
        (None, "{", False, "the request is not JSON"),
        (
            8,
            '{"id": 8, "verb": "state", "args": {"name": "test.ros/hlod"}}',
            False,
            "no state 'test.ros/hlod'. Did you mean 'test.ros/hold'?",
        ),
    ],
)
def test_a_request_gets_a_verdict_with_the_reason(
    operator: Peer, request_id: str | int | None, text: str, ok: bool, reason: str
) -> None:
    verdict = Asker(operator).ask(text, request_id)
    assert verdict["ok"] is ok
    assert reason in verdict["reason"]


def test_odd_messages_are_dropped_and_the_frames_go_on(robot: Running, operator: Peer) -> None:
    frames = operator.hear(Float32MultiArray, "motor_frame", qos.frames())
    joy = operator.sender(Joy, "joy")
    for axes, buttons in (([], []), ([0.0] * 3, [1]), ([0.0] * 20, [0] * 40), ([math.nan] * 8, [-7] * 8)):
        joy(Joy(axes=axes, buttons=buttons))
        operator.spin(0.05)
    velocity = operator.sender(Twist, "cmd_vel")
    wish = Twist()
    for value in (math.nan, math.inf, -math.inf, 1e308):
        wish.linear.x = value
        velocity(wish)
    joints = operator.sender(JointState, "joint_states")
    for message in (
        JointState(),
        JointState(name=["a", "b"], position=[1.0]),
        JointState(name=["a"], position=[1.0, 2.0]),
        JointState(name=["a", "a"], position=[1.0, 2.0]),
        JointState(name=["a"], position=[math.nan]),
        JointState(name=["stranger"], position=[0.5]),
        JointState(name=["a"], position=[1e300]),
    ):
        joints(message)
        operator.spin(0.05)
    imu = operator.sender(Imu, "imu/data")
    reading = Imu()
    reading.angular_velocity.x = math.inf
    imu(reading)
    operator.spin(0.1)
    seen = len(frames)
    operator.until(lambda: len(frames) > seen + 10, "more frames")
    assert all(math.isfinite(value) for frame in frames for value in frame.data)
    assert robot.process.poll() is None
    assert "failed" not in robot.text.split("50 Hz")[1].replace("'test.ros' failed: create_node() failed", "")


def test_s6_a_stamp_that_is_zero_past_or_future_changes_nothing(operator: Peer) -> None:
    states = operator.hear(String, "bxi_control/state", qos.standing())
    joints, imu = operator.sender(JointState, "joint_states"), operator.sender(Imu, "imu/data")

    def ages() -> list[float]:
        inputs = states_of(states)[-1]["inputs"]
        return [inputs[name]["age"] for name in ("joint_states", "imu")]

    for seconds in (0, 1, 2**31 - 1):
        operator.spin(1.2)
        operator.until(lambda: states and all(age is None or age > 1.0 for age in ages()))
        reading = JointState(name=["a", "b"], position=[0.1, 0.2])
        attitude = Imu()
        attitude.orientation.w = 1.0
        for message in (reading, attitude):
            message.header.stamp.sec = seconds
        joints(reading)
        imu(attitude)
        operator.until(lambda: all(age is not None and age < 1.0 for age in ages()), "fresh inputs")


def test_velocity_wishes_name_their_source_and_run_out(operator: Peer) -> None:
    states = operator.hear(String, "bxi_control/state", qos.standing())
    send = operator.sender(Twist, "cmd_vel")
    wish = Twist()
    wish.linear.x = 0.4

    def source() -> str:
        return str(states_of(states)[-1]["control"]["velocity"]) if states else ""

    def keep_sending() -> bool:
        send(wish)
        return source() == "topic"

    operator.until(keep_sending)
    operator.until(lambda: source() == "none")


def test_diagnostics_cover_control_mods_and_nodes(operator: Peer) -> None:
    arrays = operator.hear(DiagnosticArray, "/diagnostics", qos.events())
    operator.until(lambda: arrays)
    found = {status.name.removeprefix("bxi_control: "): status for status in arrays[-1].status}
    assert found["control"].message.startswith("50 Hz, ")
    assert found["limits"].message.partition(" ")[2].startswith("values cut since the start")
    assert found["joints"].level in (DiagnosticStatus.OK, DiagnosticStatus.WARN)
    assert found["mod test.ros"].message == "enabled"
    assert found["mod com.bxi.basic_actions"].message == "disabled: the configuration does not select it"
    assert found["node test.ros/echo"].level == DiagnosticStatus.OK
    assert found["node test.ros/hopeless"].level == DiagnosticStatus.ERROR
    needy = found["node test.ros/needy"]
    assert (needy.level, needy.message) == (
        DiagnosticStatus.WARN,
        "stopped: it depends on 'test.ros/hopeless', which is faulted",
    )
    assert {status.hardware_id for status in arrays[-1].status} == {"/bxi_control"}


def test_a_node_that_fails_is_named_and_the_others_go_on(robot: Running, operator: Peer) -> None:
    said = operator.hear(String, "said", 10)
    say = operator.sender(String, "say")
    operator.sender(String, "break")(String(data="now"))
    line = robot.wait_for("ERROR   test.ros/fragile: node of 'test.ros' failed: subscription ")
    assert line.endswith("nodes.py:19: RuntimeError: told to break: now")
    say(String(data="still here"))
    operator.until(lambda: said)
    assert said[0].data == "still here"
    arrays = operator.hear(DiagnosticArray, "/diagnostics", qos.events())
    arrays.clear()
    operator.until(lambda: arrays)
    fragile = next(status for status in arrays[-1].status if status.name.endswith("node test.ros/fragile"))
    assert fragile.level == DiagnosticStatus.ERROR
    assert fragile.message.startswith("faulted: subscription ")


def test_the_commands_talk_to_the_node(operator: Peer) -> None:
    sent = call("event", "test.ros/hold")
    assert (sent.returncode, sent.stdout, sent.stderr) == (0, "", "")
    status = call("status")
    assert status.returncode == 0
    assert status.stdout.splitlines()[0].startswith("state       test.ros/hold for ")
    as_json = json.loads(call("status", "--json").stdout)
    assert as_json["current"]["name"] == "test.ros/hold"
    refused = call("event", "test.ros/hodl")
    assert refused.returncode == 1
    assert refused.stderr == "refused: no event 'test.ros/hodl'. Did you mean 'test.ros/hold'?\n"


def test_without_a_control_node_the_commands_say_where_they_looked() -> None:
    answer = call("status", "--namespace", "nowhere", "--timeout", "1")
    assert answer.returncode == 1
    assert answer.stdout == ""
    assert "no control node answered as /nowhere/bxi_control in ROS domain " in answer.stderr
    assert "within 1 s" in answer.stderr
    assert "Traceback" not in answer.stderr
