"""The way to the fault state, what happens when that fails too, and the way out of the passive frame."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from machine.actors import Stage
from machine.rigs import Rig, action, full, rig, route

from bxi_framework.machine.hooks import Failure, failure_among
from bxi_framework.machine.requests import AskState, SendEvent, Stop, Verdict
from bxi_framework.manifest.mod import TransitionRef
from bxi_framework.robot import MotorFrame

SLOW = {"type": "running_blend", "duration": 0.08, "curve": "linear"}
EVENTS = {
    "go": ("btn_1", 1),
    "out": ("btn_2", 1),
    "halt": ("btn_3", 1),
    "act": ("btn_4", 1),
    "back": ("btn_5", 1),
    "undo": ("btn_6", 1),
}


def robot(stage: Stage, fault: Mapping[str, object] | None = None, **options: object) -> Rig:
    """`idle` at 0.25 with ways to `goal` and to the stop state `halt`; `safe` at 1.0 is the fault state."""
    built = rig(
        stage.actors(idle=0.25, goal=0.5, safe=1.0, halt=0.0),
        routes=[
            route("idle", "go", "goal", "instant"),
            route("idle", "halt", "halt", "instant"),
            route("goal", "halt", "halt", "instant"),
            route("safe", "out", "goal", SLOW),
            route("safe", "back", "idle", SLOW),
            route("goal", "undo", "safe", SLOW),
            route("halt", "out", "idle", "instant"),
        ],
        actions=[action("safe", "act", "known")],
        events=EVENTS,
        fault="safe",
        fault_transition=TransitionRef(None, fault or {"type": "instant"}),
        **{"stop": "halt", **options},  # type: ignore[arg-type]
    )
    built.tick()
    stage.take()
    return built


def fail(stage: Stage, built: Rig, hook: str = "idle.on_update") -> None:
    """One tick in which the hook fails."""
    stage.broken[hook] = RuntimeError("lost")
    built.tick()


def poses(built: Rig, ticks: int) -> list[float]:
    return [round(float(frame.qpos[0]), 4) for frame in built.ticks(ticks)]


def is_passive(frame: MotorFrame) -> bool:
    """Stiffness, velocity and torque zero, damping that of the model (0.5)."""
    return [row[0] for row in (frame.vel, frame.kp, frame.kd, frame.torque)] == [0.0, 0.0, 0.5, 0.0]


FAILURES: dict[str, Callable[[Stage], None]] = {
    "its update": lambda stage: stage.broken.update({"safe.on_update": RuntimeError("lost too")}),
    "its entry": lambda stage: stage.broken.update({"safe.on_enter": SystemExit(1)}),
    "its entry frame": lambda stage: stage.broken.update({"safe.get_entry_frame": KeyError("pose")}),
    "the exit before it and its entry": lambda stage: stage.broken.update(
        {"idle.on_exit": RuntimeError("stuck"), "safe.on_enter": RuntimeError("stuck")}
    ),
}


@pytest.mark.parametrize("what", FAILURES)
@pytest.mark.parametrize("hook", ["idle.on_update", "goal.on_enter"])
def test_when_the_fault_state_fails_too_the_passive_frame_is_sent(what: str, hook: str) -> None:
    stage = Stage()
    built = robot(stage)
    FAILURES[what](stage)
    stage.broken[hook] = RuntimeError("lost")
    if hook == "goal.on_enter":
        built.press("btn_1")
    built.ticks(4)
    frames = built.ticks(5)
    assert all(is_passive(frame) for frame in frames)
    assert built.state == "safe"
    passive = built.engine.snapshot().passive
    assert passive is not None and "failed: " in passive
    last = built.messages("error")[-1]
    assert last == f"{passive}; the passive frame is sent"


def test_a_fault_state_whose_frame_is_not_finite_is_replaced_by_the_passive_frame() -> None:
    stage = Stage()
    built = robot(stage)
    built.engine.graph.states[full("safe")].state.qpos = math.nan  # type: ignore[attr-defined]
    fail(stage, built)
    assert poses(built, 1) == [0.25]  # the last good frame, while the entry frame is refused
    assert all(is_passive(frame) for frame in built.ticks(3))
    assert "qpos of 'a' is nan" in str(built.engine.snapshot().passive)


@pytest.mark.parametrize("hook", ["safe.sample_running_frame"])
def test_a_fault_transition_that_fails_ends_in_the_passive_frame(hook: str) -> None:
    stage = Stage()
    built = robot(stage, SLOW)
    fail(stage, built)
    stage.broken[hook] = RuntimeError("no frame")
    assert all(is_passive(frame) for frame in built.ticks(3))
    assert built.state == "safe"
    # The state that failed is left, and the fault state is entered, passive as it is.
    assert stage.take() == ["idle.on_exit", "safe.on_enter"]


def test_the_fault_state_itself_may_fail_while_it_is_in_control() -> None:
    stage = Stage()
    built = robot(stage, initial="safe")
    frames = [*built.ticks(1)]
    stage.broken["safe.on_update"] = RuntimeError("lost")
    frames += built.ticks(3)
    assert [is_passive(frame) for frame in frames] == [False, True, True, True]
    assert len(built.messages("error")) == 1


def test_there_is_a_way_out_of_the_passive_frame_by_an_event() -> None:
    stage = Stage()
    built = robot(stage, initial="safe")
    fail(stage, built, "safe.on_update")
    built.press("btn_2")
    frames = built.ticks(6)
    # From the passive frame (position 0, no stiffness) to the goal at 0.5 with stiffness 100, in quarters.
    assert [float(frame.kp[0]) for frame in frames] == [0.0, 25.0, 50.0, 75.0, 100.0, 100.0]
    assert built.state == "goal" and built.engine.snapshot().passive is None
    assert stage.take()[-2:] == ["safe.on_exit", "goal.on_enter"]


def test_there_is_a_way_out_of_the_passive_frame_by_a_request_and_by_a_stop() -> None:
    for wish, state in ((AskState("idle", "test"), "idle"), (Stop("button"), "halt")):
        stage = Stage()
        built = robot(stage, initial="safe")
        fail(stage, built, "safe.on_update")
        built.engine.post(wish)
        built.ticks(6)
        assert built.state == state and built.engine.snapshot().passive is None


def test_a_fault_state_that_was_never_entered_is_never_left() -> None:
    stage = Stage(broken={"safe.on_enter": RuntimeError("stuck")})
    built = robot(stage)
    fail(stage, built)
    built.ticks(3)
    built.press("btn_2")
    built.ticks(6)
    assert built.state == "goal"
    assert "safe.on_exit" not in stage.diary


def test_the_way_out_of_the_passive_frame_may_be_called_off_and_the_fault_state_is_entered_anew() -> None:
    stage = Stage()
    built = robot(stage, initial="safe")
    fail(stage, built, "safe.on_update")
    built.press("btn_2")
    built.ticks(3)
    stage.broken.clear()
    stage.take()
    built.press("btn_6")
    built.ticks(6)
    assert built.state == "safe" and built.engine.snapshot().passive is None
    assert stage.take() == [
        "safe.on_prepare from safe",
        "goal.on_prepare_cancel",
        "safe.on_exit",
        "safe.on_enter",
    ]


def test_a_failed_way_out_of_the_passive_frame_leads_to_the_fault_state_again() -> None:
    stage = Stage()
    built = robot(stage, initial="safe")
    fail(stage, built, "safe.on_update")
    stage.broken["goal.sample_running_frame"] = RuntimeError("no frame")
    built.press("btn_2")
    built.ticks(4)
    assert built.state == "safe"
    assert is_passive(built.tick())
    assert built.engine.snapshot().passive is not None


def test_nobody_does_actions_while_the_passive_frame_is_sent() -> None:
    stage = Stage()
    built = robot(stage, initial="safe")
    fail(stage, built, "safe.on_update")
    stage.take()
    built.press("btn_4")
    built.tick()
    assert stage.take() == []


def answer(built: Rig, make: Callable[[Callable[[Verdict], None]], object]) -> Verdict:
    verdicts: list[Verdict] = []
    built.engine.post(make(verdicts.append))  # type: ignore[arg-type]
    built.tick()
    return verdicts[0]


BARRED = "'test.mod/idle' has failed and is on the way to 'test.mod/safe'"


def test_the_way_to_the_fault_state_is_not_given_up_for_an_event_or_a_request() -> None:
    stage = Stage()
    built = robot(stage, SLOW)
    fail(stage, built)
    built.tick()
    assert answer(built, lambda reply: SendEvent(full("go"), reply)) == Verdict(False, BARRED)
    assert answer(built, lambda reply: AskState("goal", "test", reply=reply)) == Verdict(False, BARRED)
    # Nor called off: the state that failed would be in control again.
    assert answer(built, lambda reply: SendEvent(full("back"), reply)) == Verdict(False, BARRED)
    built.tick()
    assert built.state == "safe"


def test_the_way_to_the_fault_state_gives_way_to_the_stop_state() -> None:
    stage = Stage()
    built = robot(stage, SLOW)
    fail(stage, built)
    built.tick()
    built.press("btn_3")
    assert poses(built, 1) == [0.0]
    assert built.state == "halt"


def test_a_stop_cuts_the_way_to_the_fault_state_short() -> None:
    stage = Stage()
    built = robot(stage, SLOW)
    fail(stage, built)
    built.tick()
    stage.take()
    built.engine.post(Stop("button"))
    assert poses(built, 1) == [0.0]
    # The fault state was not prepared, so there is nothing to cancel.
    assert stage.take() == ["idle.on_exit", "halt.on_enter"]


def test_a_stop_state_that_cannot_be_entered_leads_to_the_fault_state() -> None:
    stage = Stage(broken={"halt.on_enter": RuntimeError("stuck")})
    built = robot(stage)
    built.engine.post(Stop("button"))
    built.ticks(2)
    assert built.state == "safe" and built.engine.snapshot().stop == "button"


def test_a_stop_state_that_was_never_entered_is_entered_by_the_next_stop() -> None:
    stage = Stage(broken={"halt.on_enter": RuntimeError("stuck")})
    built = robot(stage, SLOW)
    built.engine.post(Stop("button"))
    built.ticks(2)
    assert built.state == "halt"  # half-entered, on the way to the fault state
    stage.broken.clear()
    stage.take()
    built.engine.post(Stop("button"))
    built.tick()
    assert stage.take() == ["halt.on_enter"]
    assert built.state == "halt" and built.engine.snapshot().transition is None


@pytest.mark.parametrize("wish", [AskState("halt", "test"), SendEvent(full("halt"))])
def test_a_stop_state_that_has_failed_is_not_taken_back_on_the_way_to_the_fault_state(
    wish: AskState | SendEvent,
) -> None:
    stage = Stage()
    built = robot(stage, SLOW, initial="halt")
    fail(stage, built, "halt.on_update")
    built.engine.post(wish)
    built.ticks(5)
    assert built.state == "safe"


def test_of_two_states_in_a_transition_the_one_whose_code_failed_is_blamed(tmp_path: Path) -> None:
    nodes = robot(Stage()).engine.graph.states
    elsewhere = replace(nodes[full("goal")], root=tmp_path)
    here = replace(nodes[full("idle")], root=Path(__file__).parent)
    try:
        raise ValueError("no map")
    except ValueError as error:
        blamed = failure_among((elsewhere, here), "transition 'blend'", error)
        nobody = failure_among((elsewhere, elsewhere), "transition 'blend'", error)
    assert blamed.owner == full("idle")
    assert re.fullmatch(
        r"transition 'blend' failed: .*test_fault_state\.py:\d+: ValueError: no map", blamed.reason
    )
    assert nobody == Failure(full("goal"), "transition 'blend' failed: ValueError: no map")
