"""``bxi/wheel_drive``: holding by kd, dead zone, top speed, latency, and what an episode draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from simulation.parts.rig import Rig, define, problems

from bxi_framework.mod_api import ParameterError

WHEELS = ("fl", "rl", "fr", "rr")
MOTOR = '<general name="{0}" joint="{0}" gainprm="1" biastype="affine" biasprm="0 0 0" forcerange="-2 2"/>'
WHEEL = (
    '<body name="{0}" pos="{1} 0 0"><joint name="{0}" axis="0 1 0"/><geom type="cylinder" size="0.03 0.01"'
    ' zaxis="0 1 0" mass="0.05"/></body>'
)
MODEL = f"""
<mujoco>
  <option gravity="0 0 0" integrator="implicitfast"/>
  <worldbody>{"".join(WHEEL.format(name, index) for index, name in enumerate(WHEELS))}</worldbody>
  <actuator>{"".join(MOTOR.format(name) for name in WHEELS)}</actuator>
</mujoco>
"""
CONFIG: dict[str, Any] = {"left": ["fl", "rl"], "right": ["fr", "rr"], "top_speed": 20.0, "kd": 0.05}


def rig(seed: int = 0, substeps: int = 5, **config: Any) -> Rig:
    parts = [("drive", "bxi/wheel_drive", {**CONFIG, **config})]
    return Rig(MODEL, parts, substeps=substeps, seed=seed)


def test_the_torque_pulls_each_wheel_to_its_speed_and_is_clamped() -> None:
    with rig(substeps=1) as run:
        run.data.qvel[:] = (0.0, 4.0, -4.0, 10.0)
        run.command("drive", (10.0, 10.0, -10.0, -20.0))
        run.step(1)
        assert run.data.qfrc_actuator == pytest.approx((0.5, 0.3, -0.3, -1.5), abs=1e-12)


def test_the_wheels_reach_their_speed_and_a_stopped_wheel_is_held() -> None:
    with rig() as run:
        run.command("drive", (10.0, 10.0, -5.0, -5.0))
        run.step(200)
        assert run.data.qvel == pytest.approx((10, 10, -5, -5), abs=1e-6)
        run.command("drive", (0.0,) * 4)
        run.step(200)
        assert run.data.qvel == pytest.approx(np.zeros(4), abs=1e-6)


@pytest.mark.parametrize(("speed", "reached"), [(4.9, 0), (-4.9, 0), (5.0, 5), (-8, -8), (20, 20), (35, 20)])
def test_below_the_dead_zone_a_wheel_stands_and_above_the_top_speed_it_gains_nothing(
    speed: float, reached: float
) -> None:
    with rig(dead_zone=0.25) as run:
        run.command("drive", (speed,) * 4)
        run.step(300)
        assert run.data.qvel == pytest.approx((reached,) * 4, abs=1e-6)


@pytest.mark.parametrize("latency", [0.0, 0.01, 0.15])
def test_a_command_acts_after_the_latency_and_not_before(latency: float) -> None:
    with rig(latency=latency) as run:
        run.step(7)
        run.command("drive", (10.0,) * 4)
        # Control periods of 0.01 s: the command is seen at the begin of the next one.
        run.step(round(latency / 0.01))
        assert (run.data.qvel == 0.0).all()
        run.step()
        assert (run.data.qvel > 0.0).all()


def test_commands_within_the_latency_act_in_their_order_each_for_its_time() -> None:
    with rig(latency=0.05) as run:
        speeds = [10.0, 0.0, -10.0, 0.0]
        acted = []
        for period in range(12):
            run.command("drive", (speeds[period] if period < 4 else 0.0,) * 4)
            run.step()
            acted.append(float(run.data.ctrl[0]) / CONFIG["kd"])
        assert acted == [0, 0, 0, 0, 0, 10, 0, -10, 0, 0, 0, 0]


def gains(seed: int, **config: Any) -> np.ndarray:
    with rig(seed, **config) as run:
        run.command("drive", (10.0,) * 4)
        run.step()
        return run.data.ctrl / (10.0 * CONFIG["kd"])


def test_an_episode_draws_the_gain_and_the_difference_of_the_sides() -> None:
    drawn = np.array([gains(seed, gain_spread=0.3, asymmetry=0.1) for seed in range(40)])
    left, right = drawn[:, 0], drawn[:, 2]
    assert (drawn[:, 1] == left).all() and (drawn[:, 3] == right).all()
    common, between = (left + right) / 2, (left - right) * 2 / (left + right)
    assert 0.7 <= common.min() < 0.8 and 1.2 < common.max() <= 1.3
    assert -0.1 <= between.min() < -0.05 and 0.05 < between.max() <= 0.1
    assert (gains(3, gain_spread=0.3, asymmetry=0.1) == drawn[3]).all()


def test_without_spread_all_wheels_are_alike() -> None:
    assert gains(5) == pytest.approx((1.0,) * 4, abs=1e-12)


def test_a_restored_run_goes_on_bit_by_bit_with_commands_still_under_way() -> None:
    with rig(latency=0.1, gain_spread=0.3, asymmetry=0.1) as run:
        run.command("drive", (10.0, 10.0, 6.0, 6.0))
        run.step(5)
        run.command("drive", (-10.0, 10.0, -6.0, 6.0))
        run.step(2)
        kept = run.run.snapshot()
        ends = []
        for _ in range(2):
            run.step(30)
            ends.append((run.data.qpos.copy(), run.data.qvel.copy(), run.data.time))
            run.command("drive", (1.0,) * 4)
            run.step(3)
            run.run.restore(kept)
            run.command("drive", (-10.0, 10.0, -6.0, 6.0))
        assert np.array_equal(ends[0][0], ends[1][0]) and np.array_equal(ends[0][1], ends[1][1])


def test_the_endpoint_says_what_it_takes() -> None:
    contributions = define("bxi/wheel_drive", {**CONFIG, "command_timeout": 0.5}, "drive").contributions
    (endpoint,) = contributions.endpoints
    assert (endpoint.command.shape, endpoint.command.unit) == ((4,), "rad/s")
    assert (endpoint.joints, endpoint.timeout_s) == (WHEELS, 0.5)
    fields = [request.field for request in contributions.drivers[0].requests().values()]
    assert fields == [
        "left[0]",
        "actuators",
        "left[1]",
        "actuators",
        "right[0]",
        "actuators",
        "right[1]",
        "actuators",
    ]


def test_a_wheel_on_both_sides_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"right\[1\]: 'fl' is a wheel of the left side already"):
        define("bxi/wheel_drive", {**CONFIG, "right": ["fr", "fl"]})


def test_a_gain_that_the_integrator_cannot_hold_is_refused() -> None:
    explicit = MODEL.replace(' integrator="implicitfast"', "")
    sentences = problems(explicit, "bxi/wheel_drive", CONFIG)
    # Half the mass times the squared radius, kg·m²: 0.05 · 0.03² / 2; twice that by 0.002 s is 0.0225.
    assert len(sentences) == 4
    assert "whose inertia of 2.2e-05 kg·m² stands less than 0.022 at this timestep" in sentences[0]
    assert problems(explicit, "bxi/wheel_drive", {**CONFIG, "kd": 0.022}) == []


def test_a_plain_motor_is_refused_with_what_to_write() -> None:
    model = MODEL.replace(MOTOR.format("fr"), '<motor name="fr" joint="fr"/>')
    (sentence,) = problems(model, "bxi/wheel_drive", {**CONFIG, "effort": 2})
    assert '<general name="fr" joint="fr" gainprm="1"' in sentence
