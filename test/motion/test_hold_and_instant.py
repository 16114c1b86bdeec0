"""`instant` and `hold`, tick by tick."""

from __future__ import annotations

import pytest
from machine.actors import Row, bare, drift, fixed
from machine.rigs import rig, route
from motion.crossing import crossing, go, values

NEAR, FAR = fixed(near=Row(0.25, torque=4.0))["near"], fixed(far=Row(1.0, kp=50.0, kd=1.0, vel=0.5))["far"]


def test_instant_emits_the_entry_frame_in_the_tick_of_the_event() -> None:
    crossed = crossing(NEAR, drift(1.0, speed=5.0), {"type": "instant"})
    frames = go(crossed, 2)
    assert crossed.state == "goal"
    # The entry frame is that of time 0; the first update, a tick later, is that of 0.02 s.
    assert values(frames, "qpos") == pytest.approx([1.0, 1.1])
    assert values(frames, "torque") == [0.0, 0.0]


def test_instant_to_a_state_without_an_entry_frame_emits_its_first_update() -> None:
    crossed = crossing(NEAR, bare(0.75), {"type": "instant"})
    assert values(go(crossed, 1), "qpos") == [0.75]
    assert crossed.state == "goal"


def test_hold_repeats_all_five_fields_of_the_last_frame() -> None:
    # 0.06 s are three periods: progress 0, 1/3, 2/3 and 1, so four frames are held.
    crossed = crossing(NEAR, FAR, {"type": "hold", "duration": 0.06})
    frames = go(crossed, 6)
    assert values(frames, "qpos") == [0.25, 0.25, 0.25, 0.25, 1.0, 1.0]
    assert values(frames, "torque") == [4.0, 4.0, 4.0, 4.0, 0.0, 0.0]
    assert values(frames, "kp") == [100.0, 100.0, 100.0, 100.0, 50.0, 50.0]
    assert values(frames, "kd") == [2.0, 2.0, 2.0, 2.0, 1.0, 1.0]
    assert values(frames, "vel") == [0.0, 0.0, 0.0, 0.0, 0.5, 0.5]


def test_hold_stands_still_where_the_source_would_have_moved_on() -> None:
    # One update of 0.02 s at 5 rad/s has brought the source to 0.1.
    crossed = crossing(drift(0.0, speed=5.0), FAR, {"type": "hold", "duration": 0.04})
    assert values(go(crossed, 4), "qpos") == pytest.approx([0.1, 0.1, 0.1, 1.0])


@pytest.mark.parametrize("duration", [0.0, 1e-12])
@pytest.mark.parametrize("kind", ["hold", "entry_gain_ramp", "running_blend"])
def test_a_transition_without_duration_completes_in_the_tick_in_which_it_begins(
    kind: str, duration: float
) -> None:
    crossed = crossing(NEAR, FAR, {"type": kind, "duration": duration})
    crossed.press("btn_1")
    frame = crossed.tick()
    assert crossed.state == "goal"
    assert crossed.engine.snapshot().transition is None
    assert values([frame], "qpos") == [0.25 if kind == "hold" else 1.0]


@pytest.mark.parametrize(
    ("duration", "progress"),
    [
        (0.02, [0.0, 1.0]),
        (0.03, [0.0, 2 / 3, 1.0]),
        (0.05, [0.0, 0.4, 0.8, 1.0]),
        (0.08, [0.0, 0.25, 0.5, 0.75, 1.0]),
        (0.3, [k / 15 for k in range(16)]),
        (0.7, [k / 35 for k in range(36)]),
    ],
)
def test_tick_k_has_progress_k_dt_over_duration_and_never_more_than_one(
    duration: float, progress: list[float]
) -> None:
    crossed = crossing(NEAR, FAR, {"type": "running_blend", "duration": duration, "curve": "linear"})
    crossed.press("btn_1")
    seen = []
    for expected in progress:
        torque = values([crossed.tick()], "torque")[0]
        seen.append((4.0 - torque) / 4.0)  # linear from 4 to 0
        view = crossed.engine.snapshot().transition
        assert (view is None) == (expected == 1.0)
        if view is not None:
            assert view.progress == pytest.approx(expected)
    assert seen == pytest.approx(progress, abs=1e-6)
    assert crossed.state == "goal"


def test_skipped_cycles_count_as_time_that_has_passed() -> None:
    crossed = crossing(NEAR, FAR, {"type": "running_blend", "duration": 0.1, "curve": "linear"})
    crossed.press("btn_1")
    # The first tick is progress 0 whatever came before it; then 1, 1 + 3 and 1 + 3 + 4 of 5 cycles.
    torques = [values([crossed.tick(cycles)], "torque")[0] for cycles in (7, 1, 3, 4)]
    assert torques == pytest.approx([4.0, 3.2, 0.8, 0.0])
    assert crossed.state == "goal"


def test_a_period_of_a_millisecond_has_the_same_arithmetic() -> None:
    crossed = crossing(
        NEAR, FAR, {"type": "running_blend", "duration": 0.004, "curve": "linear"}, period=0.001
    )
    assert values(go(crossed, 5), "torque") == pytest.approx([4.0, 3.0, 2.0, 1.0, 0.0])
    assert crossed.state == "goal"


def test_the_default_transition_is_used_where_a_route_names_none() -> None:
    built = rig(
        {"idle": NEAR, "goal": FAR}, routes=[route("idle", "go", "goal")], events={"go": ("btn_1", 1)}
    )
    built.tick()
    built.press("btn_1")
    assert values([built.tick()], "qpos") == [1.0]
