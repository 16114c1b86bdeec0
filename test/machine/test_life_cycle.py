"""Which hooks of which states are called, in which order, in every kind of switch."""

from __future__ import annotations

import pytest
from machine.actors import Stage
from machine.rigs import Rig, rig, route

from bxi_framework.machine.requests import AskState, Stop

HOLD = {"type": "hold", "duration": 0.04}
EVENTS = {"go": ("btn_1", 1), "other": ("btn_2", 1), "back": ("btn_3", 1), "again": ("btn_4", 1)}


def three_states(stage: Stage, **options: object) -> Rig:
    """`idle` with ways to `goal` and `third`; one tick has passed and the diary is empty."""
    built = rig(
        stage.actors(idle=0.0, goal=0.5, third=-0.5),
        routes=[
            route("idle", "go", "goal", HOLD),
            route("idle", "other", "third", HOLD),
            route("idle", "again", "idle", HOLD),
            route("goal", "back", "idle", HOLD),
        ],
        events=EVENTS,
        **options,  # type: ignore[arg-type]
    )
    built.tick()
    stage.take()
    return built


def updates(built: Rig) -> dict[str, int]:
    """How often each state was updated."""
    nodes = built.engine.graph.states.values()
    return {node.state.short: node.state.updates for node in nodes}  # type: ignore[attr-defined]


def test_the_initial_state_is_entered_and_updated_in_the_first_tick() -> None:
    stage = Stage()
    built = rig(stage.actors(idle=0.25, goal=0.5))
    assert stage.diary == []
    assert built.tick().qpos[0] == 0.25
    assert stage.take() == ["idle.on_enter"]
    assert updates(built) == {"idle": 1, "goal": 0}


def test_every_state_is_bound_in_order_and_unbound_in_reverse() -> None:
    stage = Stage()
    built = rig(stage.actors(idle=0.0, goal=0.5, third=0.0))
    assert built.engine.bind() == []
    # No switch leads to the initial state, so it gets ready here.
    assert stage.take() == ["idle.on_bind", "goal.on_bind", "third.on_bind", "idle.on_prepare from idle"]
    built.tick()
    stage.take()
    built.engine.unbind()
    assert stage.take() == ["third.on_unbind", "goal.on_unbind", "idle.on_unbind"]


@pytest.mark.parametrize("hook", ["goal.on_bind", "idle.on_prepare"])
def test_a_state_that_cannot_be_bound_is_named_and_the_others_are_bound_all_the_same(hook: str) -> None:
    stage = Stage(broken={hook: OSError("no device"), "third.on_unbind": SystemExit(3)})
    built = rig(stage.actors(idle=0.0, goal=0.5, third=0.0))
    (fault,) = built.engine.bind()
    state, _, method = hook.partition(".")
    assert fault.owner == f"test.mod/{state}"
    assert f"{method}() failed: " in fault.reason and "OSError: no device" in fault.reason
    assert stage.take()[:3] == ["idle.on_bind", "goal.on_bind", "third.on_bind"]
    built.engine.unbind()
    assert stage.take() == ["third.on_unbind", "goal.on_unbind", "idle.on_unbind"]
    assert "on_unbind() failed" in built.messages("error")[0]


def test_a_plain_switch() -> None:
    stage = Stage()
    built = three_states(stage)
    built.press("btn_1")
    built.tick()
    assert stage.take() == ["goal.is_available", "goal.on_prepare from idle"]
    built.tick()
    assert stage.take() == []
    built.tick()
    assert stage.take() == ["idle.on_exit", "goal.on_enter"]
    # One update before the switch; none of either side in the three ticks of the transition.
    assert updates(built) == {"idle": 1, "goal": 0, "third": 0}
    built.tick()
    assert stage.take() == []
    assert updates(built) == {"idle": 1, "goal": 1, "third": 0}


def test_a_switch_that_is_replaced_gives_its_target_a_cancel_and_never_an_exit() -> None:
    stage = Stage()
    built = three_states(stage)
    built.press("btn_1")
    built.ticks(2)
    stage.take()
    built.press("btn_2")
    built.ticks(3)
    assert stage.take() == [
        "third.is_available",
        "third.on_prepare from idle",
        "goal.on_prepare_cancel",
        "idle.on_exit",
        "third.on_enter",
    ]
    assert updates(built) == {"idle": 1, "goal": 0, "third": 0}


