"""``bxi/joint_state``: what the joints do, in the order of the config, with noise by seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from simulation.parts.rig import Rig, define, problems

MODEL = """
<mujoco>
  <worldbody>
    <body><joint name="hip" axis="0 1 0"/><geom size="0.1" pos="0 0 -0.3" mass="1"/>
      <body pos="0 0 -0.3"><joint name="rail" type="slide" axis="0 0 1"/><geom size="0.1" mass="1"/></body>
    </body>
    <body name="ball" pos="2 0 0"><freejoint name="float"/><geom size="0.1"/></body>
  </worldbody>
  <actuator><motor joint="hip"/><motor joint="rail" gear="2"/></actuator>
</mujoco>
"""
CONFIG: dict[str, Any] = {"joints": ["rail", "hip"], "period_s": 0.002}


def test_a_reading_is_the_state_of_the_joints_in_their_order() -> None:
    with Rig(MODEL, [("state", "bxi/joint_state", CONFIG)]) as rig:
        rig.data.ctrl[:] = (0.7, -0.4)
        rig.step(30)
        reading = rig.reading("state")
        assert np.array_equal(reading["position"], rig.data.qpos[[1, 0]])
        assert np.array_equal(reading["velocity"], rig.data.qvel[[1, 0]])
        assert reading["effort"] == pytest.approx((-0.8, 0.7))


def test_noise_has_the_deviation_of_each_channel_and_comes_from_the_seed() -> None:
    noise = {"position": 0.01, "velocity": 0.1}
    parts = [("state", "bxi/joint_state", {**CONFIG, "noise": noise})]

    def errors(seed: int) -> np.ndarray:
        found = []
        with Rig(MODEL, parts, seed=seed, check=False) as rig:
            for _ in range(1500):
                rig.step()
                reading = rig.reading("state")
                assert (reading["effort"] == 0.0).all()
                found.append(
                    [reading["position"] - rig.data.qpos[[1, 0]], reading["velocity"] - rig.data.qvel[[1, 0]]]
                )
        return np.array(found)

    drawn = errors(1)
    assert drawn.std(axis=(0, 2)) == pytest.approx((0.01, 0.1), rel=0.06)
    assert drawn.mean(axis=(0, 2)) == pytest.approx((0.0, 0.0), abs=0.01)
    assert np.array_equal(errors(1), drawn)
    assert not np.array_equal(errors(2), drawn)


def test_noise_goes_on_from_a_snapshot_bit_by_bit() -> None:
    parts = [("state", "bxi/joint_state", {**CONFIG, "noise": {"position": 0.01}})]
    with Rig(MODEL, parts) as rig:
        rig.step(10)
        kept = rig.run.snapshot()
        rig.step(20)
        first = rig.reading("state")
        rig.run.restore(kept)
        rig.step(20)
        for name, values in rig.reading("state").items():
            assert np.array_equal(values, first[name])


def test_a_free_joint_has_no_single_position() -> None:
    (sentence,) = problems(MODEL, "bxi/joint_state", {**CONFIG, "joints": ["hip", "float"]})
    assert sentence.startswith("joint 'float' is neither a hinge nor a slide")


def test_the_device_says_what_it_gives() -> None:
    (device,) = define("bxi/joint_state", CONFIG, "state").contributions.devices
    shown = [(channel.name, channel.unit, channel.shape) for channel in device.descriptor.channels]
    assert shown == [("position", "rad", (2,)), ("velocity", "rad/s", (2,)), ("effort", "N·m", (2,))]
    assert device.requests()["hip"].field == "joints[1]"
