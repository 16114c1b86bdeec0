"""Switches that wait: a delay before a switch, and routes that are taken after a time in the state."""

from __future__ import annotations

import pytest
from machine.actors import Stage, bare
from machine.rigs import Rig, rig, route

from bxi_framework.machine.requests import AskState, Stop

EVENTS = {"go": ("btn_1", 1), "other": ("btn_2", 1), "back": ("btn_3", 1)}


def ticks_until(built: Rig, state: str, most: int = 40) -> int:
    """Ticks until the state is in control."""
    for tick in range(1, most + 1):
        built.tick()
        if built.state == state:
            return tick
    raise AssertionError(f"'{state}' is not in control after {most} ticks")


def delayed(stage: Stage, delay: float) -> Rig:
    built = rig(
        stage.actors(idle=0.0, goal=0.5, third=0.0),
        routes=[
            route("idle", "go", "goal", "instant", delay=delay),
            route("idle", "other", "third", "instant", delay=delay),
            route("third", "back", "idle", "instant"),
        ],
        events=EVENTS,
    )
    built.tick()
    stage.take()
    return built


@pytest.mark.parametrize(
    ("delay", "ticks"),
    # The tick of the event is the first; it switches at once, or so many periods later.
    [(0.0, 1), (0.01, 2), (0.02, 2), (0.03, 3), (0.06, 4), (0.1, 6), (0.3, 16)],
)
def test_a_switch_begins_when_its_delay_is_over(delay: float, ticks: int) -> None:
    built = delayed(Stage(), delay)
    built.press("btn_1")
    assert ticks_until(built, "goal") == ticks


def test_skipped_cycles_count_towards_a_delay() -> None:
    built = delayed(Stage(), 0.1)
    built.press("btn_1")
    built.tick(7)  # what was skipped before the event has nothing to do with its delay
    built.tick(4)
    assert built.state == "idle"
    built.tick(1)
    assert built.state == "goal"


def test_while_a_switch_waits_the_state_goes_on_and_an_operator_can_see_it() -> None:
    stage = Stage()
    built = delayed(stage, 0.06)
    built.press("btn_1")
    built.tick()
    pending = built.engine.snapshot().pending
    assert pending is not None
    assert (pending.target, pending.trigger) == ("test.mod/goal", "test.mod/go")
    assert pending.remaining == pytest.approx(0.06)
    assert stage.take() == ["goal.is_available"]  # not prepared yet
    before = built.engine.graph.states["test.mod/idle"].state.updates  # type: ignore[attr-defined]
    built.tick()
    assert built.engine.graph.states["test.mod/idle"].state.updates == before + 1  # type: ignore[attr-defined]


def test_an_event_for_what_waits_already_does_not_start_the_delay_anew() -> None:
    built = delayed(Stage(), 0.06)
    built.press("btn_1")
    built.tick()
    built.press("btn_1", 0)
    built.tick()
    built.press("btn_1")
    assert ticks_until(built, "goal") == 2
    ignored = built.engine.snapshot().ignored
    assert ignored is not None and ignored.reason == "already waiting to switch to 'test.mod/goal'"


def test_another_event_replaces_what_waits() -> None:
    stage = Stage()
    built = delayed(stage, 0.06)
    built.press("btn_1")
    built.tick()
    built.press("btn_2")
    assert ticks_until(built, "third") == 4
    # What waited had not been prepared, so there is nothing to take back.
    assert "goal.on_prepare_cancel" not in stage.diary
    ignored = built.engine.snapshot().ignored
    assert ignored is not None
    assert (ignored.name, ignored.reason) == ("test.mod/go", "replaced by the switch to 'test.mod/third'")


def test_a_stop_drops_what_waits() -> None:
    built = delayed(Stage(), 0.06)
    built.press("btn_1")
    built.tick()
    built.engine.post(Stop("button"))
    built.ticks(10)
    assert built.state == "idle" and built.engine.snapshot().pending is None


