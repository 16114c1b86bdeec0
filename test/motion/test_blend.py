"""`running_blend`: every field of both states mixed, each side sampled or still, its time moving or not."""

from __future__ import annotations

import pytest
from machine.actors import Row, bare, drift, fixed
from machine.rigs import rig, route
from motion.crossing import crossing, go, values

from bxi_framework.mod_api.definition import StateFactory

SOURCE = fixed(s=Row(0.2, kp=40.0, kd=4.0, vel=1.0, torque=8.0))["s"]
TARGET = fixed(t=Row(1.0, kp=200.0, kd=12.0, vel=-1.0, torque=-8.0))["t"]

# Weights at progress 0, 1/4, 1/2, 3/4, 1; see test_curves.
WEIGHTS = {
    "linear": [0.0, 0.25, 0.5, 0.75, 1.0],
    "smoothstep": [0.0, 0.15625, 0.5, 0.84375, 1.0],
    "smootherstep": [0.0, 0.103515625, 0.5, 0.896484375, 1.0],
}


@pytest.mark.parametrize("curve", list(WEIGHTS))
def test_all_five_fields_follow_the_curve_from_one_state_to_the_other(curve: str) -> None:
    crossed = crossing(SOURCE, TARGET, {"type": "running_blend", "duration": 0.08, "curve": curve})
    frames = go(crossed, 5)
    weights = WEIGHTS[curve]
    assert values(frames, "qpos") == pytest.approx([0.2 + 0.8 * w for w in weights])
    assert values(frames, "kp") == pytest.approx([40.0 + 160.0 * w for w in weights])
    assert values(frames, "kd") == pytest.approx([4.0 + 8.0 * w for w in weights])
    assert values(frames, "vel") == pytest.approx([1.0 - 2.0 * w for w in weights])
    assert values(frames, "torque") == pytest.approx([8.0 - 16.0 * w for w in weights])
    assert crossed.state == "goal"


def test_both_ends_are_met_to_the_bit() -> None:
    crossed = crossing(SOURCE, TARGET, {"type": "running_blend", "duration": 0.06})
    before = crossed.tick().data.tobytes()
    frames = go(crossed, 5)
    assert frames[0].data.tobytes() == before
    assert frames[3].data.tobytes() == frames[4].data.tobytes()


# Source 0 + 1.5 t, target 1 + 3 t. The source has been updated once, so its time is 0.02 s; then come four
# ticks with progress 0, 1/3, 2/3 and 1, and the target's first update of its own.
# sample_from, advance_from: where the source stands in the ticks of the transition.
FROM = {
    (True, True): [0.06, 0.09, 0.12, 0.15],
    (True, False): [0.03, 0.03, 0.03, 0.03],
    (False, True): [0.03, 0.03, 0.03, 0.03],
    (False, False): [0.03, 0.03, 0.03, 0.03],
}
# sample_to, advance_to: where the target stands, and its first update of its own.
TO = {
    (True, True): [1.06, 1.12, 1.18, 1.24, 1.30],
    (True, False): [1.0, 1.0, 1.0, 1.0, 1.06],
    (False, True): [1.0, 1.0, 1.0, 1.0, 1.06],
    (False, False): [1.0, 1.0, 1.0, 1.0, 1.06],
}


@pytest.mark.parametrize(("sample_from", "advance_from"), list(FROM))
@pytest.mark.parametrize(("sample_to", "advance_to"), list(TO))
def test_a_side_is_sampled_or_still_and_its_time_moves_or_not(
    sample_from: bool, advance_from: bool, sample_to: bool, advance_to: bool
) -> None:
    motion = {
        "type": "running_blend",
        "duration": 0.06,
        "curve": "linear",
        "sample_from": sample_from,
        "advance_from": advance_from,
        "sample_to": sample_to,
        "advance_to": advance_to,
    }
    frames = go(crossing(drift(0.0, speed=1.5), drift(1.0, speed=3.0), motion), 5)
    start, end = FROM[sample_from, advance_from], TO[sample_to, advance_to]
    mixed = [start[k] + (end[k] - start[k]) * k / 3 for k in range(4)]
    assert values(frames, "qpos") == pytest.approx([*mixed, end[4]], abs=1e-6)


@pytest.mark.parametrize(("advance", "expected"), [(True, [0.06, 0.15]), (False, [0.03, 0.03])])
def test_skipped_cycles_move_the_own_time_of_a_side_by_as_much(advance: bool, expected: list[float]) -> None:
    # 1.5 rad/s, one cycle in the first tick, three in the second; the target's weight is still nearly 0.
    motion = {"type": "running_blend", "duration": 2000.0, "curve": "linear", "advance_from": advance}
    crossed = crossing(drift(0.0, speed=1.5), fixed(t=Row(1.0))["t"], motion)
    crossed.press("btn_1")
    seen = [values([crossed.tick(cycles)], "qpos")[0] for cycles in (1, 3)]
    assert seen == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("source", "target", "options", "missing"),
    [
        (bare(), TARGET, {}, r"idle' \(sample_from: true\), but Bare has no sample_running_frame"),
        (SOURCE, bare(), {}, r"goal' \(sample_to: true\), but Bare has no sample_running_frame"),
        (SOURCE, bare(), {"sample_to": False}, r"goal', but Bare has no get_entry_frame"),
    ],
)
def test_a_state_that_cannot_take_part_is_refused_by_name(
    source: StateFactory, target: StateFactory, options: dict[str, object], missing: str
) -> None:
    motion = {"type": "running_blend", "duration": 1.0, **options}
    with pytest.raises(AssertionError, match=missing):
        rig(
            {"idle": source, "goal": target},
            routes=[route("idle", "go", "goal", motion)],
            events={"go": ("btn_1", 1)},
        )


def test_a_source_that_is_not_sampled_needs_no_running_frame() -> None:
    motion = {"type": "running_blend", "duration": 0.04, "curve": "linear", "sample_from": False}
    crossed = crossing(bare(0.5), fixed(t=Row(1.0))["t"], motion)
    assert values(go(crossed, 3), "qpos") == pytest.approx([0.5, 0.75, 1.0])
