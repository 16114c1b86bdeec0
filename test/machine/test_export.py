"""The state graph on paper: no label can break a drawing, and nothing of the graph is lost."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from machine.actors import Row, fixed
from machine.drawings import DotReader, read_mermaid
from machine.rigs import action, rig, route

from bxi_framework.machine.export import (
    FORMATS,
    SUFFIXES,
    graph_as_dict,
    graph_as_dot,
    graph_as_json,
    graph_as_mermaid,
)
from bxi_framework.machine.graph import StateGraph
from bxi_framework.mod_api import ConfigReader, MotorFrame, SingleClassTransition, TransitionContext

NASTY = [
    'He said "stop"',
    '"',
    '\\"',
    "back\\slash\\",
    "\\N \\l \\E",
    "two\nlines",
    "two\r\nlines",
    "tab\there",
    "\u2028 and \x0b and \x85",
    "[*] --> s1",
    "[label=x]; }",
    "{ } | < >",
    "<b>bold</b> &amp; &quot;",
    "#35; #quot;",
    "a : b ; c",
    "-- %% /* // */",
    ":::style",
    '"] as s9',
    "end note",
    "läuft 走る 🤖 ك",
    "e\u0301 a\u200d\u202eb",
    "   ",
    "",
]
"""Labels that mean something to one of the formats, or that split lines."""

TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc")) | st.sampled_from('\n\r\t"\\[]{}<>;:#%-'))


def graph(label: str = "", group: str = "", icon: str = "", reason: str = "") -> StateGraph:
    """Three states, routes of every kind, two actions; ``idle`` begins, faults lead to ``walk``."""
    built = rig(
        fixed(idle=Row(0.0), walk=Row(0.1), wave=Row(0.2)),
        events={
            "go": ("btn_1", 1),
            "halt": ("btn_2", None),
            "pause": ("btn_3", 1),
            "turn": ("axis_1", -1),
        },
        routes=[
            route("idle", "go", "walk", "soft_switch"),
            route("walk", "halt", "idle"),
            route("walk", "go", "wave", {"type": "hold", "duration": 0.25}, delay=0.5),
            route("wave", None, "idle", after=2.5),
            route("wave", "halt", "wave"),
        ],
        actions=[action("wave", "pause", "pause"), action("idle", "turn", "turn")],
        fault="walk",
    ).engine.graph
    states = {
        name: replace(
            node, look=replace(node.look, label=label, group=group, icon=icon, confirm_message=reason)
        )
        for name, node in built.states.items()
    }
    return replace(built, states=states)


ROUTES = [
    ("test.mod/idle", "test.mod/walk", "test.mod/go / soft_switch"),
    ("test.mod/walk", "test.mod/idle", "test.mod/halt / instant"),
    ("test.mod/walk", "test.mod/wave", "test.mod/go, 0.5 s later / hold"),
    ("test.mod/wave", "test.mod/idle", "after 2.5 s / instant"),
    ("test.mod/wave", "test.mod/wave", "test.mod/halt / instant"),
]
STATES = ["test.mod/idle", "test.mod/walk", "test.mod/wave"]


def title(label: str, name: str) -> str:
    """How a drawing names a state."""
    return f"{label} ({name})" if label else name


def check_mermaid(drawn: StateGraph, label: str) -> None:
    found = read_mermaid(graph_as_mermaid(drawn))
    names = {state["id"]: name for state, name in zip(found["state"], STATES, strict=True)}
    assert [state["text"] for state in found["state"]] == [
        "".join(" " if sign.isspace() else sign for sign in title(label, name)) for name in STATES
    ]
    assert [names[start["id"]] for start in found["start"]] == ["test.mod/idle"]
    assert [(names[r["id"]], names[r["to"]], r["text"]) for r in found["route"]] == ROUTES
    assert [(names[a["id"]], a["text"]) for a in found["action"]] == [
        ("test.mod/idle", "test.mod/turn does turn"),
        ("test.mod/wave", "test.mod/pause does pause"),
    ]


@pytest.mark.parametrize("label", NASTY)
def test_no_label_breaks_a_mermaid_drawing(label: str) -> None:
    check_mermaid(graph(label, group=label), label)


@given(TEXT)
def test_no_text_at_all_breaks_a_mermaid_drawing(label: str) -> None:
    check_mermaid(graph(label), label)


def check_dot(drawn: StateGraph, label: str, group: str) -> None:
    dot = DotReader(graph_as_dot(drawn)).read()
    assert {name: node["label"] for name, node in dot.nodes.items()} == {
        name: " ".join(title(label, name).split()) for name in STATES
    }
    assert dot.edges == ROUTES
    cluster = "cluster_0" if group else ""
    assert {node["group"] for node in dot.nodes.values()} == {cluster}
    if group:
        assert dot.groups["cluster_0 label"] == " ".join(group.split())
    assert dot.nodes["test.mod/idle"]["penwidth"] == dot.nodes["test.mod/walk"]["peripheries"] == "2"
    assert "penwidth" not in dot.nodes["test.mod/walk"] and "peripheries" not in dot.nodes["test.mod/wave"]


@pytest.mark.parametrize("label", NASTY)
def test_no_label_and_no_group_breaks_a_dot_file(label: str) -> None:
    check_dot(graph(label, group=label), label, label)


@given(TEXT, TEXT)
def test_no_text_at_all_breaks_a_dot_file(label: str, group: str) -> None:
    check_dot(graph(label, group), label, group)


def test_every_group_is_a_cluster_of_its_own() -> None:
    drawn = graph()
    groups = {"test.mod/idle": "Base", "test.mod/walk": "Moves", "test.mod/wave": ""}
    states = {
        name: replace(node, look=replace(node.look, group=groups[name]))
        for name, node in drawn.states.items()
    }
    dot = DotReader(graph_as_dot(replace(drawn, states=states))).read()
    shown = {name: dot.groups.get(f"{node['group']} label", "") for name, node in dot.nodes.items()}
    assert shown == groups


@pytest.mark.parametrize(
    "text",
    [
        "digraph x {",
        'digraph x { "a" [label="b"] }',
        'digraph x { "a" [label="b]; }',
        'digraph x { "a" [label="\\n"]; }',
        'digraph x { "a" [label="b"]; } }',
        'digraph x { a [label="b"]; }',
    ],
)
def test_the_reader_of_this_test_refuses_what_is_no_dot(text: str) -> None:
    with pytest.raises((AssertionError, IndexError)):
        DotReader(text).read()


@pytest.mark.parametrize("label", NASTY)
def test_json_keeps_every_letter(label: str) -> None:
    found = json.loads(graph_as_json(graph(label, group=label, icon=label, reason=label)))
    for state in found["states"]:
        assert {state["label"], state["group"], state["icon"], state["confirm_message"]} == {label}


def test_json_holds_the_whole_graph() -> None:
    found = json.loads(graph_as_json(graph("Label")))
    assert set(found) == {"initial", "stop", "fault", "states", "routes", "events", "transitions"}
    assert (found["initial"], found["stop"], found["fault"]) == (
        "test.mod/idle",
        "test.mod/idle",
        "test.mod/walk",
    )
    assert [(state["name"], state["id"], state["index"], state["mod"]) for state in found["states"]] == [
        ("test.mod/idle", 0, 0, "test.mod"),
        ("test.mod/walk", 1, 1, "test.mod"),
        ("test.mod/wave", 2, 2, "test.mod"),
    ]
    assert [state["actions"] for state in found["states"]] == [
        [{"event": "test.mod/turn", "action": "turn", "label": "turn", "ui": True}],
        [],
        [{"event": "test.mod/pause", "action": "pause", "label": "pause", "ui": True}],
    ]
    assert [
        (r["from"], r["event"], r["after"], r["delay"], r["to"], r["transition"]["name"])
        for r in found["routes"]
    ] == [
        ("test.mod/idle", "test.mod/go", None, 0.0, "test.mod/walk", "soft_switch"),
        ("test.mod/walk", "test.mod/halt", None, 0.0, "test.mod/idle", "instant"),
        ("test.mod/walk", "test.mod/go", None, 0.5, "test.mod/wave", "hold"),
        ("test.mod/wave", None, 2.5, 0.0, "test.mod/idle", "instant"),
        ("test.mod/wave", "test.mod/halt", None, 0.0, "test.mod/wave", "instant"),
    ]
    assert found["routes"][2]["transition"] == {"name": "hold", "type": "hold", "duration": 0.25}
    assert found["events"] == [
        {"name": "test.mod/go", "slot": "btn_1", "value": 1},
        {"name": "test.mod/halt", "slot": "btn_2", "value": None},
        {"name": "test.mod/pause", "slot": "btn_3", "value": 1},
        {"name": "test.mod/turn", "slot": "axis_1", "value": -1},
    ]
    assert found["transitions"]["soft_switch"] == {"type": "hold", "duration": 0.02}


class Told(SingleClassTransition):
    """A type of a Mod, whose account of itself the test decides."""

    type_name = "told"
    account: Callable[[], Any] = staticmethod(dict)

    @classmethod
    def from_config(cls, reader: ConfigReader) -> Told:
        return cls()

    def apply(self, ctx: TransitionContext, dt: float, progress: float) -> MotorFrame | None:
        return ctx.start_frame

    def config_snapshot(self) -> Any:
        return type(self).account()


def raises() -> None:
    raise OSError("no account")


@pytest.mark.parametrize(
    ("account", "shown"),
    [
        (lambda: {"type": "x", "gain": math.nan}, {"name": "told", "type": "x", "gain": "nan"}),
        (lambda: {"type": "x", "to": (1, math.inf)}, {"name": "told", "type": "x", "to": [1, "inf"]}),
        (lambda: {1: {2: {3}}}, {"name": "told", "1": {"2": "{3}"}}),
        (lambda: [1], {"name": "told", "type": "told", "config_snapshot": "no mapping"}),
        (raises, {"name": "told", "type": "told", "config_snapshot": "OSError: no account"}),
    ],
)
def test_what_a_transition_of_a_mod_says_of_itself_never_breaks_the_graph(
    monkeypatch: pytest.MonkeyPatch, account: Callable[[], Any], shown: dict[str, Any]
) -> None:
    monkeypatch.setattr(Told, "account", staticmethod(account))
    drawn = rig(
        fixed(idle=Row(0.0), walk=Row(0.1)),
        events={"go": ("btn_1", 1)},
        routes=[route("idle", "go", "walk", {"type": "told"})],
        plugins=[Told],
    ).engine.graph
    found = json.loads(json.dumps(graph_as_dict(drawn), allow_nan=False))
    assert found["routes"][0]["transition"] == shown
    read_mermaid(graph_as_mermaid(drawn))
    DotReader(graph_as_dot(drawn)).read()


def test_every_format_has_a_name_and_a_suffix() -> None:
    assert set(SUFFIXES.values()) == set(FORMATS) == {"mermaid", "dot", "json"}
    drawn = graph()
    assert FORMATS["json"](drawn) == graph_as_json(drawn)
    assert FORMATS["dot"](drawn) == graph_as_dot(drawn)
    assert FORMATS["mermaid"](drawn) == graph_as_mermaid(drawn)
