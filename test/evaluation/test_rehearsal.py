"""The states drive the virtual car through the bridge's and the kit's own code, in virtual time."""

from __future__ import annotations

from itertools import pairwise

import pytest

from . import ks0223


def test_the_line_is_followed_for_a_part_of_a_lap() -> None:
    outcome = ks0223.follow_line(1, laps=0.1)
    assert not outcome.failure, outcome


@pytest.mark.parametrize("seed", [1, 2])
def test_walls_are_avoided_for_a_while(seed: int) -> None:
    outcome = ks0223.avoid(seed, seconds=15.0)
    assert not outcome.failure, outcome


def test_a_seed_gives_the_same_run_again() -> None:
    assert ks0223.avoid(3, seconds=5.0) == ks0223.avoid(3, seconds=5.0)


def test_words_keep_their_distance() -> None:
    runs = ks0223.started("avoid", ks0223.ARENA, 1)
    for run in runs:
        if run.loop.time > 10.0:
            break
    times = [at for at, _ in run.loop.words]
    assert len(times) > 20
    assert min(after - before for before, after in pairwise(times)) >= 0.03 - 1e-9
    runs.close()
