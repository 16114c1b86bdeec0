"""``bxi/mit_actuator``: the motor law against hand calculations, its limits, and models that do not fit."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from simulation.parts.rig import Rig, define, problems

GENERAL = (
    '<general name="{0}" joint="{0}" gainprm="1" biastype="affine" biasprm="0 0 0" forcerange="-{1} {1}"/>'
)
LEG = """
<mujoco>
  <option gravity="0 0 0"/>
  <worldbody>
    <body name="thigh"><joint name="hip" axis="0 1 0"/><geom size="0.1" mass="1"/>
      <body name="shin" pos="0 0 -0.3"><joint name="knee" axis="0 1 0"/><geom size="0.1" mass="1"/></body>
    </body>
  </worldbody>
  <actuator>{actuators}</actuator>
</mujoco>
"""
MODEL = LEG.format(actuators=GENERAL.format("hip", 30) + GENERAL.format("knee", 20))
CONFIG = {"joints": ["knee", "hip"]}


def torques(rig: Rig) -> np.ndarray:
    """The torques that act on knee and hip now."""
    rig.step()
    return rig.data.qfrc_actuator[[1, 0]].copy()


@pytest.mark.parametrize(
    ("position", "velocity", "frame", "expected"),
    [
        # kp·(q* − q) + kd·(v* − v) + t by hand, in the order of the config: knee, hip.
        ((0.0, 0.0), (0.0, 0.0), [(0.1, 0.2), (0, 0), (50, 50), (0, 0), (0, 0)], (5.0, 10.0)),
        ((0.3, -0.2), (1.0, -2.0), [(0, 0), (0, 0), (10, 20), (1, 2), (0, 0)], (-3 - 1, 4 + 4)),
        ((0.3, -0.2), (1.0, -2.0), [(0, 0), (3, 1), (10, 20), (1, 2), (0.5, -1)], (-3 + 2 + 0.5, 4 + 6 - 1)),
        ((0.0, 0.0), (0.0, 0.0), [(0, 0), (0, 0), (0, 0), (0, 0), (7, -8)], (7.0, -8.0)),
        ((0.0, 0.0), (0.0, 0.0), [(1, -1), (0, 0), (100, 100), (0, 0), (0, 0)], (20.0, -30.0)),
        ((0.0, 0.0), (0.0, 0.0), [(0, 0), (0, 0), (0, 0), (0, 0), (-90, 90)], (-20.0, 30.0)),
    ],
)
def test_the_torque_is_that_of_the_motor_law_within_the_effort(
    position: tuple[float, ...], velocity: tuple[float, ...], frame: list[tuple[float, ...]], expected: tuple
) -> None:
    with Rig(MODEL, [("legs", "bxi/mit_actuator", CONFIG)]) as rig:
        rig.data.qpos[[1, 0]] = position
        rig.data.qvel[[1, 0]] = velocity
        rig.command("legs", frame)
        assert torques(rig) == pytest.approx(expected, abs=1e-12)


def test_without_a_frame_the_joints_are_limp() -> None:
    with Rig(MODEL, [("legs", "bxi/mit_actuator", CONFIG)]) as rig:
        rig.data.qpos[:] = (0.5, -0.5)
        rig.data.qvel[:] = (3.0, -3.0)
        assert (torques(rig) == 0.0).all()


def test_the_law_holds_in_every_physics_step_of_a_control_period() -> None:
    with Rig(MODEL, [("legs", "bxi/mit_actuator", CONFIG)], substeps=10) as rig:
        rig.command("legs", [(0, 0), (0, 0), (40, 40), (2, 2), (0, 0)])
        rig.data.qpos[:] = (0.2, 0.1)
        before = None
        for _ in range(3):
            rig.step()
            assert not np.array_equal(rig.data.qfrc_actuator, before)
            before = rig.data.qfrc_actuator.copy()
        hip, knee = rig.data.qpos, rig.data.qvel
        mujoco.mj_forward(rig.model, rig.data)
        assert rig.data.qfrc_actuator == pytest.approx(-40 * hip - 2 * knee, abs=1e-12)


def test_an_effort_of_the_config_takes_the_place_of_the_models() -> None:
    config = {**CONFIG, "effort": [3.0, 4.0]}
    with Rig(MODEL, [("legs", "bxi/mit_actuator", config)]) as rig:
        rig.command("legs", [(0, 0), (0, 0), (0, 0), (0, 0), (90, -90)])
        assert torques(rig) == pytest.approx((3.0, -4.0))


def test_actuators_are_named_by_a_list_or_by_a_pattern() -> None:
    actuators = GENERAL.format("hip", 30).replace('"hip" joint', '"hip_motor" joint', 1)
    actuators += GENERAL.format("knee", 20).replace('"knee" joint', '"knee_motor" joint', 1)
    model = LEG.format(actuators=actuators)
    for naming in ("{joint}_motor", ["knee_motor", "hip_motor"]):
        with Rig(model, [("legs", "bxi/mit_actuator", {**CONFIG, "actuators": naming})]) as rig:
            rig.command("legs", [(0, 0), (0, 0), (0, 0), (0, 0), (1, 2)])
            assert torques(rig) == pytest.approx((1.0, 2.0))


def test_the_endpoint_says_what_it_takes() -> None:
    contributions = define("bxi/mit_actuator", {**CONFIG, "command_timeout": 0.1}, "legs").contributions
    (endpoint,), (driver,) = contributions.endpoints, contributions.drivers
    assert (endpoint.id, endpoint.command.shape, endpoint.joints) == ("legs", (5, 2), ("knee", "hip"))
    assert (endpoint.neutral, endpoint.timeout_s) == ((0.0,) * 10, 0.1)
    assert (driver.id, driver.endpoint) == ("legs/driver", "legs")
    assert [str(claim) for claim in driver.claims()] == ["actuator 'knee'", "actuator 'hip'"]
    assert [request.field for request in driver.requests().values()] == [
        "joints[0]",
        "actuators",
        "joints[1]",
        "actuators",
    ]


def test_a_restored_run_goes_on_bit_by_bit() -> None:
    with Rig(MODEL, [("legs", "bxi/mit_actuator", CONFIG)], substeps=4) as rig:
        rig.command("legs", [(0.3, 0.1), (0, 0), (40, 30), (1, 1), (0.2, 0)])
        rig.step(20)
        kept = rig.run.snapshot()
        rig.step(50)
        first = rig.data.qpos.copy()
        rig.model.actuator_biasprm[:] = 0.0
        rig.run.restore(kept)
        assert rig.model.actuator_biasprm[:, 1] == pytest.approx([-30, -40])
        rig.step(50)
        assert np.array_equal(rig.data.qpos, first)


def test_power_is_cut_when_no_command_comes_for_the_timeout_and_returns_with_the_next() -> None:
    config = {**CONFIG, "command_timeout": 0.1}
    frame = [(0, 0), (0, 0), (0, 0), (0, 0), (3, 4)]
    with Rig(MODEL, [("legs", "bxi/mit_actuator", config)], substeps=5) as rig:
        rig.command("legs", frame)
        rig.step(8)
        assert torques(rig) == pytest.approx((3, 4))
        rig.command("legs", frame)
        rig.step(10)
        assert rig.data.qfrc_actuator[0] == pytest.approx(4), "0.1 s have not passed since the last command"
        assert torques(rig) == pytest.approx((0, 0), abs=1e-12)
        rig.command("legs", frame)
        assert torques(rig) == pytest.approx((3, 4))


def test_without_a_timeout_the_last_command_holds() -> None:
    with Rig(MODEL, [("legs", "bxi/mit_actuator", CONFIG)], substeps=5) as rig:
        rig.command("legs", [(0, 0), (0, 0), (0, 0), (0, 0), (3, 4)])
        rig.step(200)
        assert torques(rig) == pytest.approx((3, 4))


@pytest.mark.parametrize(
    ("actuator", "reason"),
    [
        ('<motor name="knee" joint="knee"/>', "its bias is not affine"),
        ('<position name="knee" joint="knee" kp="30" forcerange="-1 1"/>', "its gain is not fixed at 1"),
        (GENERAL.format("knee", 20).replace("gainprm", 'gear="3" gainprm'), "its gear is 3 instead of 1"),
        (GENERAL.format("knee", 20).replace('joint="knee"', 'joint="hip"'), "it drives something else"),
        (GENERAL.format("knee", 20).replace("gainprm", 'ctrlrange="-1 1" gainprm'), "its control is limited"),
        (
            GENERAL.format("knee", 20).replace("gainprm", 'dyntype="filter" dynprm="1" gainprm'),
            "dynamics of its own",
        ),
        (GENERAL.format("knee", 20).replace(' forcerange="-20 20"', ""), "it has no forcerange"),
    ],
)
def test_an_actuator_of_another_kind_is_refused_with_what_to_write(actuator: str, reason: str) -> None:
    model = LEG.format(actuators=GENERAL.format("hip", 30) + actuator)
    (sentence,) = problems(model, "bxi/mit_actuator", CONFIG)
    assert reason in sentence
    assert '<general name="knee" joint="knee" gainprm="1" biastype="affine" biasprm="0 0 0"' in sentence


def test_the_element_that_a_refusal_suggests_is_accepted() -> None:
    model = LEG.format(actuators=GENERAL.format("hip", 30) + '<motor name="knee" joint="knee"/>')
    (sentence,) = problems(model, "bxi/mit_actuator", {**CONFIG, "effort": 25})
    element = sentence[sentence.index("<general") : sentence.index("/>") + 2]
    assert (
        problems(LEG.format(actuators=GENERAL.format("hip", 30) + element), "bxi/mit_actuator", CONFIG) == []
    )
