"""A joint that had no stiffness begins its way where it is, not where a frame said that did not hold it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxi_framework.robot import Joint, JointReadings, MotorFrame, RobotModel
from bxi_framework.safety import Clamp, SafetyStage

PERIOD = 0.02

# 5 rad/s allow 0.1 rad in a period.
MODEL = RobotModel(
    "two",
    [Joint(name, lower=-2.0, upper=2.0, velocity=5.0, max_kp=100.0, max_kd=5.0) for name in ("a", "b")],
)
NAMES = MODEL.layout.names


def readings(position: list[float], known: list[bool] | None = None) -> JointReadings:
    zero = np.zeros(2, dtype=np.float32)
    mask = None if known is None else np.array(known)
    return JointReadings(NAMES, np.array(position, dtype=np.float32), zero, zero, mask)


def frame(qpos: object, kp: object = 100.0) -> MotorFrame:
    return MotorFrame.create(MODEL.layout, qpos, kp, 1.0)  # type: ignore[arg-type]


def passive() -> SafetyStage:
    """A stage whose last frame was the passive one: all positions 0, and no stiffness."""
    built = SafetyStage(MODEL, PERIOD)
    built.force(MODEL.passive_frame())
    return built


def test_a_limp_joint_that_is_told_to_hold_where_it_is_is_told_exactly_that() -> None:
    built = passive()
    assert built.apply(frame([1.0, -0.5]), 1, readings([1.0, -0.5])) is None
    assert list(built.emitted.qpos) == [1.0, -0.5]
    assert list(built.emitted.kp) == [100.0, 100.0]
    assert built.blind == ()


def test_a_limp_joint_that_is_told_to_go_elsewhere_goes_there_step_by_step() -> None:
    built = passive()
    seen = []
    for tick in range(4):
        clamps = built.apply(frame([0.75, 0.0]), 1, readings([1.0, 0.0]))
        seen.append(float(built.emitted.qpos[0]))
        assert (clamps is None) == (tick >= 2)
    assert seen == pytest.approx([0.9, 0.8, 0.75, 0.75])


def test_the_first_frame_of_all_is_no_exception() -> None:
    built = SafetyStage(MODEL, PERIOD)
    clamps = built.apply(frame([1.0, 0.0]), 1, readings([0.5, 0.0]))
    assert clamps == (Clamp("step", "a", 1.0, pytest.approx(0.6)),)


def test_one_joint_may_be_limp_and_its_neighbour_not() -> None:
    built = passive()
    built.apply(frame([1.0, 0.0], [0.0, 100.0]), 1, readings([1.0, 0.0]))
    built.apply(frame([1.0, 1.0]), 1, readings([0.875, 0.0]))
    # a: 0.1 from where it is; b: 0.1 from where it was told to be.
    assert built.emitted.qpos == pytest.approx([0.975, 0.1])


def test_a_soft_joint_is_not_limp() -> None:
    built = passive()
    built.apply(frame([1.0, 0.0], 0.001), 1, readings([1.0, 0.0]))
    built.apply(frame([1.0, 0.0]), 1, readings([-1.0, 0.0]))
    assert built.emitted.qpos[0] == 1.0


@pytest.mark.parametrize("there", [None, readings([1.0, 0.0], [False, True])])
def test_a_limp_joint_of_which_nothing_is_known_has_no_step_and_is_named(there: JointReadings | None) -> None:
    built = passive()
    assert built.apply(frame([1.5, 0.05]), 1, there) is None
    assert list(built.emitted.qpos) == [1.5, np.float32(0.05)]
    assert built.blind == (NAMES if there is None else ("a",))
    # From then on it was told where to be.
    built.apply(frame([0.0, 0.0]), 1, there)
    assert built.emitted.qpos[0] == pytest.approx(1.4)


def test_a_joint_of_which_nothing_is_known_counts_in_no_estimate_of_torque() -> None:
    model = RobotModel("weak", [Joint("a", effort=1.0), Joint("b", effort=1.0)])
    built = SafetyStage(model, PERIOD)
    far = MotorFrame.create(model.layout, [2.0, 2.0], 50.0, 0.0)
    built.apply(far, 1, readings([0.0, 1.99], [False, True]))
    assert built.emitted.qpos == pytest.approx([2.0, 2.0])
    clamps = built.apply(far, 1, readings([0.0, 1.99]))
    assert clamps == (Clamp("estimated torque", "a", 100.0, 1.0),)


@given(
    st.lists(
        st.tuples(
            st.floats(-2, 2, width=32),
            st.sampled_from((0.0, 0.5, 100.0)),
            st.one_of(st.none(), st.floats(-2, 2, width=32)),
        ),
        min_size=2,
        max_size=30,
    )
)
def test_no_stiff_joint_is_told_a_place_further_than_a_step_from_where_it_was_or_was_told_to_be(
    ticks: list[tuple[float, float, float | None]],
) -> None:
    built = passive()
    told, stiff = 0.0, False
    for qpos, kp, measured in ticks:
        built.apply(frame([qpos, 0.0], [kp, 1.0]), 1, None if measured is None else readings([measured, 0.0]))
        sent = float(built.emitted.qpos[0])
        base = told if stiff else measured
        if kp > 0.0 and base is not None:
            assert abs(sent - base) <= 0.1 + 1e-5
        told, stiff = sent, kp > 0.0