def test_a_switch_that_is_called_off_leaves_the_source_in_control_without_exit_or_entry() -> None:
    stage = Stage()
    built = three_states(stage)
    built.press("btn_1")
    built.ticks(2)
    stage.take()
    built.press("btn_3")
    built.ticks(3)
    assert stage.take() == ["goal.on_prepare_cancel"]
    assert built.state == "idle"
    built.tick()
    assert stage.take() == []
    assert updates(built)["idle"] == 2


def test_a_state_that_leads_to_itself_is_left_and_entered() -> None:
    stage = Stage()
    built = three_states(stage)
    built.press("btn_4")
    built.ticks(3)
    assert stage.take() == [
        "idle.is_available",
        "idle.on_prepare from idle",
        "idle.on_exit",
        "idle.on_enter",
    ]


def test_a_switch_that_fails_in_its_transition_gives_its_target_a_cancel() -> None:
    stage = Stage(broken={"goal.sample_running_frame": ValueError("no map")})
    built = rig(
        stage.actors(idle=0.0, goal=0.5, safe=0.0),
        routes=[route("idle", "go", "goal", {"type": "running_blend", "duration": 0.04})],
        events={"go": ("btn_1", 1)},
        fault="safe",
    )
    built.tick()
    stage.take()
    built.press("btn_1")
    built.ticks(2)
    assert stage.take() == [
        "goal.is_available",
        "goal.on_prepare from idle",
        "goal.on_prepare_cancel",
        "idle.on_exit",
        "safe.on_enter",
    ]


def test_a_stop_during_a_switch_leaves_the_source_for_the_stop_state_at_once() -> None:
    stage = Stage()
    built = three_states(stage, stop="third")
    built.press("btn_1")
    built.ticks(2)
    stage.take()
    built.engine.post(Stop("button"))
    built.tick()
    # Neither asked nor prepared: a stop cannot wait.
    assert stage.take() == ["goal.on_prepare_cancel", "idle.on_exit", "third.on_enter"]
    assert updates(built) == {"idle": 1, "goal": 0, "third": 1}


def test_a_stop_in_a_state_leaves_it_for_the_stop_state_at_once() -> None:
    stage = Stage()
    built = three_states(stage, stop="third")
    built.engine.post(Stop("button"))
    built.tick()
    assert stage.take() == ["idle.on_exit", "third.on_enter"]


def test_a_state_that_fails_is_left_for_the_fault_state() -> None:
    stage = Stage()
    built = three_states(stage, fault="third")
    stage.broken["idle.on_update"] = RuntimeError("lost")
    built.ticks(2)
    assert stage.take() == ["idle.on_exit", "third.on_enter"]


def test_an_instant_switch_calls_all_hooks_in_one_tick() -> None:
    stage = Stage()
    built = three_states(stage)
    built.engine.post(AskState("goal", "test", transition="instant"))
    built.tick()
    # The entry frame of the tick of the switch is no update.
    assert stage.take() == [
        "goal.is_available",
        "goal.on_prepare from idle",
        "idle.on_exit",
        "goal.on_enter",
    ]
    assert updates(built) == {"idle": 1, "goal": 0, "third": 0}


@pytest.mark.parametrize("force", [False, True])
def test_force_skips_the_question_and_nothing_else(force: bool) -> None:
    stage = Stage(closed={"goal"})
    built = three_states(stage)
    built.engine.post(AskState("goal", "test", force=force))
    built.ticks(3)
    asked = ["goal.is_available"]
    entered = ["goal.on_prepare from idle", "idle.on_exit", "goal.on_enter"]
    assert stage.take() == (entered if force else asked)


def test_the_context_says_who_is_in_control() -> None:
    seen = []
    stage = Stage()
    for key in ("goal.is_available", "idle.on_exit", "goal.on_enter", "goal.on_update"):
        stage.does[key] = lambda ctx, key=key: seen.append((key, ctx.current.short))
    built = three_states(stage)
    built.press("btn_1")
    built.ticks(4)
    assert seen == [
        ("goal.is_available", "idle"),
        ("idle.on_exit", "idle"),
        ("goal.on_enter", "goal"),
        ("goal.on_update", "goal"),
    ]


@pytest.mark.parametrize(("cycles", "dt"), [(1, 0.02), (3, 0.06)])
def test_updates_are_told_the_time_since_the_last_tick(cycles: int, dt: float) -> None:
    seen: list[tuple[float, int]] = []
    stage = Stage(does={"idle.on_update": lambda ctx: seen.append((ctx.dt, ctx.loop_count))})
    built = rig(stage.actors(idle=0.0))
    built.tick(cycles)
    built.tick(cycles)
    assert seen == [(pytest.approx(dt), 1), (pytest.approx(dt), 2)]
