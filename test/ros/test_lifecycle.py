"""The control node as a managed node, its end by signals, and what makes it refuse to start."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from ros.peer import Peer, peer, states_of
from ros.running import FIXTURES, PAIR, PATIENCE, STUCK, Running, call, running
from sensor_msgs.msg import JointState
from std_msgs.msg import Float32MultiArray, String
from std_srvs.srv import Trigger

from bxi_framework.control.record.read import read_flight
from bxi_framework.ros import qos
from bxi_framework.ros.rivals import LAST_LOOK

PAIR_ARGS = ("-p", f"config:={FIXTURES / 'robot.yaml'}", "-p", f"mod_paths:=[{FIXTURES / 'mods'}]")
PASSIVE = [0.0] * 6 + [0.5, 0.25, 0.0, 0.0]


def change(operator: Peer, transition: int) -> bool:
    request = ChangeState.Request(transition=Transition(id=transition))
    return bool(operator.call(ChangeState, "bxi_control/change_state", request).success)


def state(operator: Peer) -> str:
    return str(operator.call(GetState, "bxi_control/get_state", GetState.Request()).current_state.label)


def test_a_manager_takes_the_node_through_its_life() -> None:
    words = ("--ros-args", *PAIR_ARGS, "-p", "autostart:=false", "-p", "overrides:=[safe_ending.mode=cut]")
    with running(*words, entry="control_node") as node, peer("manager") as manager:
        assert state(manager) == "unconfigured"
        assert change(manager, Transition.TRANSITION_CONFIGURE)
        frames = manager.hear(Float32MultiArray, "motor_frame", qos.frames())
        states = manager.hear(String, "bxi_control/state", qos.standing())
        idle = manager.call(Trigger, "bxi_control/stop", Trigger.Request())
        assert (idle.success, idle.message) == (
            False,
            "the control loop is not running; activate the control node first",
        )
        manager.until(lambda: states)
        assert states_of(states)[-1]["control"]["active"] is False
        assert frames == []

        assert change(manager, Transition.TRANSITION_ACTIVATE)
        manager.sender(String, "bxi_control/event", qos.events())(String(data="test.ros/hold"))
        manager.until(lambda: frames and frames[-1].data[0] == pytest.approx(0.3))

        assert change(manager, Transition.TRANSITION_DEACTIVATE)
        manager.spin(0.3)
        assert list(frames[-1].data) == PASSIVE
        seen = len(frames)
        manager.spin(0.2)
        assert len(frames) == seen
        assert state(manager) == "inactive"

        # It begins again from the stop state, not amid what it did before.
        assert change(manager, Transition.TRANSITION_ACTIVATE)
        manager.until(lambda: len(frames) > seen + 5)
        assert list(frames[-1].data) == [0.0] * 10
        assert states_of(states)[-1]["current"]["name"] == "test.ros/limp"

        assert change(manager, Transition.TRANSITION_DEACTIVATE)
        assert change(manager, Transition.TRANSITION_CLEANUP)
        assert state(manager) == "unconfigured"
        assert change(manager, Transition.TRANSITION_CONFIGURE)
        assert change(manager, Transition.TRANSITION_ACTIVATE)
        seen = len(frames)
        manager.until(lambda: len(frames) > seen)
        assert node.end(signal.SIGTERM)[0] == 0
        manager.spin(0.2)
        assert list(frames[-1].data) == [0.0] * 10
        assert "no torque: all commands are zero" in node.text
        assert "Traceback" not in node.text
        assert not node.left_running()


def test_a_refused_configure_can_be_tried_again(tmp_path: Path) -> None:
    config = tmp_path / "robot.yaml"
    words = ("--ros-args", "-p", f"config:={config}", *PAIR_ARGS[2:], "-p", "autostart:=false")
    with running(*words, entry="control_node") as node, peer("manager") as manager:
        assert not change(manager, Transition.TRANSITION_CONFIGURE)
        node.wait_for("There is no such file.")
        assert state(manager) == "unconfigured"
        text = (FIXTURES / "robot.yaml").read_text(encoding="utf-8")
        config.write_text(text.replace("remote:", "# "), encoding="utf-8")
        assert change(manager, Transition.TRANSITION_CONFIGURE)
        assert state(manager) == "inactive"
        assert node.end()[0] == 0


def test_a_second_controller_of_the_same_robot_is_refused() -> None:
    with running("run", *PAIR) as first:
        first.wait_for("50 Hz")
        second = call("run", *PAIR)
        assert second.returncode == 2
        said = "'/bxi_control' on this machine already sends motor frames on '/motor_frame'."
        assert said in second.stderr
        assert "50 Hz" not in second.stderr
        with running("run", *PAIR, "--namespace", "other") as elsewhere:
            elsewhere.wait_for("50 Hz")
            assert elsewhere.end()[0] == 0
        assert first.end()[0] == 0
    with running("run", *PAIR) as third:
        third.wait_for("50 Hz")
        assert third.end()[0] == 0


def test_a_controller_that_shows_late_on_the_graph_makes_this_one_withdraw() -> None:
    with peer("vendor_controller") as vendor:
        seen = vendor.hear(Float32MultiArray, "motor_frame", qos.frames())
        vendor.node.create_publisher(Float32MultiArray, "motor_frame", qos.frames())
        with running("run", *PAIR) as robot:
            end = time.monotonic() + PATIENCE
            while robot.process.poll() is None:
                vendor.spin(0.05)
                assert time.monotonic() < end
            assert robot.process.wait() == 2
            robot.wait_for("'/vendor_controller' already sends motor frames on '/motor_frame'.")
            assert "ending" not in robot.text, "no last frame to a robot of somebody else"
        assert not seen or list(seen[-1].data) == [0.0] * 10


def test_a_program_that_begins_to_send_frames_later_is_named() -> None:
    with running("run", *PAIR) as robot, peer("late_controller") as vendor:
        robot.wait_for("50 Hz")
        time.sleep(LAST_LOOK + 0.5)
        vendor.node.create_publisher(Float32MultiArray, "motor_frame", qos.frames())
        said = "'/late_controller' has begun to send motor frames to the same robot; end it, or this run"
        vendor.until(lambda: said in robot.text, said)
        vendor.spin(1.5)
        assert robot.text.count(said) == 1
        assert robot.end()[0] == 0, "the one that was there first goes on"


def test_a_stop_that_holds_survives_a_break() -> None:
    words = ("--ros-args", *PAIR_ARGS)
    with running(*words, entry="control_node") as node, peer("manager") as manager:
        node.wait_for("50 Hz")
        assert manager.call(Trigger, "bxi_control/stop", Trigger.Request()).success
        assert change(manager, Transition.TRANSITION_DEACTIVATE)
        assert change(manager, Transition.TRANSITION_ACTIVATE)
        states = manager.hear(String, "bxi_control/state", qos.standing())
        manager.until(lambda: states and states_of(states)[-1]["control"]["active"])
        manager.spin(0.2)
        assert states_of(states)[-1]["stop"] == {"latched": True, "reason": "service ~/stop"}
        assert manager.call(Trigger, "bxi_control/resume", Trigger.Request()).success
        assert node.end()[0] == 0


def test_a_manager_may_end_the_process() -> None:
    words = ("--ros-args", *PAIR_ARGS)
    with running(*words, entry="control_node") as node, peer("manager") as manager:
        node.wait_for("50 Hz")
        frames = manager.hear(Float32MultiArray, "motor_frame", qos.frames())
        manager.until(lambda: frames)
        assert change(manager, Transition.TRANSITION_ACTIVE_SHUTDOWN)
        manager.spin(0.3)
        assert node.process.wait(PATIENCE) == 0
        assert list(frames[-1].data) == PASSIVE
    assert "Traceback" not in node.text


@pytest.mark.parametrize("home", [None, "/proc"])
def test_a_run_needs_no_home(monkeypatch: pytest.MonkeyPatch, home: str | None) -> None:
    monkeypatch.delenv("ROS_LOG_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    if home is None:
        monkeypatch.delenv("HOME", raising=False)
    else:
        monkeypatch.setenv("HOME", home)
    with running("run", *PAIR) as robot:
        robot.wait_for("50 Hz")
        assert robot.end()[0] == 0


def test_parking_comes_before_the_end() -> None:
    override = "safe_ending={mode: park, state: test.ros/hold, timeout: 5}"
    with running("run", *PAIR, "--set", override) as robot, peer("operator") as operator:
        frames = operator.hear(Float32MultiArray, "motor_frame", qos.frames())
        robot.wait_for("50 Hz")
        operator.until(lambda: frames)
        spinner = threading.Thread(target=operator.spin, args=(2.0,))
        spinner.start()
        status, _ = robot.end(signal.SIGTERM)
        spinner.join()
    assert status == 0
    assert "ending: parked in 'test.ros/hold', then passive damping" in robot.text
    assert any(frame.data[0] == pytest.approx(0.3) for frame in frames)
    assert list(frames[-1].data) == PASSIVE


def test_a_parking_state_that_is_not_reached_is_told_and_damped() -> None:
    overrides = (
        "safe_ending={mode: park, state: test.ros/hold, timeout: 0.2}",
        "default_transition={type: hold, duration: 60}",
        "initial_state=test.ros/limp",
    )
    settings = [word for override in overrides for word in ("--set", override)]
    with running("run", *PAIR, *settings) as robot, peer("operator") as operator:
        robot.wait_for("50 Hz")
        stopped = operator.call(Trigger, "bxi_control/stop", Trigger.Request())
        assert stopped.success
        assert robot.end()[0] == 0
    assert "ending: not parked in 'test.ros/hold': a stop holds; resume first" in robot.text
    assert "resume first; so passive damping" in robot.text


def test_a_second_signal_ends_at_once() -> None:
    with running("run", *PAIR) as robot, peer("operator") as operator:
        robot.wait_for("50 Hz")
        frames = operator.hear(Float32MultiArray, "motor_frame", qos.frames())
        operator.sender(String, "bxi_control/event", qos.events())(String(data="test.ros/hold"))
        operator.until(lambda: frames and frames[-1].data[0] == pytest.approx(0.3))
        # Both are there before the node can act on the first.
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
            robot.process.send_signal(number)
        operator.spin(0.5)
        status = robot.process.wait(PATIENCE)
        assert list(frames[-1].data) == PASSIVE
    assert status in (128 + signal.SIGINT, 128 + signal.SIGTERM)
    assert "ended at once, without the safe ending" in robot.text


@contextmanager
def stuck_in(event: str, *settings: str) -> Iterator[tuple[Running, list[Float32MultiArray]]]:
    """A robot that was sent into a state which holds the loop, and its frames."""
    with running("run", *STUCK, *settings) as robot, peer("operator") as operator:
        frames = operator.hear(Float32MultiArray, "motor_frame", qos.frames())
        robot.wait_for("50 Hz")
        operator.sender(String, "bxi_control/event", qos.events())(String(data=f"test.stuck/{event}"))
        robot.wait_for("test.stuck/fine -> test.stuck/")
        operator.spin(2.5)
        yield robot, frames


LIMP = [0.0, 0.0, 0.0, 0.5, 0.0]


def test_a_state_that_never_returns_ends_the_process_with_its_name_and_a_record(tmp_path: Path) -> None:
    with stuck_in("hang", "--set", f"record.folder={tmp_path}") as (robot, frames):
        assert robot.process.wait(PATIENCE) == 1
    assert "test.stuck/hanging: holds the control loop, the joints are passive" in robot.text
    assert re.search(
        r"test.stuck/hanging: has held the control loop for 0\.\d s; the process ends", robot.text
    )
    assert "states.py" in robot.text
    assert "ending: passive damping. free to move, damped: a not heard for 0.1 s" in robot.text
    assert list(frames[-1].data) == LIMP
    # Every period until the end begins: 0.7 s at 50 Hz, less the 50 ms before the first.
    assert sum(list(frame.data) == LIMP for frame in frames) > 20
    (path,) = tmp_path.glob("*-single-stall.mcap")
    notes = [note for note in read_flight(path).notes if note.kind == "stall"]
    assert {note.source for note in notes} == {"test.stuck/hanging"}
    assert "holds the control loop, the joints are passive; it is at " in notes[0].text
    assert "has held the control loop for 0." in notes[-1].text and "test.stuck/states.py:" in notes[-1].text


def test_s8_a_state_that_never_returns_is_cut_if_that_is_the_ending() -> None:
    with stuck_in("hang", "--set", "safe_ending={mode: cut}") as (robot, frames):
        assert robot.process.wait(PATIENCE) == 1
    assert any(list(frame.data) == LIMP for frame in frames), "until then the joints are damped"
    assert list(frames[-1].data) == [0.0] * 5
    assert "ending: no torque: all commands are zero. free to move: a not heard for 0.1 s" in robot.text


def test_s8_a_robot_that_a_mod_keeps_from_parking_is_told_as_such() -> None:
    ending = "safe_ending={mode: park, state: test.stuck/fine, timeout: 2}"
    with stuck_in("hang", "--set", ending) as (robot, frames):
        assert robot.process.wait(PATIENCE) == 1
    assert list(frames[-1].data) == LIMP
    said = "ending: not parked in 'test.stuck/fine': test.stuck/hanging does not return; so passive damping."
    assert said in robot.text


def test_a_state_that_takes_too_long_costs_the_robot_its_stiffness_and_leads_to_the_fault_state() -> None:
    with stuck_in("slow") as (robot, frames):
        robot.wait_for("it held the control loop for")
        assert any(list(frame.data) == LIMP for frame in frames)
        assert list(frames[-1].data) == [0.0, 0.0, 40.0, 1.0, 0.0], (
            "the fault state is 'fine', which is stiff"
        )
        assert robot.end()[0] == 0
    assert "going to 'test.stuck/fine'" in robot.text


def test_a_state_that_holds_the_interpreter_ends_the_process_with_its_place() -> None:
    with stuck_in("grab") as (robot, _):
        assert robot.process.wait(PATIENCE) == 1
    assert "Timeout" in robot.text
    assert "test.stuck/states.py" in robot.text and "in on_update" in robot.text


def test_a_thread_that_a_mod_leaves_behind_does_not_keep_the_process() -> None:
    with running("run", *STUCK, "--set", 'mods.params."test.stuck".states.threading.thread=true') as robot:
        robot.wait_for("50 Hz")
        status, took = robot.end()
    assert status == 1
    assert took < 10.0
    assert "left behind at the end: left-alone" in robot.text


def test_joint_order_comes_from_the_robot() -> None:
    settings = ("--set", "robot.from_joint_states=true")
    with running("run", *PAIR, *settings) as robot, peer("robot") as body:
        robot.wait_for("waiting up to 10 s for the robot to name its joints")
        send = body.sender(JointState, "joint_states")
        layouts = body.hear(String, "joint_layout", qos.standing())

        def named() -> bool:
            send(JointState(name=["b", "a"], position=[0.7, 0.6]))
            return bool(layouts)

        body.until(named)
        assert layouts[0].data.index('"name": "b"') < layouts[0].data.index('"name": "a"')
        robot.wait_for("50 Hz")
        assert robot.end()[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--config", "missing.yaml"), "There is no such file."),
        ((*PAIR, "--set", "initial_state=test.ros/lipm"), "Did you mean 'test.ros/limp'?"),
        ((*PAIR, "--ros-args", "-p", "confg:=x"), "no parameter 'confg'. Did you mean 'config'?"),
        ((*PAIR, "--ros-args", "-p", "autostart:=maybe"), "parameter 'autostart' must be a bool"),
        ((*PAIR, "--namespace", "not a name"), "amespace"),
    ],
)
def test_a_start_that_is_refused_says_why_and_exits_with_2(words: tuple[str, ...], said: str) -> None:
    refused = call("run", *words)
    assert refused.returncode == 2
    assert said in refused.stderr
    assert "Traceback" not in refused.stderr
