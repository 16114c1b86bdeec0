"""Ideal actuators against the exact solution of a first-order lag."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest

from bxi_framework.robot import IdealActuators, Joint, JointLayout, MotorFrame, RobotModel

THREE = JointLayout(["a", "b", "c"])
TAU = 0.05
DT = 0.02
SHARE = 1.0 - math.exp(-DT / TAU)


def frame(**fields: object) -> MotorFrame:
    return MotorFrame(THREE).update(**fields)  # type: ignore[arg-type]


def test_stiff_joints_follow_the_position_with_the_time_constant() -> None:
    joints = IdealActuators(THREE.names, time_constant=TAU, position=[0.0, 1.0, 0.5])
    command = frame(qpos=[1.0, 1.0, -0.5], kp=[100, 1, 0.1]).data
    joints.step(command, DT)
    assert joints.position == pytest.approx([SHARE, 1.0, 0.5 - SHARE], rel=1e-6)
    assert joints.velocity == pytest.approx([SHARE / DT, 0.0, -SHARE / DT], rel=1e-5)
    joints.step(command, DT)
    assert joints.position[0] == pytest.approx(1.0 - math.exp(-2 * DT / TAU), rel=1e-6)


def test_damped_joints_without_stiffness_turn_with_the_commanded_velocity() -> None:
    joints = IdealActuators(THREE.names, time_constant=TAU)
    command = frame(qpos=[9.0, 9.0, 9.0], vel=[3.0, -3.0, 0.0], kd=[1.0, 2.0, 0.5]).data
    joints.step(command, DT)
    assert joints.velocity == pytest.approx([3.0 * SHARE, -3.0 * SHARE, 0.0], rel=1e-6)
    assert joints.position == pytest.approx([3.0 * SHARE * DT, -3.0 * SHARE * DT, 0.0], rel=1e-6)
    for _ in range(200):
        joints.step(command, DT)
    assert joints.velocity == pytest.approx([3.0, -3.0, 0.0], abs=1e-5)
    assert joints.position[0] > 11.0


def test_joints_without_gains_coast_to_rest() -> None:
    joints = IdealActuators(THREE.names, time_constant=TAU)
    joints.velocity[:] = [2.0, 0.0, -1.0]
    limp = frame(qpos=5.0, vel=5.0).data
    joints.step(limp, DT)
    assert joints.velocity == pytest.approx([2.0 * (1 - SHARE), 0.0, -(1 - SHARE)], rel=1e-6)
    for _ in range(100):
        joints.step(limp, DT)
    assert joints.velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    before = joints.position.copy()
    joints.step(limp, DT)
    assert np.allclose(joints.position, before, atol=1e-6)


def test_each_joint_takes_the_law_of_its_own_gains() -> None:
    joints = IdealActuators(THREE.names, time_constant=TAU)
    joints.step(frame(qpos=1.0, vel=1.0, kp=[1, 0, 0], kd=[0, 1, 0]).data, DT)
    assert joints.position == pytest.approx([SHARE, SHARE * DT, 0.0], rel=1e-6)
    assert joints.velocity == pytest.approx([SHARE / DT, SHARE, 0.0], rel=1e-5)


def test_the_effort_is_the_impedance_law_of_the_command() -> None:
    joints = IdealActuators(THREE.names, time_constant=TAU, position=[0.2, 0.0, 0.0])
    joints.step(
        frame(qpos=[0.2, 0.0, 0.0], vel=[0.0, 4.0, 0.0], kp=[10, 0, 0], kd=[1, 2, 0], torque=[1, 2, 3]).data,
        DT,
    )
    # At its target and at rest; 2 (4 - 4 share) + 2; feed-forward alone.
    assert joints.effort == pytest.approx([1.0, 8.0 * (1 - SHARE) + 2.0, 3.0], rel=1e-6)


def test_two_runs_are_equal_to_the_bit_and_steps_allocate_nothing() -> None:
    first, second = (IdealActuators(THREE.names) for _ in range(2))
    command = frame(qpos=[0.3, 0.1, -0.7], vel=0.4, kp=[50, 0, 20], kd=[1, 1, 0]).data
    for _ in range(50):
        first.step(command, DT)
    position, velocity = first.position, first.velocity
    tracemalloc.start()
    for _ in range(50):
        second.step(command, DT)
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(500):
        first.step(command, DT)
    growth = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert growth < 500, "less than a byte a step"
    assert first.position is position and first.velocity is velocity
    for _ in range(500):
        second.step(command, DT)
    assert np.array_equal(first.position, second.position)
    assert np.array_equal(first.velocity, second.velocity)
    assert np.array_equal(first.effort, second.effort)


def test_joints_come_from_a_robot_model_too() -> None:
    joints = IdealActuators(RobotModel("r", [Joint("a"), Joint("b")]), position=[1.0, 2.0])
    assert joints.names == ("a", "b")
    assert joints.position.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("value", [0.0, -0.1, math.nan, math.inf])
def test_a_time_constant_must_be_positive_and_finite(value: float) -> None:
    with pytest.raises(ValueError, match="time constant"):
        IdealActuators(THREE.names, time_constant=value)


def test_wrong_steps_are_refused() -> None:
    joints = IdealActuators(THREE.names)
    with pytest.raises(ValueError, match=r"shape \(5, 3\), not \(5, 2\)"):
        joints.step(np.zeros((5, 2), dtype=np.float32), DT)
    for dt in (0.0, -DT, math.nan):
        with pytest.raises(ValueError, match="more than 0 s"):
            joints.step(frame().data, dt)
