"""``bxi/moving_obstacle``: a place that follows from the time alone, and from the seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from simulation.parts.rig import Rig, define, problems

from bxi_framework.mod_api import ParameterError

MODEL = """
<mujoco>
  <worldbody>
    <body name="cart" mocap="true" pos="9 9 9"><geom name="cart" size="0.2"/></body>
    <body name="ball" pos="5 0 0"><freejoint/><geom size="0.1"/></body>
  </worldbody>
</mujoco>
"""
# A right angle: 1 m along x, then 2 m along y; back to the begin it is √5 m.
CONFIG: dict[str, Any] = {"body": "cart", "path": [[0, 0, 0.2], [1, 0, 0.2], [1, 2, 0.2]], "speed": 0.5}


def places(times: list[float], seed: int = 0, **config: Any) -> np.ndarray:
    """Where the body is at the given times; a control period is 0.1 s."""
    found = []
    with Rig(MODEL, [("part", "bxi/moving_obstacle", {**CONFIG, **config})], substeps=50, seed=seed) as rig:
        for time in times:
            while rig.run.time < time - 1e-6:
                rig.step()
            # It is put in its place at the begin of a period.
            rig.step()
            found.append(rig.data.mocap_pos[0].copy())
    return np.array(found)


def test_it_follows_its_path_at_its_speed() -> None:
    found = places([0, 1, 2, 4, 6])
    assert found == pytest.approx(
        np.array([[0, 0, 0.2], [0.5, 0, 0.2], [1, 0, 0.2], [1, 1, 0.2], [1, 2, 0.2]]), abs=1e-9
    )


def test_at_the_end_it_closes_the_loop_returns_or_stops() -> None:
    half = 5**0.5 / 2
    assert places([6 + 2 * half])[0] == pytest.approx((0.5, 1, 0.2), abs=0.05)
    round = 2 * (3 + 5**0.5)
    assert places([round + 1.0])[0] == pytest.approx((0.5, 0, 0.2), abs=0.05)
    assert places([8, 12, 14], at_the_end="return") == pytest.approx(
        np.array([[1, 1, 0.2], [0, 0, 0.2], [1, 0, 0.2]]), abs=1e-9
    )
    assert places([8], at_the_end="stop")[0] == pytest.approx((1, 2, 0.2), abs=1e-9)


def test_it_is_in_its_place_from_the_start() -> None:
    with Rig(MODEL, [("part", "bxi/moving_obstacle", CONFIG)]) as rig:
        assert rig.data.body("cart").xpos == pytest.approx((0, 0, 0.2))


def test_the_seed_draws_where_it_starts_and_how_fast_it_is() -> None:
    starts = np.array([places([0], seed, start_spread=0.5, at_the_end="stop")[0] for seed in range(30)])
    along = starts[:, 0] + starts[:, 1]
    assert 0 <= along.min() < 0.2 and 1.2 < along.max() <= 1.5
    assert np.array_equal(places([0], 3, start_spread=0.5, at_the_end="stop")[0], starts[3])
    ways = np.array([places([1], seed, speed_spread=0.2)[0, 0] for seed in range(30)])
    assert 0.4 <= ways.min() < 0.43 and 0.57 < ways.max() <= 0.6


def test_after_a_restore_it_is_where_it_was() -> None:
    with Rig(MODEL, [("part", "bxi/moving_obstacle", {**CONFIG, "start_spread": 1})], seed=4) as rig:
        rig.step(100)
        kept = rig.run.snapshot()
        rig.step(500)
        place = rig.data.mocap_pos.copy()
        rig.run.restore(kept)
        rig.step(500)
        assert np.array_equal(rig.data.mocap_pos, place)


def test_a_simulated_body_is_refused() -> None:
    (said,) = problems(MODEL, "bxi/moving_obstacle", {**CONFIG, "body": "ball"})
    assert said == "The prescribed state 'part' claims the body 'ball', whose pose follows from its joints."


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"path": [[0, 0, 0]]}, "path: must be a list of at least two points"),
        ({"path": [[0, 0, 0], [1, 0]]}, "path[1]: must have 3 numbers, not 2"),
        ({"path": [[0, 0, 0], [0, 0, 0]]}, "path[1]: is the same point as the one before it"),
        ({"path": [[0, 0, 0], [1, 0, 0], [0, 0, 0]]}, "path[2]: is the first point again"),
        ({"path": [[0, 0, 0], [1e-9, 0, 0]]}, "path[1]: is the same point as the one before it"),
        ({"path": [[0, 0, 0], [1e300, 0, 0]]}, "path[1][0]: must be at most 1000000.0, not 1e+300"),
        ({"speed": 0}, "speed: must be more than 0, not 0"),
        ({"at_the_end": "jump"}, "at_the_end: must be one of loop, return, stop, not 'jump'"),
        ({"start_spread": 1.5}, "start_spread: must be at most 1.0, not 1.5"),
    ],
)
def test_a_path_that_makes_no_sense_is_refused(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        define("bxi/moving_obstacle", {**CONFIG, **config})
    assert str(caught.value).startswith(message)
