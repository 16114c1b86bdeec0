"""``bxi/rangefinder``: distances, its range, its noise, and the name under which it is known elsewhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from simulation.parts.rig import TYPES, Rig, define, problems

from bxi_framework.mod_api import ParameterError

MODEL = """
<mujoco>
  <worldbody>
    <geom name="wall" type="box" size="0.1 5 5" pos="3.1 0 0"/>
    <body name="car" mocap="true"><site name="nose" zaxis="1 0 0" pos="0.1 0 0"/></body>
  </worldbody>
  <sensor>
    <rangefinder name="front" site="nose"/>
    <rangefinder name="short" site="nose" cutoff="2"/>
    <framepos name="where" objtype="site" objname="nose"/>
  </sensor>
</mujoco>
"""
CONFIG: dict[str, Any] = {"sensor": "front", "period_s": 0.01, "range_min": 0.05, "range_max": 4.0}
NAMES = ("bxi/rangefinder", "fibril_sim/rangefinder")


def distance(rig: Rig, x: float, turned: float = 0.0) -> float:
    """What is read with the car at ``x``, turned to the left (rad)."""
    rig.data.mocap_pos[0] = (x, 0.0, 0.0)
    rig.data.mocap_quat[0] = (math.cos(turned / 2), 0.0, 0.0, math.sin(turned / 2))
    rig.step(10)
    return float(rig.reading()["range"])


@pytest.mark.parametrize("name", NAMES)
def test_the_distance_is_the_true_one(name: str) -> None:
    with Rig(MODEL, [("part", name, CONFIG)]) as rig:
        assert distance(rig, 0.0) == pytest.approx(2.9)
        assert distance(rig, 2.0) == pytest.approx(0.9)
        # The site is 0.1 m ahead of the car; the wall's face stands at x = 3.
        angle = math.radians(30)
        expected = (3.0 - 0.1 * math.cos(angle)) / math.cos(angle)
        assert distance(rig, 0.0, angle) == pytest.approx(expected)


@pytest.mark.parametrize(("written", "given"), [({}, -1.0), ({"out_of_range": 9.5}, 9.5)])
def test_out_of_range_gives_the_written_value(written: dict[str, float], given: float) -> None:
    with Rig(MODEL, [("part", NAMES[0], {**CONFIG, **written})]) as rig:
        assert distance(rig, -1.1) == pytest.approx(4.0)
        assert distance(rig, -1.101) == given
        assert distance(rig, 2.851) == given
        assert distance(rig, 2.849) == pytest.approx(0.051)
        assert distance(rig, 0.0, math.pi) == given


def test_noise_comes_from_the_seed_and_never_invents_an_echo() -> None:
    parts = [("part", NAMES[0], {**CONFIG, "noise": 0.02})]

    def readings(seed: int) -> np.ndarray:
        with Rig(MODEL, parts, seed=seed, check=False) as rig:
            return np.array([distance(rig, 0.0) for _ in range(500)])

    drawn = readings(1)
    assert drawn.std() == pytest.approx(0.02, rel=0.1)
    assert drawn.mean() == pytest.approx(2.9, abs=0.005)
    assert np.array_equal(readings(1), drawn)
    assert not np.array_equal(readings(2), drawn)
    with Rig(MODEL, [("part", NAMES[0], {**CONFIG, "noise": 5.0})]) as rig:
        assert {distance(rig, 0.0, math.pi) for _ in range(50)} == {-1.0}


def test_its_period_is_kept() -> None:
    with Rig(MODEL, [("part", NAMES[0], CONFIG)]) as rig:
        rig.data.mocap_pos[0] = (2.0, 0.0, 0.0)
        rig.step(4)
        assert float(rig.reading()["range"]) == pytest.approx(2.9)
        rig.step(1)
        assert float(rig.reading()["range"]) == pytest.approx(0.9)


def test_another_sensor_is_refused_with_what_to_write() -> None:
    (sentence,) = problems(MODEL, NAMES[0], {**CONFIG, "sensor": "where"})
    assert sentence == (
        'sensor \'where\' is not a rangefinder with one ray; write <rangefinder name="where" site="..."/>.'
    )


def test_a_cutoff_within_the_range_is_refused() -> None:
    (sentence,) = problems(MODEL, NAMES[0], {**CONFIG, "sensor": "short"})
    assert sentence.startswith("the cutoff 2 of sensor 'short' is not beyond range_max 4")


def test_the_range_must_have_a_width() -> None:
    with pytest.raises(ParameterError, match=r"range_max: must be more than 0\.05, not 0\.05"):
        define(NAMES[0], {**CONFIG, "range_max": 0.05})


def test_both_names_are_types_of_their_own() -> None:
    assert [TYPES[name].type for name in NAMES] == list(NAMES)
    assert [define(name, CONFIG).type for name in NAMES] == list(NAMES)
