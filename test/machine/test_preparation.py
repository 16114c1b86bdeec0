"""The slow part of a switch, done beside the loop: the old state keeps control until it has ended."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from machine.actors import Actor, Stage, bare
from machine.rigs import Rig, rig, route

from bxi_framework.diagnostics.guard import Outcome
from bxi_framework.loading.preparation import BackgroundPreparation
from bxi_framework.machine.requests import Stop
from bxi_framework.mod_api import MotorFrame, StateContext

HOLD = {"type": "hold", "duration": 0.04}


class ByHand:
    """Jobs end when the test says so, as they would on a worker; clean-ups run after the job before them."""

    def __init__(self) -> None:
        self.queue: list[Callable[[], object]] = []
        self.newest: Callable[[], object] | None = None
        self.outcome: Outcome | None = None
        self.nodes: list[tuple[str, ...]] = []

    def begin(self, job: Callable[[], None], nodes: Sequence[str] = (), key: str = "") -> None:
        self.newest = job
        self.nodes.append(tuple(nodes))
        self.outcome = None
        self.queue.append(job)

    def poll(self) -> Outcome | None:
        outcome, self.outcome = self.outcome, None
        return outcome

    def cancel(self, cleanup: Callable[[], None], key: str = "") -> None:
        self.newest = self.outcome = None
        self.queue.append(cleanup)

    def stands(self, key: str) -> None:
        return None

    def close(self) -> None:
        self.queue.clear()

    def work(self) -> None:
        """Run what is queued."""
        while self.queue:
            job = self.queue.pop(0)
            error: BaseException | None = None
            try:
                job()
            except BaseException as raised:
                error = raised
            if job is self.newest:
                self.outcome = Outcome(error)


def robot(stage: Stage, worker: ByHand | BackgroundPreparation, **options: object) -> Rig:
    """`idle` with ways to `goal` and `third`; one tick has passed."""
    built = rig(
        {**stage.actors(idle=0.0, goal=0.5, third=-0.5), "plain": bare(0.25)},
        routes=[
            route("idle", "go", "goal", HOLD),
            route("idle", "other", "third", HOLD),
            route("idle", "plainly", "plain", "instant"),
            route("third", "back", "idle", HOLD),
        ],
        events={
            "go": ("btn_1", 1),
            "other": ("btn_2", 1),
            "back": ("btn_3", 1),
            "plainly": ("btn_4", 1),
        },
        preparation=worker,
        **options,  # type: ignore[arg-type]
    )
    built.tick()
    stage.take()
    return built


def updates(built: Rig, name: str) -> int:
    state = built.engine.graph.states[f"test.mod/{name}"].state
    assert isinstance(state, Actor)
    return state.updates


def test_the_old_state_keeps_control_until_the_new_one_is_ready() -> None:
    stage, worker = Stage(), ByHand()
    built = robot(stage, worker)
    built.press("btn_1")
    built.ticks(5)
    view = built.engine.snapshot()
    assert (view.state, view.transition, view.pending) == ("test.mod/idle", None, None)
    assert view.preparing == "test.mod/goal"
    assert updates(built, "idle") == 6
    assert stage.take() == ["goal.is_available"]

    worker.work()
    assert stage.take() == ["goal.on_prepare from idle"]
    built.tick()
    view = built.engine.snapshot()
    assert view.preparing is None and view.transition is not None
    assert updates(built, "idle") == 6
    built.ticks(2)
    assert built.state == "goal"


def test_a_state_that_has_nothing_to_prepare_is_entered_at_once() -> None:
    stage, worker = Stage(), ByHand()
    built = robot(stage, worker)
    built.press("btn_4")
    built.tick()
    assert built.state == "plain" and worker.queue == []


@pytest.mark.parametrize("error", [OSError("no file"), SystemExit(1), KeyboardInterrupt()])
def test_a_preparation_that_fails_refuses_the_switch_with_its_reason(error: BaseException) -> None:
    stage, worker = Stage(broken={"goal.on_prepare": error}), ByHand()
    built = robot(stage, worker)
    built.press("btn_1")
    built.tick()
    worker.work()
    built.ticks(3)
    view = built.engine.snapshot()
    assert (view.state, view.preparing, view.pending, view.transition) == ("test.mod/idle", None, None, None)
    assert view.ignored is not None and view.ignored.name == "test.mod/go"
    assert view.ignored.reason.startswith("preparation failed: ")
    assert "actors.py" in view.ignored.reason and type(error).__name__ in view.ignored.reason
    assert len(built.messages("error")) == 1
    assert stage.take() == ["goal.is_available", "goal.on_prepare from idle"]


def test_a_failed_preparation_is_tried_again_at_the_next_event() -> None:
    stage, worker = Stage(broken={"goal.on_prepare": OSError("not mounted")}), ByHand()
    built = robot(stage, worker)
    built.press("btn_1")
    built.tick()
    worker.work()
    built.tick()
    stage.broken.clear()
    built.press("btn_1", 0)
    built.tick()
    built.press("btn_1")
    built.tick()
    worker.work()
    built.ticks(3)
    assert built.state == "goal"


def test_a_switch_that_is_replaced_while_it_gets_ready_is_cancelled_on_the_worker() -> None:
    stage, worker = Stage(), ByHand()
    built = robot(stage, worker)
    built.press("btn_1")
    built.tick()
    built.press("btn_2")
    built.tick()
    assert built.engine.snapshot().preparing == "test.mod/third"
    assert stage.take() == ["goal.is_available", "third.is_available"]
    worker.work()
    assert stage.take() == [
        "goal.on_prepare from idle",
        "goal.on_prepare_cancel",
        "third.on_prepare from idle",
    ]
    built.ticks(3)
    assert built.state == "third"


def test_an_event_for_what_gets_ready_already_does_not_begin_again() -> None:
    stage, worker = Stage(), ByHand()
    built = robot(stage, worker)
    for value in (1, 0, 1):
        built.press("btn_1", value)
        built.tick()
    worker.work()
    assert stage.take().count("goal.on_prepare from idle") == 1


def test_a_stop_cancels_what_gets_ready() -> None:
    stage, worker = Stage(), ByHand()
    built = robot(stage, worker)
    built.press("btn_1")
    built.tick()
    built.engine.post(Stop("button"))
    built.tick()
    worker.work()
    built.ticks(5)
    assert stage.take() == ["goal.is_available", "goal.on_prepare from idle", "goal.on_prepare_cancel"]
    assert built.state == "idle" and built.engine.snapshot().preparing is None


def test_a_failure_of_the_state_in_control_cancels_what_gets_ready() -> None:
    stage, worker = Stage(), ByHand()
    built = robot(stage, worker, fault="third")
    built.press("btn_1")
    built.tick()
    stage.broken["idle.on_update"] = RuntimeError("lost")
    built.ticks(2)
    worker.work()
    assert stage.take() == [
        "goal.is_available",
        "idle.on_exit",
        "third.on_enter",
        "goal.on_prepare from idle",
        "goal.on_prepare_cancel",
    ]
    built.ticks(3)
    assert built.state == "third"


def test_a_clean_up_that_fails_is_told_and_passed_over() -> None:
    stage, worker = Stage(broken={"goal.on_prepare_cancel": OSError("busy")}), ByHand()
    built = robot(stage, worker)
    built.press("btn_1")
    built.tick()
    built.press("btn_2")
    built.tick()
    worker.work()
    built.ticks(3)
    assert built.state == "third"
    (told,) = built.messages("error")
    assert "on_prepare_cancel() failed" in told and "OSError: busy" in told


def test_a_switch_is_called_off_without_getting_the_state_in_control_ready() -> None:
    stage, worker = Stage(), ByHand()
    built = robot(stage, worker)
    built.press("btn_2")
    built.tick()
    worker.work()
    built.tick()
    assert built.engine.snapshot().transition is not None
    stage.take()
    built.press("btn_3")
    built.ticks(3)
    worker.work()
    assert stage.take() == ["third.on_prepare_cancel"]
    assert built.state == "idle" and built.engine.snapshot().transition is None


def test_what_gets_ready_during_a_transition_replaces_it_when_it_is_ready() -> None:
    stage, worker = Stage(), ByHand()
    built = robot(stage, worker)
    built.press("btn_1")
    built.tick()
    worker.work()
    built.tick()
    built.press("btn_2")
    built.tick()
    view = built.engine.snapshot()
    assert view.preparing == "test.mod/third"
    assert view.transition is not None and view.transition.target == "test.mod/goal"
    worker.work()
    built.tick()
    view = built.engine.snapshot()
    assert view.transition is not None and view.transition.target == "test.mod/third"


def test_a_preparation_sees_the_moment_in_which_it_began_and_may_command_nothing() -> None:
    seen: dict[str, object] = {}

    def look(ctx: StateContext) -> None:
        seen["last"] = ctx.last_motor_frame.qpos.copy()
        seen["loop"] = ctx.loop_count
        seen["joints"] = ctx.robot_joints.names
        for name, call in {
            "target": lambda: ctx.set_motor_target(MotorFrame(ctx.robot_layout)),
            "request": lambda: ctx.request_state("third", trigger="no"),
        }.items():
            with pytest.raises(RuntimeError, match=r"is refused here") as caught:
                call()
            seen[name] = str(caught.value).partition("(")[0]

    stage, worker = Stage(does={"goal.on_prepare": look}), ByHand()
    built = robot(stage, worker)
    built.press("btn_1")
    built.tick()
    began = built.engine.context.loop_count
    built.ticks(4)
    worker.work()
    assert seen["loop"] == began
    assert seen["joints"] == ("a", "b")
    np.testing.assert_array_equal(seen["last"], [0.0, 0.0])
    assert (seen["target"], seen["request"]) == ("set_motor_target", "request_state")
    built.ticks(3)
    assert built.state == "goal"


def test_on_a_real_worker_the_hooks_run_beside_the_control_thread() -> None:
    threads: dict[str, str] = {}
    ready, may_end = threading.Event(), threading.Event()

    def slow(ctx: StateContext) -> None:
        threads["on_prepare"] = threading.current_thread().name
        ready.set()
        assert may_end.wait(10)

    stage = Stage(does={"goal.on_prepare": slow})
    for hook in ("goal.is_available", "goal.on_enter", "goal.on_update"):
        stage.does[hook] = lambda ctx, hook=hook: threads.setdefault(hook, threading.current_thread().name)
    worker = BackgroundPreparation()
    built = robot(stage, worker)
    built.press("btn_1")
    built.tick()
    assert ready.wait(10)
    built.ticks(3)
    assert built.engine.snapshot().preparing == "test.mod/goal"
    may_end.set()
    for _ in range(10_000):
        built.tick()
        if built.state == "goal":
            break
        threading.Event().wait(0.001)
    built.tick()
    worker.close()
    here = threading.current_thread().name
    assert threads["on_prepare"] != here
    assert threads["goal.is_available"] == threads["goal.on_enter"] == threads["goal.on_update"] == here
