"""``bxi/contact_monitor``: the weight of a resting box, first touches, counts and peaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from simulation.parts.rig import Rig, define, problems

from bxi_framework.mod_api import ParameterError

MODEL = """
<mujoco>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <geom name="painted" type="box" size="0.1 0.1 0.1" pos="3 0 0" contype="0" conaffinity="0"/>
    <body name="box" pos="0 0 0.1">
      <freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" mass="2"/>
    </body>
    <body name="top" pos="0 0 0.25">
      <freejoint/><geom name="top" type="box" size="0.05 0.05 0.05" mass="1"/>
    </body>
    <body name="ball" pos="2 0 0.6">
      <freejoint name="ball"/><geom name="ball" size="0.1" mass="0.5" solref="-20000 0" condim="1"/>
    </body>
  </worldbody>
</mujoco>
"""
PERIOD = {"period_s": 0.002}
G = 9.81


def monitor(**config: Any) -> list[tuple[str, str, dict[str, Any]]]:
    return [("part", "bxi/contact_monitor", {**PERIOD, **config})]


def test_a_resting_box_presses_with_its_weight() -> None:
    with Rig(MODEL, monitor(geoms=["box", "top"], against=["floor"]), substeps=5) as rig:
        rig.step(300)
        reading = rig.reading()
        # The box carries the one on top of it: 3 kg; the one on top touches the box only.
        assert reading["force"][0, 0] == pytest.approx(3 * G, rel=1e-3)
        assert reading["touching"].tolist() == [[1], [0]]
        assert reading["force"][1, 0] == 0


def test_without_against_any_other_geom_counts() -> None:
    with Rig(MODEL, monitor(geoms=["top", "box"]), substeps=5) as rig:
        rig.step(300)
        force = rig.reading()["force"]
        assert force[0, 0] == pytest.approx(G, rel=1e-3)
        # From below 3 kg, from above 1 kg.
        assert force[1, 0] == pytest.approx(4 * G, rel=1e-3)


def test_first_touch_count_and_peak_of_a_bouncing_ball() -> None:
    with Rig(MODEL, monitor(geoms=["ball"], against=["floor", "box"])) as rig:
        before = rig.reading()
        assert before["first_time"].tolist() == [[-1, -1]] and before["count"].tolist() == [[0, 0]]
        touched, forces, heights = [], [], []
        for _ in range(900):
            rig.step()
            reading = rig.reading()
            touched.append(reading["touching"][0, 0])
            forces.append(reading["force"][0, 0])
            heights.append(rig.data.joint("ball").qpos[2])
        reading = rig.reading()
        # It falls 0.5 m freely: √(2h/g).
        assert reading["first_time"][0, 0] == pytest.approx((2 * 0.5 / G) ** 0.5, abs=0.004)
        rises = int(np.sum(np.diff([0, *touched]) > 0))
        assert reading["count"][0, 0] == rises >= 2
        assert reading["peak_force"][0, 0] == max(forces) > 10 * 0.5 * G
        assert reading["first_time"][0, 1] == -1 and reading["peak_force"][0, 1] == 0
        # What the floor gave is the change of the momentum: the sum of force · time.
        impulse = sum(forces) * 0.002
        speed = float(rig.data.joint("ball").qvel[2])
        assert impulse == pytest.approx(0.5 * (speed + G * 1.8), rel=1e-6)


def test_what_it_has_counted_is_part_of_a_snapshot() -> None:
    with Rig(MODEL, monitor(geoms=["ball"])) as rig:
        rig.step(400)
        kept = rig.run.snapshot()
        rig.step(400)
        first = rig.reading()
        rig.run.restore(kept)
        assert rig.reading()["count"] < first["count"]
        rig.step(400)
        for name, values in rig.reading().items():
            assert np.array_equal(values, first[name])


def test_a_geom_that_collides_with_nothing_is_refused() -> None:
    (said,) = problems(MODEL, "bxi/contact_monitor", {**PERIOD, "geoms": ["box", "painted"]})
    assert said == "geom 'painted' collides with nothing: its contype and conaffinity are 0."


def test_a_geom_is_watched_or_against_and_not_both() -> None:
    with pytest.raises(ParameterError, match=r"against\[1\]: 'box' is among the watched geoms already"):
        define("bxi/contact_monitor", {**PERIOD, "geoms": ["box"], "against": ["floor", "box"]})


def test_the_device_says_what_its_rows_and_columns_are() -> None:
    config = {**PERIOD, "geoms": ["box", "top"], "against": ["floor"]}
    (device,) = define("bxi/contact_monitor", config).contributions.devices
    assert device.descriptor.properties == {"rows": ("box", "top"), "columns": ("floor",)}
    assert {channel.shape for channel in device.descriptor.channels} == {(2, 1)}
    assert [request.field for request in device.requests().values()] == ["geoms[0]", "geoms[1]", "against[0]"]
