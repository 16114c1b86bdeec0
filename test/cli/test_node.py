"""``bxi node``: its verbs, its table for a terminal, and what it says when nobody answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from cli.calling import Bxi

from bxi_framework.cli.node import lines


def node(name: str, state: str, age: float, **more: Any) -> Mapping[str, Any]:
    quiet = {"pid": None, "exit_code": None, "restarts": 0, "next_attempt": None, "reason": ""}
    unmeasured = {"cpu_percent": None, "longest_callback_ms": None, "longest_callback": ""}
    return {"name": name, "state": state, "age": age, **quiet, **unmeasured, **more}


def test_each_node_is_a_line_with_what_there_is_to_say() -> None:
    nodes = [
        node("com.example.car/bridge", "running", 4.4, pid=4711),
        node(
            "com.example.car/camera",
            "restarting",
            130.0,
            restarts=2,
            next_attempt=3.25,
            exit_code=1,
            reason="it exited with status 1",
        ),
        node(
            "com.example.car/lidar", "unavailable", 7201.0, reason="the system library 'x' is not installed"
        ),
        node("com.example.car/echo", "stopped", 119.6),
        node(
            "com.example.car/map",
            "running",
            60.0,
            cpu_percent=41.7,
            longest_callback_ms=15.24,
            longest_callback="timer",
        ),
    ]
    assert list(lines(nodes)) == [
        "com.example.car/bridge  running        4 s  process 4711",
        "com.example.car/camera  restarting   2 min  restarts 2, next in 3.2 s, it exited with status 1",
        "com.example.car/lidar   unavailable    2 h  the system library 'x' is not installed",
        "com.example.car/echo    stopped      120 s",
        "com.example.car/map     running       60 s  42 % CPU, longest callback 15.2 ms (timer)",
    ]
    assert list(lines([])) == []


def test_without_a_verb_the_usage_is_shown_and_it_counts_as_a_mistake(bxi: Bxi) -> None:
    answer = bxi("node")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("usage: bxi node VERB [options]\n")
    answer = bxi("node", "--help")
    assert (answer.status, answer.err) == (0, "")
    assert {line.split()[0] for line in answer.out.splitlines() if line.startswith("  ")} == {
        "list",
        "restart",
        "stop",
    }


@pytest.mark.parametrize("verb", ["list", "restart", "stop"])
def test_every_verb_has_its_own_help(bxi: Bxi, verb: str) -> None:
    answer = bxi("node", verb, "--help")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith(f"usage: bxi node {verb} ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("node", "lst"), "no verb 'node lst'. Did you mean 'list'?"),
        (("node", "restart"), "the following arguments are required: NAME"),
        (("node", "stop", "a/b", "c/d"), "'c/d' is one argument too many"),
        (("node", "list", "--jsn"), "no option '--jsn'. Did you mean '--json'?"),
    ],
)
def test_a_wrong_command_line_is_refused(bxi: Bxi, words: tuple[str, ...], said: str) -> None:
    answer = bxi(*words)
    assert (answer.status, answer.out) == (2, "")
    assert said in answer.err


@pytest.mark.parametrize("words", [("list",), ("restart", "a.b/c"), ("stop", "a.b/c", "--json")])
def test_nobody_answers(bxi: Bxi, words: tuple[str, ...]) -> None:
    answer = bxi("node", *words, "--timeout", "0.3", "--namespace", "nowhere")
    assert (answer.status, answer.out) == (1, "")
    assert answer.err.startswith("bxi: no control node answered as /nowhere/bxi_control in ROS domain ")
