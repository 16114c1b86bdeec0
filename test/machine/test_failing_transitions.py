"""A transition type of a Mod that misbehaves: its target is cancelled, and the fault state takes over."""

from __future__ import annotations

import math
from typing import Any

import pytest
from machine.actors import Stage
from machine.rigs import Rig, full, rig, route

from bxi_framework.machine.requests import AskState, Verdict
from bxi_framework.manifest.mod import TransitionProfileDecl
from bxi_framework.mod_api import (
    ConfigReader,
    JointLayout,
    MotorFrame,
    RobotControlState,
    SingleClassTransition,
    TransitionContext,
)


class Unruly(SingleClassTransition):
    """Does what its class attribute says, in the tick with the given number."""

    type_name = "unruly"
    misdeed: Any = None
    at = 1

    def __init__(self, duration: float) -> None:
        self.duration = duration
        self.tick = 0

    @classmethod
    def from_config(cls, reader: ConfigReader) -> Unruly:
        return cls(reader.float("duration", 0.06))

    def on_start(self, ctx: TransitionContext) -> None:
        self.tick = -1
        if self.at < 0:
            self.misdeed(ctx)

    def apply(self, ctx: TransitionContext, dt: float, progress: float) -> MotorFrame | None:
        self.tick += 1
        return self.misdeed(ctx) if self.tick == self.at else ctx.start_frame


def robot(stage: Stage, plugin: type[Unruly]) -> Rig:
    built = rig(
        stage.actors(idle=0.25, goal=0.5, safe=1.0),
        routes=[route("idle", "go", "goal", {"type": "unruly"})],
        events={"go": ("btn_1", 1)},
        plugins=[plugin],
        fault="safe",
    )
    built.tick()
    stage.take()
    return built


def raises(error: BaseException) -> Any:
    def misdeed(self: Unruly, ctx: TransitionContext) -> MotorFrame:
        raise error

    return misdeed


def foreign(self: Unruly, ctx: TransitionContext) -> MotorFrame:
    return MotorFrame(JointLayout(("a", "b", "c")))


def infinite(self: Unruly, ctx: TransitionContext) -> MotorFrame:
    return MotorFrame.create(ctx.robot_layout, math.inf, 1.0, 1.0)


MISDEEDS = {
    "raises": (raises(ZeroDivisionError("oh")), "transition 'unruly' failed: "),
    "exits": (raises(SystemExit(1)), "transition 'unruly' failed: "),
    "nothing": (lambda self, ctx: None, "the transition made None"),
    "no frame": (lambda self, ctx: [0.0, 0.0], "the transition made [0.0, 0.0]"),
    "another layout": (foreign, "the transition made MotorFrame("),
    "infinite": (infinite, "qpos of 'a' is inf"),
}


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("what", MISDEEDS)
def test_the_last_good_frame_is_sent_and_the_fault_state_takes_over(what: str, at: int) -> None:
    misdeed, reason = MISDEEDS[what]
    stage = Stage()
    built = robot(stage, type("Bad", (Unruly,), {"misdeed": misdeed, "at": at}))
    built.press("btn_1")
    frames = built.ticks(at + 3)
    assert [float(frame.qpos[0]) for frame in frames] == [0.25] * (at + 1) + [1.0, 1.0]
    (told,) = built.messages("error")
    assert told.startswith(reason) and told.endswith("; going to 'test.mod/safe'")
    assert stage.take()[2:] == ["goal.on_prepare_cancel", "idle.on_exit", "safe.on_enter"]


def test_a_transition_may_fail_before_its_first_frame() -> None:
    stage = Stage()
    built = robot(stage, type("Bad", (Unruly,), {"misdeed": raises(OSError("oh")), "at": -1}))
    built.press("btn_1")
    assert [float(frame.qpos[0]) for frame in built.ticks(2)] == [0.25, 1.0]


def test_nothing_in_the_last_tick_leaves_the_frame_to_the_targets_first_update() -> None:
    built = robot(Stage(), type("Fine", (Unruly,), {"misdeed": lambda self, ctx: None, "at": 3}))
    built.press("btn_1")
    assert [float(frame.qpos[0]) for frame in built.ticks(5)] == [0.25, 0.25, 0.25, 0.5, 0.5]
    assert built.messages("error") == []


class Choosy(Unruly):
    """Its check of the two states fails in a way that is no refusal."""

    type_name = "choosy"

    def validate_states(self, source: RobotControlState, target: RobotControlState) -> None:
        raise KeyError("arm")


def test_a_check_that_fails_refuses_a_request_and_leaves_the_loop_alone() -> None:
    built = rig(
        Stage().actors(idle=0.0, goal=0.5),
        profiles=[TransitionProfileDecl("picky", {"type": "choosy"}, "")],
        plugins=[Choosy],
    )
    verdicts: list[Verdict] = []
    built.engine.post(AskState("goal", "test", "picky", reply=verdicts.append))
    built.tick()
    (verdict,) = verdicts
    assert not verdict.ok
    assert (
        "the check of transition 'picky' failed: " in verdict.reason and "KeyError: 'arm'" in verdict.reason
    )
    assert built.state == "idle"


def test_a_transition_that_never_ends_can_be_left_by_another_switch() -> None:
    built = robot(Stage(), type("Endless", (Unruly,), {"at": 10**9}))
    built.engine.graph.states[full("idle")].routes[full("go")].motion.transition.duration = 1e12
    built.press("btn_1")
    built.ticks(5)
    built.engine.post(AskState("safe", "test", "instant"))
    built.tick()
    assert built.state == "safe"
