"""A preparation that does not end: refused after its limit with where it stands, and no other's concern."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from machine.actors import Stage
from machine.rigs import Rig, rig, route

from bxi_framework.loading.preparation import BackgroundPreparation
from bxi_framework.machine.requests import AskState, Stop, Verdict
from bxi_framework.mod_api import StateContext

HOLD = {"type": "hold", "duration": 0.04}


class Gate:
    """A hook that hangs until it is opened."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.reached = threading.Event()

    def __call__(self, ctx: StateContext) -> None:
        self.reached.set()
        self.open.wait(60.0)


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open.set()


def robot(stage: Stage, worker: BackgroundPreparation, timeout: float = 0.2) -> Rig:
    """`idle` with ways to `goal` and `third`, ten ticks for a preparation."""
    built = rig(
        stage.actors(idle=0.0, goal=0.5, third=-0.5),
        routes=[route("idle", "go", "goal", HOLD), route("idle", "other", "third", HOLD)],
        events={"go": ("btn_1", 1), "other": ("btn_2", 1)},
        preparation=worker,
        preparation_timeout=timeout,
    )
    built.tick()
    stage.take()
    return built


def until(built: Rig, holds: Callable[[], bool]) -> None:
    """Tick until it holds; the pause only lets the worker run."""
    pause = threading.Event()
    for _ in range(5000):
        built.tick()
        if holds():
            return
        pause.wait(0.001)
    raise AssertionError(built.log)


def hang(built: Rig, gate: Gate) -> None:
    """Let the preparation of `goal` hang past its limit."""
    built.press("btn_1")
    built.tick()
    assert gate.reached.wait(10.0)
    built.ticks(11)
    built.press("btn_1", 0)
    built.tick()


def test_the_switch_is_refused_with_the_mod_the_state_and_where_the_thread_stands(gate: Gate) -> None:
    worker = BackgroundPreparation()
    built = robot(Stage(does={"goal.on_prepare": gate}), worker)
    hang(built, gate)
    view = built.engine.snapshot()
    assert (view.state, view.preparing, view.transition) == ("test.mod/idle", None, None)
    assert view.ignored is not None and view.ignored.name == "test.mod/go"
    (told,) = [line for line in built.log if line[0] == "error"]
    assert told[1] == "test.mod/goal"
    assert "preparation was given up after 0.2 s, waiting for on_prepare(); its thread is at " in told[2]
    assert f"{Path(__file__).name}:" in told[2] and " in __call__" in told[2]
    assert told[2].endswith("'test.mod/idle' stays in control")
    worker.close()


def test_what_is_awaited_shows_with_how_long_it_has_taken(gate: Gate) -> None:
    worker = BackgroundPreparation()
    built = robot(Stage(does={"goal.on_prepare": gate}), worker)
    built.press("btn_1")
    built.tick()
    assert gate.reached.wait(10.0)
    built.ticks(5)
    assert built.engine.snapshot().as_dict()["preparing"] == {
        "to": "test.mod/goal",
        "awaits": "on_prepare()",
        "elapsed": 0.1,
        "limit": 0.2,
    }
    worker.close()


def test_later_requests_are_told_that_the_old_hook_still_hangs_until_it_ends(gate: Gate) -> None:
    stage, worker = Stage(does={"goal.on_prepare": gate}), BackgroundPreparation()
    built = robot(stage, worker)
    hang(built, gate)
    built.press("btn_1")
    built.tick()
    ignored = built.engine.snapshot().ignored
    assert ignored is not None
    assert "an earlier preparation of 'test.mod/goal' was given up and still hangs at " in ignored.reason
    answers: list[Verdict] = []
    built.engine.post(AskState("goal", "test", force=True, reply=answers.append))
    built.tick()
    assert not answers[0].ok and "still hangs" in answers[0].reason
    del stage.does["goal.on_prepare"]
    gate.open.set()

    def enters() -> bool:
        built.press("btn_1", int(not built.slots[0]))
        return built.state == "goal"

    until(built, enters)
    assert stage.take().count("goal.on_prepare_cancel") == 1, "what was given up is told so once it ends"
    worker.close()


def test_a_hook_that_hangs_keeps_no_other_state_waiting(gate: Gate) -> None:
    worker = BackgroundPreparation()
    built = robot(Stage(does={"goal.on_prepare": gate}), worker, timeout=1000.0)
    built.press("btn_1")
    built.tick()
    assert gate.reached.wait(10.0)
    built.press("btn_2")
    until(built, lambda: built.state == "third")
    worker.close()


def test_a_stop_is_at_once_while_a_hook_hangs(gate: Gate) -> None:
    worker = BackgroundPreparation()
    built = robot(Stage(does={"goal.on_prepare": gate}), worker, timeout=1000.0)
    built.press("btn_1")
    built.tick()
    assert gate.reached.wait(10.0)
    built.engine.post(Stop("button"))
    built.tick()
    view = built.engine.snapshot()
    assert (view.state, view.preparing, view.stop) == ("test.mod/idle", None, "button")
    worker.close()


def test_a_state_may_have_a_limit_of_its_own(gate: Gate) -> None:
    worker = BackgroundPreparation()
    built = robot(Stage(does={"goal.on_prepare": gate}), worker)
    built.engine.graph.states["test.mod/goal"].state.preparation_timeout = 0.5
    hang(built, gate)
    view = built.engine.snapshot()
    assert view.preparation is not None and view.preparation.limit == 0.5
    built.ticks(20)
    assert built.engine.snapshot().preparing is None
    worker.close()


def test_one_worker_is_enough_while_everything_returns() -> None:
    worker = BackgroundPreparation()
    built = robot(Stage(), worker)
    before = threading.active_count()
    built.press("btn_1")
    until(built, lambda: built.state == "goal")
    built.engine.post(AskState("third", "test"))
    until(built, lambda: built.state == "third")
    assert threading.active_count() <= before + 1
    worker.close()
