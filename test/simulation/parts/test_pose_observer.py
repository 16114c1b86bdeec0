"""``bxi/pose_observer``: the true motion of a body that is thrown and turns."""

from __future__ import annotations

import math

import numpy as np
import pytest
from simulation.parts.rig import Rig

MODEL = """
<mujoco>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <body name="stone" pos="0 0 10"><freejoint/><geom size="0.1" mass="1"/>
      <body name="tip" pos="0.5 0 0"><geom size="0.01" mass="1e-6"/></body>
    </body>
  </worldbody>
</mujoco>
"""


def observer(body: str) -> list[tuple[str, str, dict[str, object]]]:
    return [("part", "bxi/pose_observer", {"body": body, "period_s": 0.002})]


def test_a_thrown_stone_has_the_pose_and_velocity_of_its_parabola() -> None:
    with Rig(MODEL, observer("stone")) as rig:
        rig.data.qvel[:] = (2, 0, 3, 0, 0, 1.5)
        rig.step(201)
        reading = rig.reading()
        # The pose is that of the begin of the last step, 0.4 s after the throw; steps of semi-implicit Euler
        # fall by g·t·dt/2 more than the parabola.
        t = 0.4
        fallen = 9.81 * t * (t + 0.002) / 2
        assert reading["position"] == pytest.approx((2 * t, 0, 10 + 3 * t - fallen), abs=1e-6)
        assert reading["linear_velocity"] == pytest.approx((2, 0, 3 - 9.81 * t), abs=1e-6)
        assert reading["angular_velocity"] == pytest.approx((0, 0, 1.5), abs=1e-6)
        assert reading["orientation"] == pytest.approx((math.cos(0.3), 0, 0, math.sin(0.3)), abs=1e-6)


def test_a_point_off_the_centre_moves_with_the_turn() -> None:
    with Rig(MODEL.replace("0 0 -9.81", "0 0 0"), observer("tip")) as rig:
        rig.data.qvel[:] = (0, 0, 0, 0, 0, 2.0)
        rig.step(101)
        reading = rig.reading()
        angle = 2.0 * 0.2
        # ω × r in the frame of the world.
        expected = np.array((-math.sin(angle), math.cos(angle), 0.0))
        assert reading["linear_velocity"] == pytest.approx(expected, abs=1e-4)
        assert reading["position"] == pytest.approx(
            (0.5 * math.cos(angle), 0.5 * math.sin(angle), 10), abs=1e-4
        )
