"""The five words in time: the mean is what was asked for, a stop is at once, nothing chatters."""

from __future__ import annotations

import itertools

import pytest
from ks0223.parts import car

words = car("bridge.wifi.words")
STEP = 0.005
EFFECT = {
    "DirForward": (1, 1),
    "DirBack": (-1, -1),
    "DirLeft": (-1, 1),
    "DirRight": (1, -1),
    "DirStop": (0, 0),
}


def play(left: float, right: float, seconds: float = 2.0) -> tuple[float, float, list[str]]:
    """The mean of both sides, and the words as they follow each other."""
    chooser, said = words.WordChooser(), []
    total = [0.0, 0.0]
    steps = round(seconds / STEP)
    for step in range(steps):
        word = chooser.choose(100.0 + step * STEP, left, right)
        said += [word] if not said or said[-1] != word else []
        for side in (0, 1):
            total[side] += EFFECT[word][side] / steps
    return total[0], total[1], said


@pytest.mark.parametrize("share", [1.0, 0.9, 0.75, 0.5, 0.35, -0.35, -0.6, -1.0])
def test_the_mean_speed_over_two_seconds_follows_within_15_percent(share: float) -> None:
    left, right, _ = play(share, share)
    assert left == right == pytest.approx(share, rel=0.15)


@pytest.mark.parametrize(("left", "right"), [(0.8, 0.4), (0.4, 0.8), (-0.7, -0.3), (0.5, -0.5), (0.6, 0.0)])
def test_a_curve_is_shared_out_between_driving_and_turning(left: float, right: float) -> None:
    means = play(left, right, 4.0)[:2]
    assert means == pytest.approx((left, right), abs=0.05)


def test_too_much_keeps_its_curve() -> None:
    chooser = words.WordChooser()
    assert chooser.choose(0.0, 1.0, 1.0) == "DirForward"
    left, right, _ = play(1.0, 0.5)
    assert right / left == pytest.approx(0.5, abs=0.1)


def test_motion_begins_and_ends_at_once() -> None:
    chooser = words.WordChooser()
    assert chooser.choose(0.0, 0.3, 0.3) == "DirForward"
    assert chooser.choose(0.001, 0.0, 0.0) == "DirStop"
    assert chooser.choose(0.002, -0.3, -0.3) == "DirBack"
    assert chooser.choose(0.003, -0.3, 0.3) == "DirLeft"


def test_a_wish_at_the_edge_of_rest_does_not_chatter() -> None:
    chooser, said = words.WordChooser(), []
    for step in range(400):
        share = words.REST * (1.01 if step % 2 else 0.99)
        said.append(chooser.choose(step * STEP, share, share))
    changes = sum(one != two for one, two in itertools.pairwise(said))
    assert changes < 15


def test_the_drift_of_a_worn_stick_moves_nothing() -> None:
    chooser = words.WordChooser()
    assert {chooser.choose(step * 0.02, 0.039, 0.039) for step in range(30000)} == {"DirStop"}


def test_full_speed_is_one_word() -> None:
    assert play(1.0, 1.0)[2] == ["DirForward"]
