"""`sequence`: steps on one time line, each from where the one before ended."""

from __future__ import annotations

import pytest
from machine.actors import Row, bare, drift, fixed
from machine.rigs import rig, route
from motion.crossing import crossing, go, values

from bxi_framework.motion import TransitionTypes

SOURCE = fixed(s=Row(0.2, kp=40.0, kd=4.0))["s"]
TARGET = fixed(t=Row(1.0, kp=200.0, kd=12.0))["t"]


def hold(duration: float) -> dict[str, object]:
    return {"type": "hold", "duration": duration}


def blend(duration: float, **options: object) -> dict[str, object]:
    return {"type": "running_blend", "duration": duration, "curve": "linear", **options}


def ramp(duration: float, kp_from: str = "zero") -> dict[str, object]:
    return {"type": "entry_gain_ramp", "duration": duration, "kp_from": kp_from}


def sequence(*steps: dict[str, object]) -> dict[str, object]:
    return {"type": "sequence", "steps": list(steps)}


def test_the_next_step_begins_with_progress_0_in_the_tick_in_which_one_ends() -> None:
    # 0.02 s of hold are two ticks, but the second one is the ramp's first.
    crossed = crossing(SOURCE, TARGET, sequence(hold(0.02), ramp(0.08)))
    frames = go(crossed, 7)
    assert values(frames, "qpos") == pytest.approx([0.2, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    assert values(frames, "kp") == pytest.approx([40.0, 0.0, 50.0, 100.0, 150.0, 200.0, 200.0])
    assert crossed.state == "goal"


def test_a_duration_is_that_of_all_steps() -> None:
    built = TransitionTypes().build(sequence(hold(0.25), blend(0.5), ramp(0.25)), "t")
    assert built.duration == 1.0


def test_steps_of_unequal_length_keep_their_own_time() -> None:
    # At 0, 0.02, …, 0.10 s: hold until 0.03 s, a blend of 0.05 s that ends at 0.08 s, hold until 0.10 s.
    # Progress of the blend: (0.04 - 0.03) / 0.05 = 1/5, then 3/5; 0.2 + 0.8/5 = 0.36, 0.2 + 0.8 * 3/5 = 0.68.
    frames = go(crossing(SOURCE, TARGET, sequence(hold(0.03), blend(0.05), hold(0.02))), 6)
    assert values(frames, "qpos") == pytest.approx([0.2, 0.2, 0.36, 0.68, 1.0, 1.0])


def test_a_step_begins_where_the_one_before_ended() -> None:
    # A blend to the entry frame, then a blend that starts there: nothing is left to move.
    frames = go(crossing(SOURCE, TARGET, sequence(blend(0.04), blend(0.04))), 5)
    assert values(frames, "qpos") == pytest.approx([0.2, 0.6, 1.0, 1.0, 1.0])


def test_after_its_first_step_the_source_is_frozen() -> None:
    # The source moves 0.03 rad a tick, but the second step starts from the frame that was held.
    motion = sequence(hold(0.04), blend(0.04))
    frames = go(crossing(drift(0.0, speed=1.5), TARGET, motion), 5)
    assert values(frames, "qpos") == pytest.approx([0.03, 0.03, 0.03, 0.515, 1.0])


def test_in_its_first_step_the_source_is_sampled() -> None:
    # 0.03 rad a tick from 0.03; weights 0, 1/2, 1: 0.06, (0.09 + 1) / 2, 1.
    frames = go(crossing(drift(0.0, speed=1.5), TARGET, sequence(blend(0.04), hold(0.02))), 4)
    assert values(frames, "qpos") == pytest.approx([0.06, 0.545, 1.0, 1.0])


@pytest.mark.parametrize(
    "steps",
    [
        (hold(0.0), blend(0.04)),
        (hold(0.0), hold(0.0), blend(0.04)),
        (blend(0.04), hold(0.0)),
        (hold(0.0), blend(0.04), hold(0.0), hold(0.0)),
        (blend(0.04), {"type": "instant"}),
    ],
)
def test_steps_without_length_take_no_time(steps: tuple[dict[str, object], ...]) -> None:
    crossed = crossing(SOURCE, TARGET, sequence(*steps))
    assert values(go(crossed, 3), "qpos") == pytest.approx([0.2, 0.6, 1.0])
    assert crossed.state == "goal"


def test_a_leading_instant_moves_the_start_to_the_entry_frame() -> None:
    crossed = crossing(SOURCE, TARGET, sequence({"type": "instant"}, ramp(0.04, "current")))
    assert values(go(crossed, 3), "kp") == pytest.approx([200.0, 200.0, 200.0])


def test_a_sequence_without_any_length_completes_at_once() -> None:
    crossed = crossing(SOURCE, TARGET, sequence(hold(0.0), {"type": "instant"}))
    assert values(go(crossed, 1), "qpos") == [1.0]
    assert crossed.state == "goal"


def test_a_sequence_may_end_with_the_first_update_of_a_state_without_an_entry_frame() -> None:
    crossed = crossing(SOURCE, bare(0.75), sequence(hold(0.02), {"type": "instant"}))
    assert values(go(crossed, 3), "qpos") == pytest.approx([0.2, 0.75, 0.75])
    assert crossed.state == "goal"


def test_a_sequence_within_a_sequence_is_a_step_like_any_other() -> None:
    flat = crossing(SOURCE, TARGET, sequence(hold(0.03), blend(0.05), ramp(0.04)))
    nested = crossing(SOURCE, TARGET, sequence(hold(0.03), sequence(blend(0.05), ramp(0.04))))
    deep = crossing(SOURCE, TARGET, sequence(sequence(sequence(hold(0.03), blend(0.05)), ramp(0.04))))
    for field in ("qpos", "kp", "kd"):
        expected = values(go(flat, 9), field)
        assert values(go(nested, 9), field) == pytest.approx(expected, abs=1e-5)
        assert values(go(deep, 9), field) == pytest.approx(expected, abs=1e-5)
        for crossed in (flat, nested, deep):
            crossed.press("btn_1", 0)
            crossed.press("btn_2", 1)
            crossed.tick()
            crossed.press("btn_2", 0)
            crossed.tick()


def test_a_tick_that_skips_cycles_passes_over_whole_steps() -> None:
    # From 0 s to 0.10 s in one tick: hold (0.02) and blend (0.02) are over, the ramp of 0.12 s is half done.
    crossed = crossing(SOURCE, TARGET, sequence(hold(0.02), blend(0.02), ramp(0.12)))
    crossed.press("btn_1")
    frames = [crossed.tick(cycles) for cycles in (1, 5, 3)]
    assert values(frames, "qpos") == pytest.approx([0.2, 1.0, 1.0])
    assert values(frames, "kp") == pytest.approx([40.0, 100.0, 200.0])
    assert crossed.state == "goal"


def test_every_step_checks_the_two_states() -> None:
    with pytest.raises(AssertionError, match="entry_gain_ramp begins with the entry frame"):
        rig(
            {"idle": SOURCE, "goal": bare()},
            routes=[route("idle", "go", "goal", sequence(hold(0.02), sequence(hold(0.1), ramp(1.0))))],
            events={"go": ("btn_1", 1)},
        )
