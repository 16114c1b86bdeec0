"""``bxi/imu``: gravity at rest, rotation, free fall, and errors by seed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from simulation.parts.rig import Rig, define, problems

from bxi_framework.mod_api import ParameterError

MODEL = """
<mujoco>
  <option gravity="0 0 -9.81" integrator="RK4"/>
  <worldbody>
    <body name="arm"><joint name="turn" axis="0 0 1"/><geom size="0.1" mass="1"/>
      <site name="imu" pos="0.5 0 0"/><site name="bare"/>
    </body>
    <body name="stone" pos="0 3 0"><freejoint/><geom size="0.1" mass="1"/><site name="falling"/></body>
  </worldbody>
  <sensor>
    <framequat name="quat" objtype="site" objname="imu"/>
    <gyro name="rate" site="imu"/>
    <accelerometer name="accel" site="imu"/>
    <framequat name="falling_quat" objtype="site" objname="falling"/>
    <gyro name="falling_rate" site="falling"/>
    <accelerometer name="falling_accel" site="falling"/>
  </sensor>
</mujoco>
"""
SITE: dict[str, Any] = {"site": "imu", "period_s": 0.002}
NAMED: dict[str, Any] = {
    "orientation": "quat",
    "angular_velocity": "rate",
    "linear_acceleration": "accel",
    "period_s": 0.002,
}
G = 9.81


@pytest.mark.parametrize("config", [SITE, NAMED], ids=["site", "sensors"])
def test_at_rest_it_feels_gravity_upwards(config: dict[str, Any]) -> None:
    with Rig(MODEL, [("part", "bxi/imu", config)]) as rig:
        rig.step(5)
        reading = rig.reading()
        assert reading["orientation"] == pytest.approx((1, 0, 0, 0))
        assert reading["angular_velocity"] == pytest.approx((0, 0, 0))
        assert reading["linear_acceleration"] == pytest.approx((0, 0, G))


def test_turning_it_feels_its_rate_and_the_pull_to_the_axis() -> None:
    with Rig(MODEL, [("part", "bxi/imu", SITE)]) as rig:
        rig.data.qvel[0] = 4.0
        rig.step(100)
        reading = rig.reading()
        # The reading is that of the begin of the last physics step.
        angle = 4.0 * 0.002 * 99
        assert reading["orientation"] == pytest.approx(
            (math.cos(angle / 2), 0, 0, math.sin(angle / 2)), abs=1e-9
        )
        assert reading["angular_velocity"] == pytest.approx((0, 0, 4))
        # Centripetal acceleration ω²r towards the axis, in the frame of the unit.
        assert reading["linear_acceleration"] == pytest.approx((-16 * 0.5, 0, G), abs=1e-9)


def test_gravity_turns_with_the_unit() -> None:
    lying = MODEL.replace('<site name="imu" pos="0.5 0 0"/>', '<site name="imu" zaxis="1 0 0"/>')
    with Rig(lying, [("part", "bxi/imu", SITE)]) as rig:
        rig.step(2)
        reading = rig.reading()
        matrix = rig.data.site("imu").xmat.reshape(3, 3)
        assert reading["linear_acceleration"] == pytest.approx(matrix.T @ (0, 0, G), abs=1e-9)
        assert reading["linear_acceleration"][2] == pytest.approx(0.0, abs=1e-9)


def test_in_free_fall_it_feels_nothing() -> None:
    with Rig(MODEL, [("part", "bxi/imu", {"site": "falling", "period_s": 0.002})]) as rig:
        rig.step(50)
        assert rig.data.qvel[3] == pytest.approx(-G * 0.1)
        assert rig.reading()["linear_acceleration"] == pytest.approx((0, 0, 0), abs=1e-9)


def test_noise_and_bias_are_drawn_from_the_seed() -> None:
    errors = {
        "noise": {"angular_velocity": 0.01, "linear_acceleration": 0.1, "orientation": 0.02},
        "bias": {"angular_velocity": 0.05, "linear_acceleration": 0.5},
    }

    def readings(seed: int) -> tuple[np.ndarray, ...]:
        rates, pulls, turns = [], [], []
        with Rig(MODEL, [("part", "bxi/imu", {**SITE, **errors})], seed=seed, check=False) as rig:
            for _ in range(1000):
                rig.step()
                reading = rig.reading()
                rates.append(reading["angular_velocity"])
                pulls.append(reading["linear_acceleration"] - (0, 0, G))
                assert np.linalg.norm(reading["orientation"]) == pytest.approx(1.0)
                turns.append(2.0 * reading["orientation"][1:])
        return np.array(rates), np.array(pulls), np.array(turns)

    rates, pulls, turns = readings(1)
    assert rates.std(axis=0) == pytest.approx(np.full(3, 0.01), rel=0.1)
    assert pulls.std(axis=0) == pytest.approx(np.full(3, 0.1), rel=0.1)
    assert turns.std(axis=0) == pytest.approx(np.full(3, 0.02), rel=0.1)
    again = readings(1)
    assert all(np.array_equal(*pair) for pair in zip(again, (rates, pulls, turns), strict=True))
    biases = np.array([readings(seed)[0].mean(axis=0) for seed in range(12)])
    assert biases.std() == pytest.approx(0.05, rel=0.4)


def test_noise_goes_on_from_a_snapshot_bit_by_bit() -> None:
    noisy = {**SITE, "noise": {"orientation": 0.1, "angular_velocity": 0.1, "linear_acceleration": 0.1}}
    with Rig(MODEL, [("part", "bxi/imu", noisy)]) as rig:
        rig.step(10)
        kept = rig.run.snapshot()
        rig.step(20)
        first = rig.reading()
        rig.run.restore(kept)
        rig.step(20)
        for name, values in rig.reading().items():
            assert np.array_equal(values, first[name])


def test_a_site_without_sensors_is_refused_with_what_to_write() -> None:
    sentences = problems(MODEL, "bxi/imu", {**SITE, "site": "bare"})
    assert sentences == [
        f"site 'bare' has no sensor of the {quantity}; add {element} to <sensor>."
        for quantity, element in (
            ("orientation", '<framequat objtype="site" objname="bare"/>'),
            ("angular_velocity", '<gyro site="bare"/>'),
            ("linear_acceleration", '<accelerometer site="bare"/>'),
        )
    ]


def test_a_sensor_of_another_kind_is_refused() -> None:
    (sentence,) = problems(MODEL, "bxi/imu", {**NAMED, "angular_velocity": "accel"})
    assert sentence == "sensor 'accel' is no angular_velocity; name one such as <gyro site=\"...\"/>."


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({**NAMED, "site": "imu"}, "site: stands in for the names of the three sensors; keep one of both"),
        ({"period_s": 0.1}, "site: is missing; name a site, or the sensors orientation, angular_velocity"),
        ({"period_s": 0.1, "orientation": "quat"}, "angular_velocity: is missing"),
    ],
)
def test_the_source_is_a_site_or_three_sensors(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        define("bxi/imu", config)
    assert str(caught.value).startswith(message)
