"""The torque that a frame asks for, estimated from what the joints report and kept within their effort."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxi_framework.robot import Joint, JointReadings, MotorFrame, RobotModel
from bxi_framework.safety import Clamp, NotFinite, SafetyStage

MODEL = RobotModel(
    "two",
    [
        Joint("a", lower=-1.0, upper=2.0, velocity=100.0, effort=20.0, max_kp=300.0, max_kd=8.0),
        Joint("b", lower=-1.0, upper=1.0, velocity=100.0, effort=10.0, max_kp=100.0, max_kd=4.0),
    ],
)


def readings(position: list[float], velocity: list[float] | None = None) -> JointReadings:
    return JointReadings(
        MODEL.layout.names,
        np.array(position, dtype=np.float32),
        np.array(velocity or [0.0, 0.0], dtype=np.float32),
        np.zeros(2, dtype=np.float32),
    )


def frame(qpos: list[float], kp: list[float], *, vel: object = 0.0, kd: object = 0.0, torque: object = 0.0):
    return MotorFrame.create(MODEL.layout, qpos, kp, kd, vel, torque)  # type: ignore[arg-type]


def stage() -> SafetyStage:
    return SafetyStage(MODEL, 0.02)


def test_the_estimate_is_the_law_of_the_joint() -> None:
    built = stage()
    wanted = frame([0.5, 0.0], [20.0, 10.0], vel=[1.0, -2.0], kd=[2.0, 3.0], torque=[1.0, -0.5])
    # a: 20 (0.5 - 0.25) + 2 (1 - 0.5) + 1 = 7; b: 10 (0 - 0.125) + 3 (-2 + 0.5) - 0.5 = -6.25
    assert built.apply(wanted, 1, readings([0.25, 0.125], [0.5, -0.5])) is None
    assert list(built.estimate.torque) == [7.0, -6.25]
    assert built.emitted.data.tobytes() == wanted.data.tobytes()


def test_exactly_the_effort_is_allowed() -> None:
    built = stage()
    assert built.apply(frame([0.5, -0.25], [40.0, 40.0]), 1, readings([0.0, 0.0])) is None
    assert list(built.estimate.torque) == [20.0, -10.0]


def test_a_target_too_far_away_comes_nearer() -> None:
    built = stage()
    # 100 (0.75 - 0.25) = 50 N·m of 20: the error shrinks from 0.5 to 0.2 rad.
    clamps = built.apply(frame([0.75, 0.0], [100.0, 0.0]), 1, readings([0.25, 0.5]))
    assert clamps == (Clamp("estimated torque", "a", 50.0, 20.0),)
    assert built.emitted.qpos[0] == pytest.approx(0.45)
    assert built.emitted.kp[0] == 100.0


def test_position_and_velocity_errors_shrink_alike() -> None:
    built = stage()
    # 50 (1.0 - 0.5) + 5 (4 - 1) = 40 N·m of 20: both errors are halved.
    built.apply(
        frame([1.0, 0.0], [50.0, 0.0], vel=[4.0, 0.0], kd=[5.0, 0.0]), 1, readings([0.5, 0.0], [1.0, 0.0])
    )
    assert built.emitted.qpos[0] == pytest.approx(0.75)
    assert built.emitted.vel[0] == pytest.approx(2.5)


def test_feed_forward_torque_is_kept_and_leaves_less_for_the_errors() -> None:
    built = stage()
    # 40 (0.5 - 0) + 15 = 35 of 20: 5 N·m are left for the error, a quarter of it.
    built.apply(frame([0.5, 0.0], [40.0, 0.0], torque=[15.0, 0.0]), 1, readings([0.0, 0.0]))
    assert built.emitted.torque[0] == 15.0
    assert built.emitted.qpos[0] == pytest.approx(0.125)


def test_a_wheel_is_told_a_speed_nearer_to_its_own() -> None:
    built = stage()
    # 4 (6 - 1) = 20 of 10: half the error.
    built.apply(
        frame([0.0, 0.0], [0.0, 0.0], vel=[0.0, 6.0], kd=[0.0, 4.0]), 1, readings([0.0, 0.0], [0.0, 1.0])
    )
    assert built.emitted.vel[1] == pytest.approx(3.5)


def test_the_estimate_is_of_the_gains_that_are_sent() -> None:
    built = stage()
    # kp 900 is cut to 300 first: 300 * 0.05 = 15 N·m is allowed.
    clamps = built.apply(frame([0.05, 0.0], [900.0, 0.0]), 1, readings([0.0, 0.0]))
    assert clamps == (Clamp("kp", "a", 900.0, 300.0),)
    assert built.emitted.qpos[0] == np.float32(0.05)


def test_without_readings_nothing_is_estimated() -> None:
    built = stage()
    assert built.apply(frame([0.75, 0.0], [100.0, 0.0]), 1) is None
    assert built.emitted.qpos[0] == 0.75


def test_the_step_limit_holds_also_on_the_way_back() -> None:
    slow = RobotModel("slow", [Joint("a", velocity=1.0, effort=1.0), Joint("b", velocity=1.0, effort=1.0)])
    built = SafetyStage(slow, 0.02)
    held = MotorFrame.create(slow.layout, [0.5, 0.0], 10.0, 0.0)
    assert built.apply(held, 1) is None
    built.apply(held, 1, readings([0.0, 0.0]))  # 5 N·m of 1 want 0.1 rad, 0.02 rad may be stepped
    assert built.emitted.qpos[0] == pytest.approx(0.48)


def test_a_value_that_is_not_finite_is_refused_before_anything_is_estimated() -> None:
    built = stage()
    verdict = built.apply(frame([math.nan, 0.0], [1.0, 1.0]), 1, readings([0.0, 0.0]))
    assert isinstance(verdict, NotFinite)
    assert (verdict.field, verdict.joint) == ("qpos", "a")


NUMBERS = st.floats(-1e4, 1e4, width=32)
PAIRS = st.tuples(NUMBERS, NUMBERS).map(list)


@given(PAIRS, PAIRS, PAIRS, PAIRS, PAIRS, PAIRS, PAIRS)
def test_whatever_is_asked_for_stays_within_the_effort(
    qpos: list[float],
    vel: list[float],
    kp: list[float],
    kd: list[float],
    torque: list[float],
    position: list[float],
    velocity: list[float],
) -> None:
    free = RobotModel(
        "free",
        [
            Joint("a", velocity=1e6, effort=20.0, max_kp=300.0, max_kd=8.0),
            Joint("b", velocity=1e6, effort=10.0, max_kp=100.0, max_kd=4.0),
        ],
    )
    built = SafetyStage(free, 0.02)
    wanted = MotorFrame.create(free.layout, qpos, kp, kd, vel, torque)
    built.apply(wanted, 1, readings(position, velocity))
    sent = built.emitted.data.astype(np.float64)
    now = built.emitted
    asked = now.kp * (sent[0] - position) + now.kd * (sent[1] - velocity) + sent[4]
    # float32 holds positions of 1e4 rad to 1e-3 rad, which is 0.3 N·m at the highest gain
    assert (np.abs(asked) <= free.effort + 0.3).all()
    assert np.isfinite(sent).all()
