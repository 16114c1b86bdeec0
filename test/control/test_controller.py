"""One tick of the controller: engine, limits, and what is told of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from machine.actors import Row, Stage, fixed
from machine.rigs import Rig, joint, rig, route

from bxi_framework.control.clamps import MOST, WORST, ClampCounts
from bxi_framework.mod_api import StateContext
from bxi_framework.robot import InputAges, JointReadings, RobotModel
from bxi_framework.safety import Clamp

TIGHT = RobotModel(
    "tight", [joint("a", lower=-0.5, upper=0.5, velocity=5.0, max_kp=50.0), joint("b", velocity=5.0)]
)


def test_the_emitted_frame_is_what_the_state_wanted_within_the_limits() -> None:
    built = rig(fixed(idle=Row(0.75, kp=80.0)), model=TIGHT)
    frame = built.tick()
    assert frame.qpos == pytest.approx([0.5, 0.75])
    assert list(frame.kp) == [50.0, 80.0]


def test_what_is_cut_is_counted_by_owner_joint_and_field() -> None:
    built = rig(fixed(idle=Row(0.75, kp=80.0)), model=TIGHT)
    built.ticks(3)
    clamps = built.controller.clamps
    assert clamps.total == 6
    assert [(each.owner, each.joint, each.field, each.count) for each in clamps.worst] == [
        ("test.mod/idle", "a", "kp", 3),
        ("test.mod/idle", "a", "qpos", 3),
    ]
    assert clamps.worst[1].as_dict() == {
        "owner": "test.mod/idle",
        "joint": "a",
        "field": "qpos",
        "count": 3,
        "wanted": 0.75,
        "sent": 0.5,
    }


def test_the_counts_of_what_is_cut_are_bounded() -> None:
    counts = ClampCounts()
    for number in range(2 * MOST):
        counts.add("odd", [Clamp("step", f"joint {number}", math.inf, 0.0)])
    counts.add("odd", [Clamp("step", "joint 7", math.inf, 0.0)])
    assert counts.total == 2 * MOST + 1
    assert len(counts._cuts) == MOST
    assert len(counts.worst) == WORST
    assert (counts.worst[0].joint, counts.worst[0].count, counts.worst[0].as_dict()["wanted"]) == (
        "joint 7",
        2,
        None,
    )


def test_the_next_tick_sees_what_was_emitted_and_not_what_was_wanted() -> None:
    seen: list[list[float]] = []
    stage = Stage(does={"idle.on_update": lambda ctx: seen.append(list(ctx.last_motor_frame.qpos))})
    built = rig(stage.actors(idle=0.75), model=TIGHT)
    built.ticks(2)
    assert seen == [[0.0, 0.0], [0.5, 0.75]]


def test_a_transition_starts_from_what_was_emitted() -> None:
    built = rig(
        fixed(idle=Row(0.75), goal=Row(0.0)),
        routes=[route("idle", "go", "goal", {"type": "hold", "duration": 0.04})],
        events={"go": ("btn_1", 1)},
        model=TIGHT,
    )
    built.tick()
    built.press("btn_1")
    assert built.tick().qpos == pytest.approx([0.5, 0.75])
    assert built.messages("warning") == [
        "qpos of 'a' limited from 0.75 to 0.5; told once for each state and field",
        "kp of 'a' limited from 100 to 50; told once for each state and field",
    ]


def test_each_limit_that_cuts_is_told_once_for_each_owner() -> None:
    built = rig(
        fixed(idle=Row(0.75, kp=40.0), goal=Row(-0.6, kp=40.0)),
        routes=[route("idle", "go", "goal", "instant"), route("goal", "back", "idle", "instant")],
        events={"go": ("btn_1", 1), "back": ("btn_2", 1)},
        model=TIGHT,
    )
    built.ticks(20)
    assert built.messages("warning") == [
        "qpos of 'a' limited from 0.75 to 0.5; told once for each state and field"
    ]
    built.press("btn_1")
    built.ticks(20)
    told = [(owner, message) for level, owner, message in built.log if level == "warning"][1:]
    assert told == [
        ("test.mod/goal", "qpos of 'a' limited from -0.6 to -0.5; told once for each state and field"),
        (
            "test.mod/goal",
            "step of 'a' limited from -0.5 to 0.4, and 1 more joint; told once for each state and field",
        ),
    ]
    built.press("btn_2")
    built.ticks(20)
    # The way back has steps of its own; the limit of the position was told before.
    assert built.messages("warning")[3:] == [
        "step of 'a' limited from 0.5 to -0.4, and 1 more joint; told once for each state and field",
    ]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_frame_that_is_refused_is_replaced_by_the_last_one_and_its_owner_has_failed(value: float) -> None:
    stage = Stage()
    built = rig(stage.actors(idle=0.25, safe=-0.25), fault="safe", model=TIGHT)
    first = built.tick()
    built.engine.graph.states["test.mod/idle"].state.qpos = value  # type: ignore[attr-defined]
    assert built.tick().data.tobytes() == first.data.tobytes()
    assert built.tick().qpos == pytest.approx([0.15, 0.15])  # towards -0.25, by 0.1 a tick
    assert [owner for level, owner, _ in built.log if level == "error"] == ["test.mod/idle"]


def test_a_state_cannot_move_the_base_of_the_step_limit() -> None:
    """A tempting shortcut: to write into the last frame and submit it again."""

    def shortcut(ctx: StateContext) -> None:
        ctx.last_motor_frame.qpos[:] += 0.4

    stage = Stage()
    built = rig(stage.actors(idle=0.0, safe=0.0), fault="safe", model=TIGHT)
    built.tick()
    stage.does["idle.on_update"] = shortcut
    frame = built.tick()
    assert np.abs(frame.qpos).max() == 0.0
    (told,) = built.messages("error")
    assert "read-only" in told


def test_when_nobody_is_in_control_the_passive_frame_is_there() -> None:
    built = rig(fixed(idle=Row(0.25)), model=TIGHT)
    built.tick()
    frame = built.controller.passive()
    assert frame.data.tobytes() == TIGHT.passive_frame().data.tobytes()
    assert list(frame.kd) == [0.5, 0.5]


def _frames(built: Rig, ticks: int) -> list[bytes]:
    return [frame.data.tobytes() for frame in built.ticks(ticks)]


def test_two_controllers_that_are_given_the_same_make_the_same_frames() -> None:
    first, second = (rig(fixed(idle=Row(0.3)), model=TIGHT) for _ in range(2))
    assert _frames(first, 20) == _frames(second, 20)


def test_joints_that_get_stiffness_unseen_are_named_once() -> None:
    built = rig(fixed(idle=Row(0.25)), model=TIGHT)
    zero, known = JointReadings.zeros(TIGHT.layout.names), np.array([True, False])
    heard = built.inputs()._replace(joints=replace(zero, known=known), ages=InputAges(joint_states=0.0))
    for _ in range(3):
        built.controller.tick(heard, 1)
        built.controller.passive()
    said = "'b' got stiffness, but joint_states has not named them within 0.1 s: their first step was not "
    assert [line for line in built.messages("warning") if "named" in line] == [f"{said}limited; told once"]


def test_a_robot_that_reports_nothing_is_told_so_once() -> None:
    built = rig(fixed(idle=Row(0.25)), model=TIGHT)
    built.ticks(3)
    said = "all joints got stiffness, but joint_states has not named them within 0.1 s: their first step was "
    assert built.messages("info") == [f"{said}not limited; told once"]


@pytest.mark.parametrize("way", ["raise", "warn", "call"])
def test_a_mod_that_makes_numpy_raise_changes_no_frame(way: Literal["raise", "warn", "call"]) -> None:
    def poison(ctx: StateContext) -> None:
        np.seterrcall(lambda kind, flag: 1 / 0)
        np.seterr(all=way)

    def run(stage: Stage) -> list[bytes]:
        wild = RobotModel("wild", [joint("a", upper=3e38, lower=-3e38, velocity=3e38), joint("b")])
        built = rig(stage.actors(idle=3e38), model=wild)
        state = built.engine.graph.states["test.mod/idle"].state
        frames = []
        with np.errstate(all="ignore"):
            for tick in range(4):
                state.qpos = 3e38 if tick % 2 else -3e38  # type: ignore[attr-defined]
                frames.append(built.tick().data.tobytes())
        return frames

    try:
        assert run(Stage(does={"idle.on_update": poison})) == run(Stage())
    finally:
        np.seterrcall(None)