def test_a_switch_that_outlasts_the_transition_under_way_goes_on_from_the_new_state() -> None:
    """The way to `goal` was planned from `idle`, and `third`, now in control, cannot be sampled for it."""
    stage = Stage()
    blend = {"type": "running_blend", "duration": 0.04, "curve": "linear"}
    built = rig(
        {**stage.actors(idle=0.0, goal=1.0), "third": bare(0.5)},
        routes=[
            route("idle", "go", "goal", blend, delay=0.08),
            route("idle", "back", "third", {"type": "hold", "duration": 0.04}),
        ],
        events=EVENTS,
    )
    built.tick()
    built.press("btn_3")
    built.tick()
    built.press("btn_1")
    built.ticks(4)
    assert built.state == "third"
    frames = built.ticks(4)
    assert [float(frame.qpos[0]) for frame in frames] == pytest.approx([0.5, 0.75, 1.0, 1.0])
    assert built.state == "goal" and built.messages("error") == []


def timed(stage: Stage, *after: tuple[float, str], **options: object) -> Rig:
    built = rig(
        stage.actors(idle=0.0, goal=0.5, third=0.0),
        routes=[
            *(route("idle", None, target, "instant", after=seconds) for seconds, target in after),
            route("goal", "back", "idle", "instant"),
            route("idle", "go", "goal", {"type": "hold", "duration": 0.2}),
        ],
        events=EVENTS,
        **options,  # type: ignore[arg-type]
    )
    return built


@pytest.mark.parametrize(
    # The initial state is entered in the first tick and 0 s old there.
    ("after", "ticks"),
    [(0.0, 1), (0.02, 2), (0.03, 3), (0.1, 6), (1.0, 51)],
)
def test_the_initial_state_is_left_after_its_time(after: float, ticks: int) -> None:
    assert ticks_until(timed(Stage(), (after, "goal")), "goal", 60) == ticks


def test_a_state_is_left_so_long_after_it_was_entered() -> None:
    built = timed(Stage(), (0.1, "goal"))
    assert ticks_until(built, "goal") == 6
    built.press("btn_3")
    built.tick()
    assert built.state == "idle"
    # Entered in the tick of the event, it is 0.02 s old in the next one.
    assert ticks_until(built, "goal") == 5


def test_skipped_cycles_count_as_time_in_the_state() -> None:
    built = timed(Stage(), (0.1, "goal"))
    built.tick(9)  # before the state was entered
    built.tick(3)
    assert built.state == "idle"
    built.tick(2)
    assert built.state == "goal"


def test_the_earlier_of_two_times_counts() -> None:
    built = timed(Stage(), (0.2, "third"), (0.1, "goal"))
    assert ticks_until(built, "goal") == 6


def test_a_refused_timed_route_is_told_once_and_the_next_one_gets_its_turn() -> None:
    stage = Stage(closed={"goal"})
    built = timed(stage, (0.06, "goal"), (0.1, "third"))
    assert ticks_until(built, "third") == 6
    assert stage.diary.count("goal.is_available") == 1
    told = [message for message in built.messages("info") if "ignored" in message]
    assert told == ["'after 0.06 s' ignored: 'test.mod/goal' says that it is not available now"]


def test_of_two_routes_with_the_same_time_the_second_counts_if_the_first_is_refused() -> None:
    built = timed(Stage(closed={"goal"}), (0.06, "goal"), (0.06, "third"))
    built.ticks(4)
    assert built.state == "third"


def test_a_refused_timed_route_is_asked_again_after_the_next_entry() -> None:
    stage = Stage(closed={"goal"})
    built = timed(stage, (0.06, "goal"))
    built.ticks(10)
    built.engine.post(AskState("idle", "again"))
    built.tick()
    stage.closed.clear()
    assert ticks_until(built, "goal") == 3


def test_a_time_that_comes_during_a_transition_waits_for_its_end() -> None:
    built = timed(Stage(), (0.06, "third"))
    built.press("btn_1")
    built.ticks(5)
    built.engine.post(AskState("idle", "never mind", "instant"))
    built.tick()
    # Called off, the state has been in control all the time.
    assert built.state == "idle"
    assert ticks_until(built, "third") == 1


def test_no_timed_route_is_taken_while_a_stop_holds() -> None:
    built = timed(Stage(), (0.06, "goal"))
    built.engine.post(Stop("button"))
    built.ticks(20)
    assert built.state == "idle"
