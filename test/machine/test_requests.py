"""Switches asked for by a state's code or by an operator: accepted, or refused with a reason."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from machine.actors import Stage, bare
from machine.rigs import Rig, rig, route

from bxi_framework.machine.requests import AskState, Resume, Stop, Verdict, Wish
from bxi_framework.manifest.mod import TransitionProfileDecl
from bxi_framework.mod_api import StateContext

HOLD = {"type": "hold", "duration": 0.04}
PROFILES = (
    TransitionProfileDecl("slow", {"type": "hold", "duration": 0.2}, "transition_profiles.slow"),
    TransitionProfileDecl(
        "test.mod/blend", {"type": "running_blend", "duration": 0.1}, "transition_profiles.blend"
    ),
)


def robot(stage: Stage) -> Rig:
    """`idle`, with a route to `goal` that holds for 0.04 s; there is no route to `third` and `plain`."""
    built = rig(
        {**stage.actors(idle=0.0, goal=0.5, third=-0.5), "plain": bare(0.25)},
        routes=[route("idle", "go", "goal", HOLD)],
        events={"go": ("btn_1", 1)},
        profiles=PROFILES,
    )
    built.tick()
    stage.take()
    return built


def once(call: Callable[[StateContext], object]) -> Callable[[StateContext], None]:
    """Does it in the next update only."""
    left = [call]

    def act(ctx: StateContext) -> None:
        if left:
            left.pop()(ctx)

    return act


def post(built: Rig, wish: Callable[[Callable[[Verdict], None]], Wish]) -> Verdict:
    """Hand in a wish, run a tick, and give back the verdict."""
    verdicts: list[Verdict] = []
    built.engine.post(wish(verdicts.append))
    built.tick()
    (verdict,) = verdicts
    return verdict


def ask(
    built: Rig, name: str, transition: str | None = None, delay: float = 0.0, force: bool = False
) -> Verdict:
    return post(built, lambda reply: AskState(name, "test", transition, delay, force, reply))


def test_a_state_asks_and_the_switch_begins_after_its_tick() -> None:
    stage = Stage()
    answers = []
    stage.does["idle.on_update"] = once(
        lambda ctx: answers.append(ctx.request_state("test.mod/third", trigger="tired"))
    )
    built = robot(stage)
    assert answers == [True]
    # The tick of the request was the state's own.
    assert built.state == "idle" and built.engine.snapshot().pending is not None
    assert built.engine.snapshot().pending.trigger == "tired"  # type: ignore[union-attr]
    built.tick()
    assert built.state == "third"
    assert stage.take()[-2:] == ["idle.on_exit", "third.on_enter"]


def test_a_local_name_is_one_of_the_asking_states_mod() -> None:
    stage = Stage(does={"idle.on_update": once(lambda ctx: ctx.request_state("third", trigger="tired"))})
    built = robot(stage)
    built.tick()
    assert built.state == "third"


@pytest.mark.parametrize(
    ("transition", "type_name"),
    [
        (None, "hold"),  # that of the route
        ("slow", "slow"),
        ("blend", "test.mod/blend"),  # a profile of its own Mod by local name
        ("test.mod/blend", "test.mod/blend"),
    ],
)
def test_the_transition_is_that_of_the_route_unless_another_is_named(
    transition: str | None, type_name: str
) -> None:
    built = robot(Stage())
    assert ask(built, "goal", transition).ok
    view = built.engine.snapshot().transition
    assert view is not None and view.type == type_name


def test_without_a_route_the_default_transition_is_taken() -> None:
    built = robot(Stage())
    assert ask(built, "third").ok
    assert built.state == "third"  # the default is instant


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ({"name": "gaol"}, "no state 'gaol'. Did you mean 'test.mod/goal'?"),
        ({"name": "other.mod/x"}, "no state 'other.mod/x'. "),
        ({"name": ""}, "no state ''. "),
        ({"name": "goal", "transition": "slwo"}, "no transition profile 'slwo'. Did you mean 'slow'?"),
        ({"name": "goal", "transition": ""}, "no transition profile ''. "),
        (
            {"name": "plain", "transition": "blend"},
            "running_blend samples 'test.mod/plain' (sample_to: true)",
        ),
        (
            {"name": "goal", "delay": -0.1},
            "the delay must be a finite number of seconds, at least 0, not -0.1",
        ),
        ({"name": "goal", "delay": math.nan}, "the delay must be a finite number of seconds"),
        ({"name": "goal", "delay": math.inf}, "the delay must be a finite number of seconds"),
        ({"name": "third"}, "'test.mod/third' says that it is not available now"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(wish: dict[str, object], reason: str) -> None:
    stage = Stage(closed={"third"})
    built = robot(stage)
    verdict = ask(built, **wish)  # type: ignore[arg-type]
    assert not verdict.ok and verdict.reason.startswith(reason)
    built.ticks(20)
    assert built.state == "idle"
    ignored = built.engine.snapshot().ignored
    assert ignored is not None and ignored.reason == verdict.reason

    # The same from code: a refusal, not an exception.
    answers = []
    stage.does["idle.on_update"] = once(lambda ctx: answers.append(ctx.request_state(trigger="test", **wish)))
    built.tick()
    assert answers == [False]
    assert built.state == "idle" and built.messages("error") == []


def test_an_availability_that_fails_refuses_with_its_error() -> None:
    stage = Stage(broken={"third.is_available": KeyError("map")})
    built = robot(stage)
    verdict = ask(built, "third")
    assert not verdict.ok
    assert "is_available() failed: " in verdict.reason and "actors.py" in verdict.reason
    assert verdict.reason.endswith("KeyError: 'map'")
    assert built.state == "idle"
    assert len(built.messages("error")) == 1


def test_force_enters_a_state_that_says_no() -> None:
    built = robot(Stage(closed={"third"}))
    assert ask(built, "third", force=True).ok
    assert built.state == "third"


def test_force_skips_nothing_else() -> None:
    stage = Stage(broken={"third.on_prepare": OSError("no file")})
    built = robot(stage)
    assert not ask(built, "nowhere", force=True).ok
    assert not ask(built, "plain", "blend", force=True).ok
    assert not ask(built, "third", delay=-1.0, force=True).ok
    ask(built, "third", force=True)
    built.ticks(3)
    assert built.state == "idle"


def test_a_delay_counts_from_the_next_tick() -> None:
    stage = Stage()
    built = robot(stage)
    stage.does["idle.on_update"] = once(lambda ctx: ctx.request_state("third", trigger="later", delay=0.04))
    built.tick()
    states = []
    for _ in range(3):
        built.tick()
        states.append(built.state)
    assert states == ["idle", "idle", "third"]


@pytest.mark.parametrize("delay", [0.0, 0.1])
def test_a_state_that_asks_in_every_tick_gets_its_switch_once_and_in_time(delay: float) -> None:
    stage = Stage(
        does={"idle.on_update": lambda ctx: ctx.request_state("third", trigger="again", delay=delay)}
    )
    built = robot(stage)
    ticks = 0
    while built.state == "idle":
        built.tick()
        ticks += 1
        assert ticks < 20
    assert ticks == 1 + round(delay / 0.02)
    assert stage.diary.count("third.on_prepare from idle") == 1
    assert not [message for message in built.messages("info") if "ignored" in message]


def test_of_two_wishes_the_later_one_counts() -> None:
    def both(ctx: StateContext) -> None:
        assert ctx.request_state("goal", trigger="first")
        assert ctx.request_state("third", trigger="second")

    built = robot(Stage(does={"idle.on_update": once(both)}))
    built.tick()
    assert built.state == "third"
    ignored = built.engine.snapshot().ignored
    assert ignored is not None
    assert (ignored.name, ignored.reason) == ("first", "replaced by the switch to 'test.mod/third'")


def test_a_state_may_ask_while_it_is_entered() -> None:
    stage = Stage(does={"third.on_enter": once(lambda ctx: ctx.request_state("goal", trigger="on"))})
    built = robot(stage)
    ask(built, "third")
    assert built.state == "third"
    built.tick()
    assert built.state == "goal"


def test_a_request_for_what_is_under_way_does_not_start_it_anew() -> None:
    built = robot(Stage())
    for _ in range(3):
        assert ask(built, "goal").ok
    assert built.state == "goal"


def test_a_request_for_the_state_in_control_calls_a_switch_off() -> None:
    stage = Stage()
    built = robot(stage)
    ask(built, "goal", "slow")
    built.ticks(2)
    stage.take()
    assert ask(built, "idle", "instant").ok
    assert built.state == "idle" and built.engine.snapshot().transition is None
    assert stage.take() == ["idle.is_available", "goal.on_prepare_cancel"]


@pytest.mark.parametrize("trigger", ["fault", "request", "after 1.0 s", ""])
def test_a_trigger_is_free_text(trigger: str) -> None:
    stage = Stage()
    built = robot(stage)
    stage.does["idle.on_update"] = once(lambda ctx: ctx.request_state("third", trigger=trigger, delay=0.02))
    stage.broken["third.on_enter"] = RuntimeError("stuck")
    built.ticks(4)
    # A failed entry on any trigger leads to the fault state, not to the passive frame.
    assert built.state == "idle" and built.engine.snapshot().passive is None


def test_while_a_stop_holds_every_wish_is_refused_until_resumed() -> None:
    built = robot(Stage())
    assert post(built, lambda reply: Resume(reply)) == Verdict(False, "no stop holds")
    assert post(built, lambda reply: Stop("button", reply)) == Verdict(True, "all joints held")
    assert ask(built, "goal") == Verdict(False, "a stop holds; resume first")
    assert post(built, lambda reply: Resume(reply)) == Verdict(True)
    assert ask(built, "goal").ok


def test_a_reply_that_hands_in_the_next_wish_is_answered_in_the_next_tick() -> None:
    built = robot(Stage())
    seen: list[Verdict] = []

    def again(verdict: Verdict) -> None:
        seen.append(verdict)
        built.engine.post(AskState("nowhere", "test", reply=again))

    built.engine.post(AskState("nowhere", "test", reply=again))
    built.ticks(3)
    assert len(seen) == 3


@pytest.mark.parametrize("words", [{"trigger": 7}, {"trigger": None}, {"trigger": {"a": math.nan}}])
def test_a_trigger_that_is_no_text_fails_the_state_that_gives_it(words: dict[str, Any]) -> None:
    stage = Stage(does={"idle.on_update": lambda ctx: ctx.request_state("goal", delay=9.0, **words)})
    built = rig(stage.actors(idle=0.0, goal=0.5, safe=0.1), fault="safe")
    built.ticks(3)
    assert built.state == "safe"
    kind = type(words["trigger"]).__name__
    assert f"request_state() takes the trigger as text, not {kind}" in built.messages("error")[0]
    json.dumps(built.engine.snapshot().as_dict(), allow_nan=False)
