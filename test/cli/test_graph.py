"""`bxi graph`: the state graph of a configuration, on the standard output alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.calling import Bxi, robot_of_two_joints


@pytest.fixture
def boot(tmp_path: Path) -> tuple[str, ...]:
    """The options that boot the robot of two joints."""
    config = robot_of_two_joints(tmp_path)
    return ("--config", str(config), "--mod-path", str(tmp_path / "mods"))


def test_it_is_a_mermaid_drawing_by_default(bxi: Bxi, boot: tuple[str, ...]) -> None:
    answer = bxi("graph", *boot)
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.splitlines() == [
        "stateDiagram-v2",
        '    state "com.test.arm/rest" as s0',
        '    state "Arm up (com.test.arm/up)" as s1',
        "    [*] --> s0",
        "    s0 --> s1 : com.test.arm/lift / instant",
        "    s1 --> s0 : com.test.arm/drop / soft_switch",
    ]
    assert bxi("graph", *boot, "--format", "mermaid").out == answer.out


def test_dot_is_a_digraph_with_both_routes(bxi: Bxi, boot: tuple[str, ...]) -> None:
    answer = bxi("graph", *boot, "--format", "dot")
    assert (answer.status, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert (lines[0], lines[-1]) == ("digraph states {", "}")
    assert '    "com.test.arm/rest" -> "com.test.arm/up" [label="com.test.arm/lift / instant"];' in lines
    assert '    "com.test.arm/up" -> "com.test.arm/rest" [label="com.test.arm/drop / soft_switch"];' in lines


def test_json_holds_states_routes_and_events(bxi: Bxi, boot: tuple[str, ...]) -> None:
    answer = bxi("graph", *boot, "--format", "json")
    assert (answer.status, answer.err) == (0, "")
    graph = json.loads(answer.out)
    assert graph["initial"] == graph["stop"] == graph["fault"] == "com.test.arm/rest"
    assert [(state["name"], state["label"]) for state in graph["states"]] == [
        ("com.test.arm/rest", ""),
        ("com.test.arm/up", "Arm up"),
    ]
    assert [(route["from"], route["event"], route["to"]) for route in graph["routes"]] == [
        ("com.test.arm/rest", "com.test.arm/lift", "com.test.arm/up"),
        ("com.test.arm/up", "com.test.arm/drop", "com.test.arm/rest"),
    ]
    assert [(event["name"], event["slot"], event["value"]) for event in graph["events"]] == [
        ("com.test.arm/lift", "btn_1", 1),
        ("com.test.arm/drop", "btn_2", 1),
    ]


def test_the_robot_that_comes_with_the_framework_is_drawn_if_none_is_named(bxi: Bxi) -> None:
    graph = json.loads(bxi("graph", "--format", "json").out)
    assert graph["initial"] == "com.bxi.basic_actions/zero_torque"


def test_what_states_have_to_say_goes_to_the_error_stream(bxi: Bxi, boot: tuple[str, ...]) -> None:
    loud = bxi("graph", *boot, "--set", 'mods.params."com.test.arm".states.up.value=told')
    assert loud.status == 0
    assert loud.err == "warning com.test.arm/up: 'told'\n"
    assert loud.out == bxi("graph", *boot).out


def test_with_safe_the_folders_given_are_not_searched(bxi: Bxi, boot: tuple[str, ...]) -> None:
    answer = bxi("graph", *boot, "--safe")
    assert (answer.status, answer.out) == (2, "")
    assert "com.test.arm" in answer.err


def test_each_call_leaves_nothing_behind_for_the_next(
    bxi: Bxi, boot: tuple[str, ...], tmp_path: Path
) -> None:
    first = bxi("graph", *boot)
    manifest = tmp_path / "mods" / "com.test.arm" / "mod.yaml"
    manifest.write_text(manifest.read_text("utf-8").replace("Arm up", "Arm high"), "utf-8")
    assert bxi("graph", *boot).out == first.out.replace("Arm up", "Arm high")
