"""What an operator reads and finds before anything moves: the first lines, refusals, parameters."""

from __future__ import annotations

import json

import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, GetParameters, SetParameters
from ros.peer import peer, states_of
from ros.running import PAIR, Running, call, command, running
from std_msgs.msg import String

from bxi_framework.ros import qos

NAMES = ["config", "mod_paths", "overrides", "on_mod_error", "safe", "autostart"]


def test_the_next_step_names_the_namespace_and_works_as_it_is_written() -> None:
    # An empty list has no type on a ROS command line; it is taken for a list all the same.
    with running("run", *PAIR, "--namespace", "/left/arm/", "--ros-args", "-p", "mod_paths:=[]") as process:
        line = process.wait_for("50 Hz; next: ")
        words = line.split("; next: ")[1].split()
        verb = words.index("event")
        assert words[verb:] == ["event", "test.ros/hold", "--namespace", "left/arm"]
        sent = call(*words[verb:])
        assert (sent.returncode, sent.stderr) == (0, "")
        process.wait_for("test.ros/limp -> test.ros/hold")
        assert process.end()[0] == 0


def test_without_autostart_it_says_that_it_waits() -> None:
    with running("run", *PAIR, "--ros-args", "-p", "autostart:=false") as process:
        line = process.wait_for("INFO")
        assert line.endswith(
            "bxi_control: waits for a manager to configure and activate it, since 'autostart' is false"
        )
        assert process.end()[0] == 0


def test_an_end_while_the_robot_is_awaited_is_no_fault() -> None:
    with running("run", *PAIR, "--set", "robot.from_joint_states=true") as process:
        process.wait_for("waiting up to 10 s for the robot to name its joints")
        status, _ = process.end()
        assert status == 0
        assert process.text.endswith("bxi_control: ended before the robot had named its joints")
        assert "error" not in process.text


def test_all_parameters_can_be_read_and_none_be_set() -> None:
    with running("run", *PAIR) as process, peer() as other:
        process.wait_for("50 Hz")
        told = other.call(
            DescribeParameters, "bxi_control/describe_parameters", DescribeParameters.Request(names=NAMES)
        )
        assert [(d.name, d.read_only) for d in told.descriptors] == [(name, True) for name in NAMES]
        assert all(d.description and d.additional_constraints for d in told.descriptors)
        got = other.call(GetParameters, "bxi_control/get_parameters", GetParameters.Request(names=NAMES))
        values = dict(zip(NAMES, got.values, strict=True))
        assert values["config"].string_value == PAIR[1]
        assert list(values["mod_paths"].string_array_value) == [PAIR[3]]
        assert list(values["overrides"].string_array_value) == [""]
        assert (values["safe"].bool_value, values["autostart"].bool_value) == (False, True)
        wish = Parameter(
            name="safe", value=ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=True)
        )
        answer = other.call(
            SetParameters, "bxi_control/set_parameters", SetParameters.Request(parameters=[wish])
        )
        assert [(result.successful, "read-only" in result.reason) for result in answer.results] == [
            (False, True)
        ]
        assert process.end()[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-p", "safe:=maybe"), "parameter 'safe' must be a boolean (true, false)"),
        (("-p", "mod_paths:=mods"), "parameter 'mod_paths' must be a list of texts (paths of folders; "),
        (("-p", "config:=3"), "parameter 'config' must be a text (path of a file; "),
        (("-p", "saef:=true"), "no parameter 'saef'. Did you mean 'safe'?"),
        (("--log-levl", "info"), "ROS does not know the arguments ['--log-levl', 'info']"),
        (("--params-file", "nowhere.yaml"), "'--params-file nowhere.yaml'. Error: Error opening YAML file"),
        (("-r", "broken"), "Couldn't parse remap rule: '-r broken'"),
    ],
)
def test_ros_arguments_that_cannot_be_used_are_refused_in_plain_words(
    words: tuple[str, ...], said: str
) -> None:
    answer = call("run", "--ros-args", *words)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert said in answer.stderr
    assert "[ros-arguments]" in answer.stderr
    assert "Traceback" not in answer.stderr and ".c:" not in answer.stderr


def test_nothing_is_imported_once_the_loop_runs() -> None:
    """Importing holds the interpreter, so that the loop would skip cycles."""
    started = command("run", *PAIR)
    started[1:1] = ["-X", "importtime"]
    process = Running(started)
    try:
        process.wait_for("50 Hz")
        with peer() as other:
            states = other.hear(String, "bxi_control/state", qos.standing())
            send = other.sender(String, "bxi_control/event", qos.events())
            send(String(data="test.ros/hold"))
            other.until(
                lambda: states_of(states)[-1:] and states_of(states)[-1]["current"]["name"] == "test.ros/hold"
            )
            seen = len(states)
            other.until(lambda: len(states) > seen + 4)
        before, after = process.text.split("50 Hz", 1)
        assert "import time:" in before
        assert [line for line in after.splitlines() if line.startswith("import time:")] == []
        assert json.loads(states[-1].data)["timing"]["ticks"] > 0
        assert process.end()[0] == 0
    finally:
        process.kill()
