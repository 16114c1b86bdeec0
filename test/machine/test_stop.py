"""The stop: from wherever the machine is, into the stop state in one tick, and held there until resumed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from machine.actors import Stage
from machine.rigs import Rig, action, full, rig, route
from machine.test_preparation import ByHand

from bxi_framework.machine.requests import AskState, Resume, SendEvent, Stop, Verdict, Wish
from bxi_framework.mod_api import MotorFrame, RobotControlState, StateContext

LONG = {"type": "running_blend", "duration": 0.4, "curve": "linear"}
EVENTS = {
    "go": ("btn_1", 1),
    "wait": ("btn_2", 1),
    "act": ("btn_3", 1),
    "leave": ("btn_4", 1),
}


def robot(stage: Stage, worker: ByHand | None = None) -> Rig:
    """`idle` at 0.25 leads to `goal` slowly, and with a delay; `halt` at -0.5 is the stop state."""
    built = rig(
        stage.actors(idle=0.25, goal=0.5, halt=-0.5, safe=1.0),
        routes=[
            route("idle", "go", "goal", LONG),
            route("idle", "wait", "goal", "instant", delay=0.2),
            route("halt", "leave", "idle", "instant"),
            route("halt", None, "idle", "instant", after=0.1),
        ],
        actions=[action("idle", "act", "known"), action("halt", "act", "known")],
        events=EVENTS,
        stop="halt",
        fault="safe",
        preparation=worker,
    )
    built.tick()
    return built


def in_state(built: Rig, stage: Stage) -> None:
    """Nothing more: the initial state is in control."""


def in_transition(built: Rig, stage: Stage) -> None:
    built.press("btn_1")
    built.ticks(3)
    assert built.engine.snapshot().transition is not None


def in_delay(built: Rig, stage: Stage) -> None:
    built.press("btn_2")
    built.ticks(3)
    assert built.engine.snapshot().pending is not None


def on_the_way_to_the_fault_state(built: Rig, stage: Stage) -> None:
    stage.broken["idle.on_update"] = RuntimeError("lost")
    built.tick()
    assert built.engine.snapshot().transition is not None


def in_the_passive_frame(built: Rig, stage: Stage) -> None:
    stage.broken["idle.on_update"] = stage.broken["safe.on_update"] = RuntimeError("lost")
    built.ticks(4)
    assert built.engine.snapshot().passive is not None


def in_the_stop_state(built: Rig, stage: Stage) -> None:
    built.engine.post(Stop("before"))
    built.tick()


SITUATIONS = [
    in_state,
    in_transition,
    in_delay,
    on_the_way_to_the_fault_state,
    in_the_passive_frame,
    in_the_stop_state,
]


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_stop_reaches_the_stop_state_in_one_tick(situation: Callable[[Rig, Stage], None]) -> None:
    stage = Stage()
    built = robot(stage)
    situation(built, stage)
    built.engine.post(Stop("button"))
    frame = built.tick()
    view = built.engine.snapshot()
    assert (view.state, view.stop) == (full("halt"), "button")
    assert (view.transition, view.pending, view.preparing, view.passive) == (None, None, None, None)
    assert frame.qpos[0] == -0.5


def test_a_stop_does_not_wait_for_what_gets_ready() -> None:
    stage, worker = Stage(), ByHand()
    built = robot(stage, worker)
    built.press("btn_1")
    built.tick()
    assert built.engine.snapshot().preparing == full("goal")
    built.engine.post(Stop("button"))
    assert built.tick().qpos[0] == -0.5
    assert built.engine.snapshot().preparing is None


def test_a_stop_wins_over_everything_that_comes_with_it() -> None:
    stage = Stage(does={"idle.on_update": lambda ctx: ctx.request_state("goal", trigger="mine")})
    built = robot(stage)
    verdicts: list[Verdict] = []
    wishes: list[Wish] = [
        AskState("goal", "before", reply=verdicts.append),
        SendEvent(full("go"), verdicts.append),
        Stop("button"),
        AskState("goal", "after", reply=verdicts.append),
        SendEvent(full("go"), verdicts.append),
    ]
    for wish in wishes:
        built.engine.post(wish)
    built.press("btn_1")
    built.press("btn_3")
    assert built.tick().qpos[0] == -0.5
    assert built.state == "halt"
    refused = Verdict(False, "a stop holds; resume first")
    # The wish before the stop had been accepted; it was dropped with the rest.
    assert verdicts == [Verdict(True), refused, refused, refused]
    built.ticks(5)
    assert built.state == "halt"


def test_a_stop_holds_against_events_actions_requests_and_time() -> None:
    stage = Stage(does={"halt.on_update": lambda ctx: ctx.request_state("idle", trigger="mine")})
    built = robot(stage)
    built.engine.post(Stop("button"))
    built.tick()
    stage.take()
    built.press("btn_3")
    built.press("btn_4")
    built.engine.post(AskState("idle", "test"))
    built.ticks(20)
    assert built.state == "halt"
    assert stage.take() == []
    ignored = built.engine.snapshot().ignored
    assert ignored is not None and ignored.reason == "a stop holds; resume first"


def test_resuming_moves_nothing() -> None:
    stage = Stage()
    built = robot(stage)
    built.engine.post(Stop("button"))
    built.ticks(2)
    stage.take()
    before = built.tick()
    revision = built.engine.revision
    built.engine.post(Resume())
    after = built.tick()
    assert after.data.tobytes() == before.data.tobytes()
    assert built.state == "halt" and built.engine.snapshot().stop is None
    assert stage.take() == [] and built.engine.revision > revision


def test_after_resuming_an_event_leads_on() -> None:
    built = robot(Stage())
    verdicts: list[Verdict] = []
    built.engine.post(Stop("button"))
    built.tick()
    built.press("btn_4")
    built.ticks(2)
    built.engine.post(Resume(verdicts.append))
    built.tick()
    # A button that is held when the stop is taken back might be what brought the robot there.
    assert verdicts == [Verdict(False, "the remote control shows btn_4; let go first, then resume")]
    assert built.engine.snapshot().stop == "button"
    built.press("btn_4", 0)
    built.engine.post(Resume(verdicts.append))
    built.tick()
    assert verdicts[1] == Verdict(True) and built.state == "halt"
    built.press("btn_4")
    built.tick()
    assert built.state == "idle"


def test_no_stop_is_taken_back_before_its_first_frame_was_sent() -> None:
    built = robot(Stage())
    verdicts: list[Verdict] = []
    for wish in (Stop("button"), Resume(verdicts.append), AskState("goal", "test", reply=verdicts.append)):
        built.engine.post(wish)
    assert built.tick().qpos[0] == -0.5
    assert [verdict.ok for verdict in verdicts] == [False, False]
    assert "has only just come" in verdicts[1].reason
    assert built.engine.snapshot().stop == "button"


def test_stop_buttons_that_are_still_held_keep_the_stop() -> None:
    built = robot(Stage())
    verdicts: list[Verdict] = []
    built.engine.post(Stop("gamepad"))
    built.tick()
    built.engine.post(Resume(verdicts.append))
    built.controller.tick(built.inputs()._replace(stop_held=True), 1)
    said = "the stop buttons of the gamepad are held; let go first, then resume"
    assert verdicts == [Verdict(False, said)]


def test_a_velocity_that_is_still_commanded_keeps_the_stop() -> None:
    built = robot(Stage())
    verdicts: list[Verdict] = []
    built.engine.post(Stop("button"))
    built.tick()
    built.engine.post(Resume(verdicts.append))
    moving = built.inputs()._replace(cmd_vel=np.array([0.5, 0.0, -0.25], dtype=np.float32))
    built.controller.tick(moving, 1)
    said = "a velocity of (0.5, 0, -0.25) is commanded; let go first, then resume"
    assert verdicts == [Verdict(False, said)]
    built.engine.post(Resume(verdicts.append))
    built.tick()
    assert verdicts[1].ok


def test_the_slot_that_stands_by_itself_keeps_no_stop() -> None:
    built = robot(Stage())
    verdicts: list[Verdict] = []
    built.press("mode", 2)
    built.engine.post(Stop("button"))
    built.tick()
    built.engine.post(Resume(verdicts.append))
    built.tick()
    assert verdicts == [Verdict(True)]


@pytest.mark.parametrize(
    ("kp", "kd", "effect"),
    [
        ([50.0, 50.0], [1.0, 0.0], "all joints held"),
        ([0.0, 0.0], [1.0, 0.5], "all joints damped"),
        ([0.0, 0.0], [0.0, 0.0], "all joints free to coast"),
        ([50.0, 0.0], [1.0, 1.0], "1 joint held, 1 joint damped"),
    ],
)
def test_a_stop_says_what_it_does_to_the_joints(kp: list[float], kd: list[float], effect: str) -> None:
    class Limp(RobotControlState):
        def on_update(self, ctx: StateContext, dt: float) -> None:
            ctx.set_motor_target(MotorFrame.create(ctx.robot_layout, 0.0, kp, kd))

    built = rig(
        {**Stage().actors(idle=0.25), "halt": lambda state: Limp(state.name, state.state_id)}, stop="halt"
    )
    verdicts: list[Verdict] = []
    built.tick()
    built.engine.post(Stop("button", verdicts.append))
    built.tick()
    assert verdicts == [Verdict(True, effect)]
    assert effect in built.messages("warning")[-1]


def test_a_second_stop_changes_the_reason_and_nothing_else() -> None:
    stage = Stage()
    built = robot(stage)
    for reason in ("button", "page"):
        built.engine.post(Stop(reason))
        built.tick()
    assert built.engine.snapshot().stop == "page"
    assert stage.diary.count("halt.on_enter") == 1


def test_a_stop_before_the_first_tick_is_obeyed_in_it() -> None:
    stage = Stage()
    built = rig(stage.actors(idle=0.25, halt=-0.5), stop="halt")
    built.engine.post(Stop("button"))
    assert built.tick().qpos[0] == -0.5
    assert stage.take() == ["idle.on_enter", "idle.on_exit", "halt.on_enter"]


def test_the_stop_state_may_fail_and_the_stop_still_holds() -> None:
    stage = Stage(broken={"halt.on_update": RuntimeError("lost")})
    built = robot(stage)
    built.engine.post(Stop("button"))
    built.ticks(3)
    assert built.state == "safe" and built.engine.snapshot().stop == "button"
    built.engine.post(AskState("idle", "test"))
    built.ticks(2)
    assert built.state == "safe"
