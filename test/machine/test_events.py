"""Events by edge: what fires, what is taken silently, and which of several counts."""

from __future__ import annotations

import pytest
from machine.actors import Stage
from machine.rigs import Rig, action, full, rig, route

from bxi_framework.machine.events import EventExtractor
from bxi_framework.machine.requests import SendEvent, Verdict
from bxi_framework.manifest.mod import EventDecl
from bxi_framework.manifest.names import SLOT_NAMES

REST = (0,) * 21


def slots(**values: int) -> tuple[int, ...]:
    return tuple(values.get(name, 0) for name in SLOT_NAMES)


def extractor(*events: tuple[str, str, int | None]) -> EventExtractor:
    built = EventExtractor(EventDecl(name, slot, value, "") for name, slot, value in events)
    assert built.poll(REST, 0) == ()
    return built


def test_an_event_fires_when_its_slot_comes_to_its_value_and_not_while_it_stays_there() -> None:
    seen = extractor(("one", "btn_1", 1), ("two", "btn_1", 2))
    assert seen.poll(slots(btn_1=1), 0) == ("one",)
    assert seen.poll(slots(btn_1=1), 0) == ()
    assert seen.poll(slots(btn_1=2), 0) == ("two",)
    assert seen.poll(REST, 0) == ()
    assert seen.poll(slots(btn_1=1), 0) == ("one",)


def test_an_event_may_wait_for_zero_or_a_negative_value() -> None:
    seen = extractor(("released", "btn_1", 0), ("low", "axis_1", -1))
    assert seen.poll(slots(btn_1=1), 0) == ()
    assert seen.poll(slots(axis_1=-1), 0) == ("released", "low")


def test_an_event_without_a_value_fires_on_every_change_but_that_to_zero() -> None:
    seen = extractor(("any", "mode", None))
    values = [3, 3, 7, 0, -2]
    assert [seen.poll(slots(mode=value), 0) for value in values] == [("any",), (), ("any",), (), ("any",)]


def test_several_slots_may_change_at_once() -> None:
    seen = extractor(("a", "btn_2", 1), ("b", "btn_1", 1), ("c", "btn_3", None), ("d", "btn_1", 1))
    assert seen.poll(slots(btn_1=1, btn_2=1, btn_3=9), 0) == ("b", "d", "a", "c")


def test_the_first_values_are_taken_silently() -> None:
    seen = EventExtractor([EventDecl("one", "btn_1", 1, "")])
    assert seen.poll(None, 0) == ()
    assert seen.poll(slots(btn_1=1), 0) == ()
    assert seen.poll(REST, 0) == ()
    assert seen.poll(slots(btn_1=1), 0) == ("one",)


def test_the_first_values_after_a_reconnect_are_taken_silently() -> None:
    seen = extractor(("one", "btn_1", 1), ("two", "btn_2", 1))
    assert seen.poll(slots(btn_1=1), 1) == ()
    assert seen.poll(slots(btn_1=1, btn_2=1), 1) == ("two",)


def test_a_reconnect_with_the_same_values_is_over_at_once() -> None:
    seen = extractor(("one", "btn_1", 1))
    assert seen.poll(REST, 1) == ()
    assert seen.poll(slots(btn_1=1), 1) == ("one",)


def test_a_remote_control_that_has_gone_fires_nothing() -> None:
    seen = extractor(("one", "btn_1", 1))
    assert seen.poll(slots(btn_1=1), 0) == ("one",)
    assert seen.poll(None, 0) == ()
    assert seen.poll(slots(btn_1=1), 0) == ()


# From here on in the engine.

HOLD = {"type": "hold", "duration": 0.06}
EVENTS = {f"e{number}": (f"btn_{number}", 1) for number in range(1, 8)}


def robot(stage: Stage) -> Rig:
    """`idle` with routes, in this order, on e1 to `b`, on e2 to `a`, on e3 to the stop state `halt`."""
    built = rig(
        stage.actors(idle=0.0, a=0.1, b=0.2, halt=0.0),
        routes=[
            route("idle", "e1", "b", HOLD),
            route("idle", "e2", "a", HOLD),
            route("idle", "e3", "halt", HOLD),
            route("b", "e4", "a", HOLD),
            route("b", "e6", "idle", HOLD),
        ],
        actions=[action("idle", "e5", "known"), action("idle", "e7", "strange")],
        events=EVENTS,
        stop="halt",
    )
    built.tick()
    stage.take()
    return built


def ignored(built: Rig) -> dict[str, str]:
    """Event or state name -> the reason why it was ignored, from the log."""
    told = [message for message in built.messages("info") if " ignored: " in message]
    pairs = (message.split(" ignored: ", 1) for message in told)
    return {name.strip("'").removeprefix("test.mod/"): reason for name, reason in pairs}


def heading(built: Rig) -> str:
    view = built.engine.snapshot().transition
    assert view is not None
    return view.target.removeprefix("test.mod/")


