"""``bxi/gantry``: a body hangs until it is released, for good, and hangs again after a reset."""

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
    <body name="hook" mocap="true" pos="0 0 1.5"/>
    <body name="torso" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.2" mass="10"/></body>
    <body name="other" pos="1 0 1"><freejoint/><geom size="0.1"/></body>
  </worldbody>
  <equality><weld name="hold" body1="hook" body2="torso"/></equality>
</mujoco>
"""
CONFIG: dict[str, Any] = {"hook": "hook", "body": "torso"}
PARTS = [("gantry", "bxi/gantry", CONFIG)]


def height(rig: Rig) -> float:
    return float(rig.data.body("torso").xpos[2])


def test_the_body_hangs_where_the_model_has_it() -> None:
    with Rig(MODEL, PARTS, substeps=5) as rig:
        rig.step(200)
        assert height(rig) == pytest.approx(1.0, abs=2e-3)


def test_the_hook_may_stand_elsewhere() -> None:
    with Rig(MODEL, [("gantry", "bxi/gantry", {**CONFIG, "position": [0, 0, 1.7]})], substeps=5) as rig:
        rig.step(300)
        assert height(rig) == pytest.approx(1.2, abs=2e-3)


def test_released_it_falls_freely_and_is_not_caught_again() -> None:
    with Rig(MODEL, PARTS) as rig:
        rig.step(100)
        begin = height(rig)
        rig.run.feed("gantry/release", 1.0)
        rig.step()
        rig.run.feed("gantry/release", 0.0)
        rig.step(100)
        # The position shown is that of the begin of the last of 101 steps.
        assert begin - height(rig) == pytest.approx(9.81 * 0.2**2 / 2, rel=0.03)
        rig.step(1000)
        assert height(rig) == pytest.approx(0.2, abs=0.01)


def test_a_reset_attaches_it_again() -> None:
    with Rig(MODEL, PARTS, substeps=5) as rig:
        rig.run.feed("gantry/release", 1.0)
        rig.step(200)
        assert height(rig) < 0.3
        rig.run.reset()
        rig.step(200)
        assert height(rig) == pytest.approx(1.0, abs=2e-3)


def test_a_snapshot_knows_whether_it_was_released() -> None:
    with Rig(MODEL, PARTS) as rig:
        held = rig.run.snapshot()
        rig.run.feed("gantry/release", 1.0)
        rig.step(50)
        released = rig.run.snapshot()
        rig.step(50)
        end = rig.data.qpos.copy()
        rig.run.restore(held)
        rig.step(200)
        assert height(rig) == pytest.approx(1.0, abs=2e-3)
        rig.run.restore(released)
        rig.step(50)
        assert np.array_equal(rig.data.qpos, end)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (
            {"hook": "other", "body": "torso"},
            "The prescribed state 'part' claims the body 'other', whose pose",
        ),
        ({"hook": "hook", "body": "other"}, "exactly one constraint must hold body 'other' on body 'hook'"),
    ],
)
def test_a_model_without_hook_or_constraint_is_refused(config: dict[str, Any], sentence: str) -> None:
    assert any(said.startswith(sentence) for said in problems(MODEL, "bxi/gantry", config))


def test_the_constraint_that_a_refusal_suggests_is_accepted() -> None:
    bare = MODEL.replace('<equality><weld name="hold" body1="hook" body2="torso"/></equality>', "{}")
    (said,) = problems(bare.format(""), "bxi/gantry", CONFIG)
    element = said[said.index("<weld") : said.index("/>") + 2]
    assert problems(bare.format(f"<equality>{element}</equality>"), "bxi/gantry", CONFIG) == []


def test_a_connect_lets_it_swing() -> None:
    swinging = MODEL.replace('<weld name="hold"', '<connect name="hold" anchor="0 0 0"')
    with Rig(swinging, PARTS, substeps=5) as rig:
        rig.data.qvel[:3] = (0.5, 0, 0)
        rig.step(20)
        assert abs(float(rig.data.body("torso").xpos[0])) > 0.01
        assert np.linalg.norm(rig.data.body("torso").xpos - (0, 0, 1.5)) == pytest.approx(0.5, abs=5e-3)


def test_the_hook_cannot_hold_itself() -> None:
    with pytest.raises(ParameterError, match="body: must be another body than the hook"):
        define("bxi/gantry", {"hook": "hook", "body": "hook"})


def test_its_claim_and_its_input_are_declared() -> None:
    contributions = define("bxi/gantry", CONFIG, "gantry").contributions
    assert [each.id for each in contributions.inputs] == ["gantry/release"]
    assert [str(claim) for claim in contributions.prescribed_states[0].claims()] == ["body 'hook'"]
