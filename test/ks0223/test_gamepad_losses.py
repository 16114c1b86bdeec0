"""J1 and J2 on the car: a pad that loses its link, and one that reports nonsense before it is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from bxi_framework.testing import Bench

CONFIG = Path(__file__).parents[2] / "config" / "ks0223.yaml"
CAR = "com.keyestudio.ks0223"
PAD, TICK = 5, 0.02
"""Ticks between two messages of the pad, and seconds of a tick."""

REST = ([0.0, 0.0, 1.0, 0.0, 0.0, 1.0], [0] * 8)
FULL = ([0.0, 1.0, 1.0, 0.0, 0.0, 1.0], [0] * 8)


@pytest.fixture
def bench() -> Iterator[Bench]:
    with Bench(CONFIG, actuators=None) as made:
        made.joy(*REST)
        made.step()
        made.send_event(f"{CAR}/drive")
        made.step(5)
        yield made


def moves(bench: Bench) -> bool:
    return bool(bench.frame.vel.any())


def full_forward(bench: Bench) -> None:
    for _ in range(10):
        bench.joy(*FULL)
        bench.step(PAD)
    assert moves(bench)


def last_motion(bench: Bench, seconds: float, message: Callable[[], None]) -> float:
    """How long (s) the car still moves while the pad does this."""
    moved = 0.0
    for tick in range(round(seconds / TICK)):
        if tick % PAD == 0:
            message()
        bench.step()
        moved = (tick + 1) * TICK if moves(bench) else moved
    return moved


PATTERNS: dict[str, tuple[list[float], list[int]] | None] = {
    "silence": None,
    "zeros, triggers too": ([0.0] * 6, [0] * 8),
    "a centred stick that drifts": ([0.0, 0.04, 1.0, 0.0, 0.0, 1.0], [0] * 8),
    "a latched button": ([0.0, 0.0, 1.0, 0.0, 0.0, 1.0], [0, 0, 1, 0, 0, 0, 0, 0]),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_motion_ends_within_half_a_second_of_a_loss(bench: Bench, name: str) -> None:
    full_forward(bench)
    said = PATTERNS[name]
    assert last_motion(bench, 3.0, lambda: said and bench.joy(*said)) <= 0.5


def test_a_pad_that_repeats_its_last_message_is_believed_for_ten_seconds_at_most(
    bench: Bench,
) -> None:
    full_forward(bench)
    assert last_motion(bench, 12.0, lambda: bench.joy(*FULL)) <= 10.0


def test_a_pad_that_comes_back_moves_nothing_until_its_stick_is_moved(bench: Bench) -> None:
    full_forward(bench)
    last_motion(bench, 2.0, lambda: None)
    for _ in range(5):
        bench.joy(*REST)
        bench.step(PAD)
    assert not moves(bench)
    full_forward(bench)


def test_ten_minutes_of_drift_move_nothing_and_the_edge_of_the_dead_zone_is_no_jump(bench: Bench) -> None:
    for minute in range(600):
        bench.joy([0.0, 0.04 if minute % 2 else -0.04, 1.0, 0.03, 0.0, 1.0], [0] * 8)
        bench.step(PAD)
        assert not moves(bench)
    speeds = []
    for step in range(60, 120):
        bench.joy([0.0, step / 1000.0, 1.0, 0.0, 0.0, 1.0], [0] * 8)
        bench.step()
        speeds.append(float(bench.frame.vel[0]) * 0.0325)
    assert speeds[0] == 0.0 and 0.0 < speeds[-1] < 0.05
    assert max(np.diff(speeds)) < 0.005


def test_untouched_triggers_and_odd_messages_move_nothing_and_fire_nothing() -> None:
    with Bench(CONFIG, actuators=None) as bench:
        for axes, buttons in (([0.0] * 6, [0] * 8), ([], []), ([0.0] * 3, []), ([0.0] * 20, [0] * 20)):
            bench.joy(axes, buttons)
            bench.step(PAD)
            assert bench.state == f"{CAR}/idle" and not moves(bench)
        told = [line.message for line in bench.log if line.level == "warning"]
        assert any("index" in message or "axis" in message or "button" in message for message in told)


def test_chords_lead_to_the_states_of_the_car(bench: Bench) -> None:
    for held, button, state in ((5, 1, "brake"), (5, 3, "drive_slow"), (4, 2, "look_around"), (5, 0, "idle")):
        buttons = [0] * 8
        buttons[held] = 1
        bench.joy(REST[0], buttons)
        bench.step()
        buttons[button] = 1
        bench.joy(REST[0], buttons)
        bench.step(4)
        assert bench.state == f"{CAR}/{state}"
        bench.joy(*REST)
        bench.step()


def test_the_stop_button_stops(bench: Bench) -> None:
    full_forward(bench)
    bench.joy(FULL[0], [0, 0, 0, 0, 0, 0, 1, 0])
    bench.step()
    assert not moves(bench) and bench.snapshot.stop == "gamepad"