def test_of_several_routes_the_first_in_the_manifest_counts() -> None:
    built = robot(Stage())
    built.press("btn_2")
    built.press("btn_1")
    built.tick()
    assert heading(built) == "b"
    assert ignored(built) == {"e2": "passed over for 'test.mod/e1'"}


def test_a_route_to_the_stop_state_wins_over_all_others() -> None:
    built = robot(Stage())
    for button in ("btn_1", "btn_2", "btn_3", "btn_5"):
        built.press(button)
    built.tick()
    assert heading(built) == "halt"
    assert ignored(built) == dict.fromkeys(("e1", "e2", "e5"), "passed over for 'test.mod/e3'")


def test_a_route_to_the_fault_state_wins_as_well() -> None:
    built = rig(
        Stage().actors(idle=0.0, a=0.1, safe=0.0),
        routes=[route("idle", "e1", "a", HOLD), route("idle", "e2", "safe", HOLD)],
        events=EVENTS,
        fault="safe",
    )
    built.tick()
    built.press("btn_1")
    built.press("btn_2")
    built.tick()
    assert heading(built) == "safe"


def test_an_event_for_which_there_is_nothing_is_reported_as_ignored() -> None:
    built = robot(Stage())
    built.press("btn_4")
    revision = built.engine.revision
    built.tick()
    assert ignored(built) == {"e4": "no route or action for it in 'test.mod/idle'"}
    assert built.engine.revision > revision
    shown = built.engine.snapshot().ignored
    assert shown is not None and shown.name == "test.mod/e4"


def test_during_a_transition_the_routes_of_the_source_count_then_the_targets_way_back() -> None:
    built = robot(Stage())
    built.press("btn_1")
    built.tick()
    built.press("btn_4")  # a route of b, but it does not lead back
    built.tick()
    assert heading(built) == "b"
    assert ignored(built) == {"e4": "no route or action for it in 'test.mod/idle' or back from 'test.mod/b'"}
    built.press("btn_6")
    built.press("btn_2")  # a route of the source outranks the way back
    built.tick()
    assert heading(built) == "a"


def test_during_a_transition_nobody_does_actions() -> None:
    stage = Stage()
    built = robot(stage)
    built.press("btn_1")
    built.tick()
    stage.take()
    built.press("btn_5")
    built.tick()
    assert stage.take() == []
    assert ignored(built) == {"e5": "'test.mod/idle' does no actions while a transition runs"}


def test_an_action_is_done_without_leaving_the_state() -> None:
    stage = Stage()
    built = robot(stage)
    built.press("btn_5")
    built.tick()
    assert stage.take() == ["idle.on_action known"]
    assert built.state == "idle" and built.engine.snapshot().transition is None


def test_an_action_that_the_state_does_not_know_is_ignored() -> None:
    stage = Stage()
    built = robot(stage)
    built.press("btn_7")
    built.press("btn_5")
    built.tick()
    assert stage.take() == ["idle.on_action known", "idle.on_action strange"]
    assert ignored(built) == {"e7": "'test.mod/idle' does not know the action 'strange'"}
    assert built.state == "idle"


def test_a_sent_event_is_as_good_as_an_edge_and_is_answered() -> None:
    built = robot(Stage())
    verdicts: list[Verdict] = []
    for name in ("e2", "e4", "nothing"):
        built.engine.post(SendEvent(full(name), verdicts.append))
    built.tick()
    assert heading(built) == "a"
    unknown, taken, passed_over = verdicts
    assert taken == Verdict(True)
    assert passed_over == Verdict(False, "no route or action for it in 'test.mod/idle'")
    assert not unknown.ok and unknown.reason.startswith("no event 'test.mod/nothing'. ")


def test_the_same_event_from_both_sides_counts_once() -> None:
    stage = Stage()
    built = robot(stage)
    built.press("btn_5")
    built.engine.post(SendEvent(full("e5")))
    built.tick()
    assert stage.take() == ["idle.on_action known"]


def test_an_unknown_event_is_told_once_with_the_nearest_name_and_changes_nothing() -> None:
    built = robot(Stage())
    for _ in range(3):
        built.engine.post(SendEvent("test.mod/e22"))
        built.tick()
    assert built.messages("warning") == ["no event 'test.mod/e22'. Did you mean 'test.mod/e2'?"]
    assert built.state == "idle"


def test_the_values_at_the_start_fire_nothing() -> None:
    built = robot(Stage())
    fresh = robot(Stage())
    fresh.epoch = built.epoch + 1
    fresh.press("btn_1")
    fresh.tick()
    assert fresh.engine.snapshot().transition is None


@pytest.mark.parametrize("button", ["btn_4", "btn_6"])
def test_an_event_that_only_another_state_knows_does_nothing(button: str) -> None:
    built = robot(Stage())
    built.press(button)
    built.ticks(3)
    assert built.state == "idle" and built.engine.snapshot().transition is None
