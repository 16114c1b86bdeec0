"""`entry_gain_ramp`: the target's position, velocity and torque at once, its gains linearly."""

from __future__ import annotations

import pytest
from machine.actors import Row, bare, drift, fixed
from machine.rigs import rig, route
from motion.crossing import crossing, go, values

SOURCE = fixed(s=Row(0.25, kp=40.0, kd=4.0, vel=1.0, torque=7.0))["s"]
TARGET = fixed(t=Row(0.75, kp=200.0, kd=12.0, vel=-0.5, torque=-3.0))["t"]

# 0.08 s are four periods: progress 0, 1/4, 1/2, 3/4 and 1.
KP = {
    "current": [40.0, 80.0, 120.0, 160.0, 200.0],
    "zero": [0.0, 50.0, 100.0, 150.0, 200.0],
    "target": [200.0, 200.0, 200.0, 200.0, 200.0],
}
KD = {
    "current": [4.0, 6.0, 8.0, 10.0, 12.0],
    "zero": [0.0, 3.0, 6.0, 9.0, 12.0],
    "target": [12.0, 12.0, 12.0, 12.0, 12.0],
}


@pytest.mark.parametrize("kp_from", list(KP))
@pytest.mark.parametrize("kd_from", list(KD))
def test_gains_grow_from_each_origin_while_the_rest_is_the_targets_at_once(
    kp_from: str, kd_from: str
) -> None:
    motion = {"type": "entry_gain_ramp", "duration": 0.08, "kp_from": kp_from, "kd_from": kd_from}
    crossed = crossing(SOURCE, TARGET, motion)
    frames = go(crossed, 5)
    assert values(frames, "kp") == pytest.approx(KP[kp_from])
    assert values(frames, "kd") == pytest.approx(KD[kd_from])
    assert values(frames, "qpos") == [0.75] * 5
    assert values(frames, "vel") == [-0.5] * 5
    assert values(frames, "torque") == [-3.0] * 5
    assert crossed.state == "goal"


def test_by_default_stiffness_starts_at_the_last_frame_and_damping_at_the_target() -> None:
    frames = go(crossing(SOURCE, TARGET, {"type": "entry_gain_ramp", "duration": 0.04}), 3)
    assert values(frames, "kp") == pytest.approx([40.0, 120.0, 200.0])
    assert values(frames, "kd") == pytest.approx([12.0, 12.0, 12.0])


def test_gains_may_shrink_as_well() -> None:
    motion = {"type": "entry_gain_ramp", "duration": 0.04, "kd_from": "current"}
    frames = go(crossing(TARGET, SOURCE, motion), 3)
    assert values(frames, "kp") == pytest.approx([200.0, 120.0, 40.0])
    assert values(frames, "kd") == pytest.approx([12.0, 8.0, 4.0])


def test_the_targets_time_begins_after_the_ramp() -> None:
    # Entry at 0.5 rad; 2 rad/s move it by 0.04 rad in the first tick of its own.
    frames = go(crossing(SOURCE, drift(0.5, speed=2.0), {"type": "entry_gain_ramp", "duration": 0.04}), 4)
    assert values(frames, "qpos") == pytest.approx([0.5, 0.5, 0.5, 0.54])


def test_a_target_without_an_entry_frame_is_refused_by_name() -> None:
    with pytest.raises(
        AssertionError, match=r"idle -> test\.mod/goal: entry_gain_ramp .* has no get_entry_frame"
    ):
        rig(
            {"idle": SOURCE, "goal": bare()},
            routes=[route("idle", "go", "goal", {"type": "entry_gain_ramp", "duration": 1.0})],
            events={"go": ("btn_1", 1)},
        )
