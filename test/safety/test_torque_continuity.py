"""What bounds the estimated torque, and its change in a tick, whatever frames follow each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bxi_framework.robot import FloatArray, Joint, JointReadings, MotorFrame, RobotModel
from bxi_framework.safety import SafetyStage

PERIOD = 0.02
EFFORT = 40.0
MODEL = RobotModel(
    "one",
    [
        Joint(
            "a", lower=-2.0, upper=2.0, velocity=4.0, effort=EFFORT, max_kp=800.0, max_kd=20.0, passive_kd=1.0
        ),
    ],
)
ROUNDING = 1e-3


def numbers(least: float, most: float) -> st.SearchStrategy[float]:
    return st.floats(least, most, width=32)


FRAMES = st.tuples(
    numbers(-2.5, 2.5),
    numbers(-5.0, 5.0),
    st.sampled_from([0.0, 5.0, 80.0, 800.0]),
    numbers(0.0, 20.0),
    numbers(-50.0, 50.0),
)
"""One command each, as different states and policies would give them."""

MOVES = st.tuples(numbers(-0.125, 0.125), numbers(-4.0, 4.0))
"""How far (rad) the joint goes in a tick, and how fast it is (rad/s)."""


def readings(position: float, velocity: float) -> JointReadings:
    values = (np.array([value], dtype=np.float32) for value in (position, velocity, 0.0))
    return JointReadings(("a",), *values)


def torque(data: FloatArray, heard: JointReadings) -> float:
    qpos, vel, kp, kd, feed = (float(value) for value in data[:, 0])
    return kp * (qpos - float(heard.position[0])) + kd * (vel - float(heard.velocity[0])) + feed


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(FRAMES, MOVES, st.integers(1, 4)), min_size=2, max_size=30))
def test_across_any_switches_the_torque_stays_within_the_effort_and_its_change_within_twice_that(
    ticks: list[tuple[tuple[float, ...], tuple[float, float], int]],
) -> None:
    stage, place, last = SafetyStage(MODEL, PERIOD), 0.0, 0.0
    for row, (step, velocity), hold in ticks:
        frame = MotorFrame(MODEL.layout)
        frame.data[:, 0] = row
        for _ in range(hold):
            place = float(np.clip(place + step, -2.5, 2.5))
            heard = readings(place, velocity)
            stage.apply(frame, 1, heard)
            now = torque(stage.emitted.data, heard)
            assert abs(now) <= EFFORT + ROUNDING
            assert abs(now - last) <= 2.0 * EFFORT + ROUNDING
            last = now


@settings(max_examples=200, deadline=None)
@given(FRAMES, FRAMES, numbers(-2.0, 2.0))
def test_while_a_joint_stays_the_change_is_that_of_the_step_the_gains_and_the_feed_forward(
    before: tuple[float, ...], after: tuple[float, ...], place: float
) -> None:
    stage, heard = SafetyStage(MODEL, PERIOD), readings(place, 0.0)
    sent = []
    for row in (before, after):
        frame = MotorFrame(MODEL.layout)
        frame.data[:, 0] = row
        for _ in range(60 if not sent else 1):
            stage.apply(frame, 1, heard)
        sent.append(stage.emitted.data[:, 0].astype(np.float64))
    (q0, v0, kp0, kd0, t0), (q1, v1, kp1, kd1, t1) = sent
    step = 4.0 * PERIOD if kp0 > 0.0 else abs(q1 - q0)
    bound = kp1 * step + abs(kp1 - kp0) * abs(q0 - place) + kd1 * abs(v1 - v0) + abs(kd1 - kd0) * abs(v0)
    change = torque(sent[1][:, None], heard) - torque(sent[0][:, None], heard)
    assert abs(change) <= bound + abs(t1 - t0) + ROUNDING


def test_gains_that_jump_where_the_joint_is_far_from_its_target_make_it_softer_first() -> None:
    """Stiffness ten times as large at the same target would ask for ten times the torque, and the target may
    come no nearer than one step.
    """
    stage, heard = SafetyStage(MODEL, PERIOD), readings(0.0, 0.0)
    frame = MotorFrame.create(MODEL.layout, 0.4, 80.0, 0.0)
    for _ in range(10):
        stage.apply(frame, 1, heard)
    assert stage.emitted.qpos[0] == pytest.approx(0.4)
    frame.kp[:] = 800.0
    told, asked = [], []
    for _ in range(8):
        stage.apply(frame, 1, heard)
        told.append((float(stage.emitted.qpos[0]), float(stage.emitted.kp[0])))
        asked.append(torque(stage.emitted.data, heard))
    assert asked == pytest.approx([EFFORT] * 8, rel=1e-4)
    assert told[0] == pytest.approx((0.32, 125.0), rel=1e-4)
    assert told[-1] == pytest.approx((0.05, 800.0), rel=1e-4)
