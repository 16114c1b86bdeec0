"""A transition that is replaced or called off on its way: the next one starts from the last emitted frame."""

from __future__ import annotations

import pytest
from machine.actors import Row, drift, fixed
from machine.rigs import Rig, rig, route
from motion.crossing import values

BLEND = {"type": "running_blend", "duration": 0.08, "curve": "linear"}
POSES = fixed(idle=Row(0.0, torque=8.0), left=Row(1.0), right=Row(-1.0, kp=20.0))


def crossroads(**motions: dict[str, object]) -> Rig:
    """`idle` with ways to `left` and `right`, each with a way back; one tick has passed."""
    built = rig(
        POSES,
        routes=[
            route("idle", "go_left", "left", motions.get("left", BLEND)),
            route("idle", "go_right", "right", motions.get("right", BLEND)),
            route("left", "home", "idle", motions.get("home", BLEND)),
            route("right", "home", "idle", BLEND),
        ],
        events={"go_left": ("btn_1", 1), "go_right": ("btn_2", 1), "home": ("btn_3", 1)},
    )
    built.tick()
    return built


def test_a_replacing_transition_starts_from_the_last_frame_in_all_fields() -> None:
    built = crossroads()
    built.press("btn_1")
    frames = built.ticks(3)  # 0, 1/4 and 1/2 of the way to 1.0
    built.press("btn_2")
    frames += built.ticks(5)
    # From 0.5 to -1.0 in four steps of 3/8; no jump in between.
    assert values(frames, "qpos") == pytest.approx([0.0, 0.25, 0.5, 0.5, 0.125, -0.25, -0.625, -1.0])
    # Torque from 8 half way to 0 is 4; stiffness was 100 at both ends and now goes to 20.
    assert values(frames, "torque") == pytest.approx([8.0, 6.0, 4.0, 4.0, 3.0, 2.0, 1.0, 0.0])
    assert values(frames, "kp") == pytest.approx([100.0, 100.0, 100.0, 100.0, 80.0, 60.0, 40.0, 20.0])
    assert built.state == "right"


def test_a_replaced_gain_ramp_goes_on_from_the_gains_that_it_had_reached() -> None:
    ramp = {"type": "entry_gain_ramp", "duration": 0.08, "kp_from": "zero"}
    built = crossroads(left=ramp, right={**ramp, "kp_from": "current"})
    built.press("btn_1")
    frames = built.ticks(3)
    built.press("btn_2")
    frames += built.ticks(3)
    # To 100 from 0: 0, 25, 50. To 20 from 50: 50, 42.5, 35.
    assert values(frames, "kp") == pytest.approx([0.0, 25.0, 50.0, 50.0, 42.5, 35.0])


def test_the_targets_way_back_to_the_source_calls_the_switch_off() -> None:
    built = crossroads()
    built.press("btn_1")
    frames = built.ticks(3)
    built.press("btn_3")
    frames += built.ticks(5)
    # From 0.5 back to 0 in four steps of 1/8.
    assert values(frames, "qpos") == pytest.approx([0.0, 0.25, 0.5, 0.5, 0.375, 0.25, 0.125, 0.0])
    assert built.state == "idle"
    assert built.engine.snapshot().transition is None


def test_a_switch_may_be_called_off_and_on_again() -> None:
    built = crossroads()
    seen = []
    for button, ticks in (("btn_1", 3), ("btn_3", 3), ("btn_1", 5)):
        built.press(button)
        seen += values(built.ticks(ticks), "qpos")
        built.press(button, 0)
    # To 0.5; back to 0.25 (half of the way to 0); from there to 1.0 in four steps of 3/16.
    assert seen == pytest.approx([0.0, 0.25, 0.5, 0.5, 0.375, 0.25, 0.25, 0.4375, 0.625, 0.8125, 1.0])
    assert built.state == "left"


def test_the_same_event_again_does_not_start_the_transition_anew() -> None:
    built = crossroads()
    built.press("btn_1")
    frames = built.ticks(2)
    built.press("btn_1", 0)
    frames += built.ticks(1)
    built.press("btn_1")
    frames += built.ticks(2)
    assert values(frames, "qpos") == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])
    ignored = built.engine.snapshot().ignored
    assert ignored is not None and ignored.reason == "already on the way to 'test.mod/left'"


def test_another_way_to_the_same_target_replaces_the_one_under_way() -> None:
    built = rig(
        POSES,
        routes=[
            route("idle", "slowly", "left", BLEND),
            route("idle", "at_once", "left", "instant"),
        ],
        events={"slowly": ("btn_1", 1), "at_once": ("btn_2", 1)},
    )
    built.tick()
    built.press("btn_1")
    frames = built.ticks(2)
    built.press("btn_2")
    frames += built.ticks(1)
    assert values(frames, "qpos") == pytest.approx([0.0, 0.25, 1.0])
    assert built.state == "left"


@pytest.mark.parametrize("cycles", [1, 2])
def test_a_source_is_not_sampled_once_its_transition_was_replaced(cycles: int) -> None:
    built = rig(
        {"idle": drift(0.0, speed=5.0), **{name: POSES[name] for name in ("left", "right")}},
        routes=[route("idle", "go_left", "left", BLEND), route("idle", "go_right", "right", BLEND)],
        events={"go_left": ("btn_1", 1), "go_right": ("btn_2", 1)},
    )
    built.tick()
    built.press("btn_1")
    before = values([built.tick()], "qpos")[0]
    built.press("btn_2")
    after = values([built.tick(cycles)], "qpos")[0]
    assert before == after == pytest.approx(0.2)  # two ticks at 5 rad/s, then the frame stands


def test_a_transition_to_the_state_itself_starts_from_its_last_frame() -> None:
    built = rig(
        {"idle": drift(0.0, speed=5.0)},
        routes=[route("idle", "again", "idle", {**BLEND, "duration": 0.04})],
        events={"again": ("btn_1", 1)},
    )
    frames = built.ticks(2)  # 0.1, 0.2
    built.press("btn_1")
    frames += built.ticks(4)  # from 0.2 to the entry at 0.0, then on from there
    assert values(frames, "qpos") == pytest.approx([0.1, 0.2, 0.2, 0.1, 0.0, 0.1])
