"""A state that fails: the tick emits the last good frame and the machine goes to the fault state."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from machine.actors import Row, Stage, fixed
from machine.rigs import Rig, action, full, rig, route

from bxi_framework.manifest.mod import TransitionRef
from bxi_framework.mod_api import MotorFrame, StateContext

HOLD = {"type": "hold", "duration": 0.04}


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


ERRORS = [
    RuntimeError("lost"),
    SystemExit(3),
    KeyboardInterrupt(),
    GeneratorExit(),
    UnprintableError(),
    MemoryError(),
]


def robot(stage: Stage, motion: Mapping[str, object] = HOLD, **options: object) -> Rig:
    """`idle` holds 0.25 rad, `goal` 0.5; `safe` is the fault state and holds 1.0. One tick has passed."""
    built = rig(
        stage.actors(idle=0.25, goal=0.5, safe=1.0, third=-0.5),
        routes=[
            route("idle", "go", "goal", motion),
            route("goal", "back", "idle", "instant"),
            route("safe", "back", "idle", "instant"),
        ],
        events={"go": ("btn_1", 1), "back": ("btn_2", 1)},
        fault="safe",
        **options,  # type: ignore[arg-type]
    )
    built.tick()
    stage.take()
    return built


def poses(built: Rig, ticks: int) -> list[float]:
    return [round(float(frame.qpos[0]), 4) for frame in built.ticks(ticks)]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_state_whose_update_raises_repeats_its_last_frame_and_is_left(error: BaseException) -> None:
    stage = Stage()
    built = robot(stage)
    before = built.tick()
    stage.broken["idle.on_update"] = error
    failed = built.tick()
    assert failed.data.tobytes() == before.data.tobytes()
    assert poses(built, 2) == [1.0, 1.0]
    assert built.state == "safe"
    (told,) = built.messages("error")
    assert told.startswith("on_update() failed: ") and "actors.py:" in told
    assert type(error).__name__ in told and told.endswith("; going to 'test.mod/safe'")


def test_the_failure_is_reported_once_with_its_owner() -> None:
    stage = Stage()
    built = robot(stage)
    stage.broken["idle.on_update"] = RuntimeError("lost")
    built.ticks(20)
    assert [(level, owner) for level, owner, _ in built.log if level == "error"] == [("error", full("idle"))]


def test_a_failure_may_happen_again_after_a_return_and_is_told_again() -> None:
    stage = Stage()
    built = robot(stage)
    stage.broken["idle.on_update"] = RuntimeError("lost")
    built.ticks(3)
    built.press("btn_2")
    built.ticks(3)
    assert built.state == "safe"
    assert len(built.messages("error")) == 2


def test_the_fault_transition_leads_to_the_fault_state() -> None:
    stage = Stage()
    blend = {"type": "running_blend", "duration": 0.06, "curve": "linear"}
    built = robot(stage, fault_transition=TransitionRef(None, blend))
    stage.broken["idle.on_update"] = RuntimeError("lost")
    # The last good frame once more, then the blend from it: the state that failed is not sampled.
    stage.broken["idle.sample_running_frame"] = RuntimeError("lost")
    assert poses(built, 6) == pytest.approx([0.25, 0.25, 0.5, 0.75, 1.0, 1.0])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["qpos", "vel", "kp", "kd", "torque"])
def test_a_value_that_is_not_finite_is_never_sent(field: str, value: float) -> None:
    built = rig({**fixed(idle=Row(0.25)), **Stage().actors(safe=1.0)}, fault="safe")
    before = built.tick()
    state = built.engine.graph.states[full("idle")].state
    state.row = Row(**{"qpos": 0.25, field: value})  # type: ignore[attr-defined]
    assert built.tick().data.tobytes() == before.data.tobytes()
    assert poses(built, 1) == [1.0]
    (told,) = built.messages("error")
    assert told == f"{field} of 'a' is {value}, which is not finite; going to 'test.mod/safe'"


@pytest.mark.parametrize("field", ["qpos", "vel", "kp", "kd", "torque"])
def test_a_value_that_is_not_finite_in_the_very_first_frame_is_never_sent(field: str) -> None:
    built = rig({**fixed(idle=Row(**{field: math.nan})), **Stage().actors(safe=1.0)}, fault="safe")
    first = built.tick()
    passive = built.model.passive_frame()
    assert first.data.tobytes() == passive.data.tobytes()
    assert poses(built, 1) == [1.0]


def test_a_joint_alone_may_be_at_fault_and_is_named() -> None:
    stage = Stage()
    bad = np.array([0.25, np.nan], dtype=np.float32)
    built = robot(stage)
    stage.does["idle.on_update"] = lambda ctx: setattr(ctx.current, "qpos", bad)
    built.ticks(2)
    assert built.messages("error") == ["qpos of 'b' is nan, which is not finite; going to 'test.mod/safe'"]


def silent_update(ctx: StateContext, dt: float) -> None:
    """Submits no frame."""


@pytest.mark.parametrize(
    ("timeout", "cycles", "ticks"),
    # Ticks without a frame until the state has failed; the last of them is the one that fails.
    [(0.1, 1, 5), (0.04, 1, 2), (0.0, 1, 1), (0.1, 2, 3), (0.1, 10, 1)],
)
def test_a_state_that_submits_nothing_holds_its_last_frame_and_fails_after_the_timeout(
    timeout: float, cycles: int, ticks: int
) -> None:
    built = robot(Stage(), target_timeout=timeout)
    built.engine.graph.states[full("idle")].state.on_update = silent_update  # type: ignore[method-assign]
    for _ in range(ticks):
        assert built.messages("error") == []
        assert built.tick(cycles).qpos[0] == 0.25
    (told,) = built.messages("error")
    assert told == f"no frame was submitted for {ticks * cycles * 0.02:.3f} s; going to 'test.mod/safe'"
    assert poses(built, 1) == [1.0]


def test_a_frame_in_time_makes_the_silence_forgotten() -> None:
    built = robot(Stage())
    state = built.engine.graph.states[full("idle")].state
    speaking = state.on_update
    for _ in range(5):
        state.on_update = silent_update  # type: ignore[method-assign]
        built.ticks(4)
        state.on_update = speaking  # type: ignore[method-assign]
        built.tick()
    assert built.messages("error") == [] and built.state == "idle"


@pytest.mark.parametrize(
    ("submit", "reason"),
    [
        (lambda ctx: ctx.current._motor_frame(ctx, np.zeros(3), 1.0, 1.0), "ValueError: a frame of "),
        (lambda ctx: ctx.set_motor_target(None), "a motor frame was expected, not a NoneType"),
        (lambda ctx: ctx.set_motor_target(np.zeros((5, 2))), "a motor frame was expected, not a ndarray"),
        (lambda ctx: ctx.set_motor_target(MotorFrame), "a motor frame was expected, not a type"),
    ],
)
def test_what_is_no_frame_of_the_robot_fails_the_state_and_not_the_loop(submit: object, reason: str) -> None:
    stage = Stage()
    built = robot(stage)
    stage.does["idle.on_update"] = submit  # type: ignore[assignment]
    assert poses(built, 2) == [0.25, 1.0]
    (told,) = built.messages("error")
    assert reason in told


@pytest.mark.parametrize("error", ERRORS[:3], ids=lambda error: type(error).__name__)
def test_an_action_that_raises_fails_the_state(error: BaseException) -> None:
    stage = Stage()
    built = rig(
        stage.actors(idle=0.25, safe=1.0),
        actions=[action("idle", "one", "known"), action("idle", "two", "known")],
        events={"one": ("btn_1", 1), "two": ("btn_2", 1)},
        fault="safe",
    )
    built.tick()
    stage.broken["idle.on_action"] = error
    built.press("btn_1")
    built.press("btn_2")
    assert poses(built, 1) == [1.0]
    # The second action is not tried on a state that has failed.
    assert stage.diary.count("idle.on_action known") == 1
    assert len(built.messages("error")) == 1
    assert built.state == "safe" and built.engine.snapshot().passive is None


def test_an_exit_hook_that_fails_does_not_keep_the_machine_in_the_state() -> None:
    stage = Stage(broken={"idle.on_exit": RuntimeError("stuck")})
    built = robot(stage)
    built.press("btn_1")
    built.ticks(4)
    assert built.state == "goal"
    (told,) = built.messages("error")
    assert "on_exit() failed" in told and told.endswith("; the state is left all the same")


@pytest.mark.parametrize("motion", [{"type": "instant"}, HOLD])
def test_an_enter_hook_that_fails_never_leaves_a_half_entered_state(motion: Mapping[str, object]) -> None:
    stage = Stage(broken={"goal.on_enter": RuntimeError("stuck")})
    built = robot(stage, motion)
    built.press("btn_1")
    built.ticks(4)
    built.tick()
    assert built.state == "safe"
    # It was never entered, so it is never updated and never left.
    assert stage.take()[2:] == ["idle.on_exit", "goal.on_enter", "safe.on_enter"]
    assert built.engine.graph.states[full("goal")].state.updates == 0  # type: ignore[attr-defined]


def test_the_initial_state_may_fail_to_be_entered() -> None:
    stage = Stage(broken={"idle.on_enter": RuntimeError("stuck")})
    built = rig(stage.actors(idle=0.25, safe=1.0), fault="safe")
    assert poses(built, 2) == [1.0, 1.0]
    assert stage.take() == ["idle.on_enter", "safe.on_enter"]


def test_a_reset_that_fails_refuses_the_switch() -> None:
    """Whatever a state kept from its last run could be played again, so it must not be entered."""
    stage = Stage()
    built = robot(stage)
    state = built.engine.graph.states[full("goal")].state

    def cannot(ctx: StateContext) -> None:
        raise RuntimeError("no reset")

    state._rewind = cannot  # type: ignore[method-assign]
    built.press("btn_1")
    built.ticks(5)
    assert built.state == "idle" and built.engine.snapshot().transition is None
    assert stage.take() == ["goal.is_available", "goal.on_prepare from idle", "goal.on_prepare_cancel"]
    (told,) = built.messages("error")
    assert "the reset before entry failed" in told and told.endswith("; 'test.mod/idle' stays in control")
