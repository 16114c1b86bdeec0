"""The safety stage: every limit on its own, the step of one tick, and frames that are refused as a whole."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bxi_framework.robot import FIELDS, Joint, JointReadings, JointType, MotorFrame, RobotModel
from bxi_framework.safety import Clamp, NotFinite, SafetyStage

PERIOD = 0.02

# 10 rad/s allow 0.2 rad in a period.
MODEL = RobotModel(
    "two",
    [
        Joint(
            "a", lower=-1.0, upper=2.0, velocity=10.0, effort=20.0, max_kp=300.0, max_kd=8.0, passive_kd=1.5
        ),
        Joint(
            "b", lower=-0.5, upper=0.5, velocity=5.0, effort=10.0, max_kp=100.0, max_kd=4.0, passive_kd=0.5
        ),
    ],
)


def frame(
    qpos: object = 0.0, vel: object = 0.0, kp: object = 50.0, kd: object = 1.0, torque: object = 0.0
) -> MotorFrame:
    return MotorFrame.create(MODEL.layout, qpos, kp, kd, vel, torque)  # type: ignore[arg-type]


def stage(qpos: object = 0.0) -> SafetyStage:
    """A stage that has emitted one frame at ``qpos``."""
    built = SafetyStage(MODEL, PERIOD)
    assert built.apply(frame(qpos), 1) is None
    return built


def test_a_frame_within_all_limits_passes_to_the_bit() -> None:
    built = stage()
    wanted = frame([0.1, -0.05], [10.0, -5.0], [300.0, 0.0], [8.0, 0.0], [-20.0, 10.0])
    assert built.apply(wanted, 1) is None
    assert built.emitted.data.tobytes() == wanted.data.tobytes()


# Each row fails if its limit is taken out.
LIMITS = [
    ("qpos", [2.5, 0.0], [2.0, 0.0], Clamp("qpos", "a", 2.5, 2.0)),
    ("qpos", [-1.5, 0.0], [-1.0, 0.0], Clamp("qpos", "a", -1.5, -1.0)),
    ("qpos", [0.0, 0.75], [0.0, 0.5], Clamp("qpos", "b", 0.75, 0.5)),
    ("vel", [10.5, 0.0], [10.0, 0.0], Clamp("vel", "a", 10.5, 10.0)),
    ("vel", [0.0, -6.0], [0.0, -5.0], Clamp("vel", "b", -6.0, -5.0)),
    ("kp", [350.0, 0.0], [300.0, 0.0], Clamp("kp", "a", 350.0, 300.0)),
    ("kp", [0.0, -1.0], [0.0, 0.0], Clamp("kp", "b", -1.0, 0.0)),
    ("kd", [8.5, 0.0], [8.0, 0.0], Clamp("kd", "a", 8.5, 8.0)),
    ("kd", [0.0, -0.25], [0.0, 0.0], Clamp("kd", "b", -0.25, 0.0)),
    ("torque", [20.5, 0.0], [20.0, 0.0], Clamp("torque", "a", 20.5, 20.0)),
    ("torque", [0.0, -12.0], [0.0, -10.0], Clamp("torque", "b", -12.0, -10.0)),
]


@pytest.mark.parametrize(("field", "wanted", "sent", "clamp"), LIMITS)
def test_each_limit_cuts_its_own_field_and_says_so(
    field: str, wanted: list[float], sent: list[float], clamp: Clamp
) -> None:
    built = SafetyStage(MODEL, PERIOD)
    assert built.apply(frame(**{"kp": 0.0, "kd": 0.0, field: wanted}), 1) == (clamp,)
    for name in FIELDS:
        expected = sent if name == field else [0.0, 0.0]
        assert list(getattr(built.emitted, name)) == expected


def test_several_limits_are_reported_together() -> None:
    built = SafetyStage(MODEL, PERIOD)
    wanted = frame([3.0, 3.0], [20.0, 0.0], [0.0, 200.0], 1.0, 0.0)
    for _ in range(3):
        clamps = built.apply(wanted, 1)
        assert isinstance(clamps, tuple)
    assert [(clamp.field, clamp.joint) for clamp in clamps] == [
        ("qpos", "a"),
        ("qpos", "b"),
        ("vel", "a"),
        ("kp", "b"),
    ]


def test_a_joint_that_is_wanted_beyond_its_limit_stands_there_and_is_not_blamed_for_a_step() -> None:
    built = stage([2.0, 0.0])
    assert built.apply(frame([9.0, 0.0]), 1) == (Clamp("qpos", "a", 9.0, 2.0),)
    assert built.emitted.qpos[0] == 2.0


@pytest.mark.parametrize(
    ("start", "wanted", "sent"),
    [
        (0.0, 0.2, 0.2),  # as far as the joint may go
        (0.0, 0.3, 0.2),
        (0.0, -0.3, -0.2),
        (0.5, -1.0, 0.3),
        (-0.9, 2.0, -0.7),
    ],
)
def test_a_stiff_joint_steps_no_further_than_its_velocity_allows(
    start: float, wanted: float, sent: float
) -> None:
    built = stage([start, 0.0])
    clamps = built.apply(frame([wanted, 0.0]), 1)
    assert built.emitted.qpos[0] == pytest.approx(sent)
    if wanted == pytest.approx(sent):
        assert clamps is None
    else:
        assert clamps == (Clamp("step", "a", pytest.approx(wanted), pytest.approx(sent)),)


def test_each_joint_has_its_own_step() -> None:
    built = stage()
    built.apply(frame([0.4, 0.4]), 1)
    assert built.emitted.qpos == pytest.approx([0.2, 0.1])


def test_a_far_target_is_reached_step_by_step() -> None:
    built = stage()
    seen = []
    for _ in range(5):
        built.apply(frame([0.7, 0.0]), 1)
        seen.append(float(built.emitted.qpos[0]))
    assert seen == pytest.approx([0.2, 0.4, 0.6, 0.7, 0.7])


@pytest.mark.parametrize("kp", [0.0, -0.0, -5.0])
def test_a_joint_without_stiffness_has_no_step(kp: float) -> None:
    built = stage()
    built.apply(frame([1.5, 0.4], kp=[kp, 50.0]), 1)
    assert built.emitted.qpos == pytest.approx([1.5, 0.1])


def test_the_last_emitted_frame_is_the_base_of_the_step_and_not_the_wanted_one() -> None:
    built = stage()
    built.apply(frame([1.9, 0.0]), 1)
    built.apply(frame([-0.9, 0.0]), 1)
    assert built.emitted.qpos[0] == pytest.approx(0.0)  # 0.2 and back by 0.2


@pytest.mark.parametrize(("cycles", "reach"), [(1, 0.2), (2, 0.4), (5, 1.0)])
def test_skipped_cycles_widen_the_step(cycles: int, reach: float) -> None:
    built = stage()
    built.apply(frame([1.9, 0.0]), cycles)
    assert built.emitted.qpos[0] == pytest.approx(reach)
    built.apply(frame([-0.9, 0.0]), 1)  # and the next tick is an ordinary one
    assert built.emitted.qpos[0] == pytest.approx(reach - 0.2)


def test_the_way_to_a_limit_of_the_position_has_its_steps_too() -> None:
    built = stage([1.5, 0.0])
    clamps = built.apply(frame([5.0, 0.0]), 1)
    assert clamps == (Clamp("qpos", "a", 5.0, 2.0), Clamp("step", "a", 2.0, pytest.approx(1.7)))
    assert built.emitted.qpos[0] == pytest.approx(1.7)


def test_the_limits_of_the_position_hold_even_where_the_joint_was_found_outside_of_them() -> None:
    model = RobotModel("raised", [Joint("r", lower=1.0, upper=2.0, velocity=10.0, max_kp=100.0, max_kd=5.0)])
    built = SafetyStage(model, PERIOD)
    lying = JointReadings.zeros(model.layout.names)
    built.apply(MotorFrame.create(model.layout, 1.8, 50.0, 1.0), 1, lying)
    assert built.emitted.qpos[0] == 1.0
    built.apply(MotorFrame.create(model.layout, 1.8, 50.0, 1.0), 1)
    assert built.emitted.qpos[0] == pytest.approx(1.2)


def test_the_first_frame_has_no_step_but_every_other_limit() -> None:
    built = SafetyStage(MODEL, PERIOD)
    clamps = built.apply(frame([1.5, 4.0]), 1)
    assert list(built.emitted.qpos) == [1.5, 0.5]
    assert clamps == (Clamp("qpos", "b", 4.0, 0.5),)
    built.apply(frame([-1.0, 0.5]), 1)
    assert built.emitted.qpos[0] == pytest.approx(1.3)


def test_before_the_first_frame_there_is_the_passive_one() -> None:
    built = SafetyStage(MODEL, PERIOD)
    assert list(built.emitted.kd) == [1.5, 0.5]
    assert not built.emitted.kp.any() and not built.emitted.torque.any() and not built.emitted.vel.any()


def test_a_forced_frame_is_emitted_as_it_is() -> None:
    built = stage([1.5, 0.0])
    built.force(MODEL.passive_frame())
    assert built.emitted.data.tobytes() == MODEL.passive_frame().data.tobytes()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e308, -1e308])
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("joint", [0, 1])
def test_a_value_that_is_not_finite_refuses_the_whole_frame(field: str, joint: int, value: float) -> None:
    built = stage([0.25, 0.0])
    before = built.emitted.data.tobytes()
    wanted = frame([0.3, 0.05])
    with np.errstate(over="ignore"):
        getattr(wanted, field)[joint] = value  # 1e308 is infinite as a float32
    refused = built.apply(wanted, 1)
    assert isinstance(refused, NotFinite)
    assert (refused.field, refused.joint) == (field, "ab"[joint])
    assert not math.isfinite(refused.value)
    assert built.emitted.data.tobytes() == before
    # And the step is still counted from the last good frame.
    built.apply(frame([1.0, 0.0]), 1)
    assert built.emitted.qpos[0] == pytest.approx(0.45)


@pytest.mark.parametrize("field", FIELDS)
def test_a_first_frame_that_is_refused_leaves_the_passive_one(field: str) -> None:
    built = SafetyStage(MODEL, PERIOD)
    assert isinstance(built.apply(frame(**{field: math.nan}), 1), NotFinite)
    assert built.emitted.data.tobytes() == MODEL.passive_frame().data.tobytes()
    # The frame after it is the first one, which has no step.
    assert built.apply(frame([1.5, 0.0]), 1) is None
    assert built.emitted.qpos[0] == 1.5


@pytest.mark.parametrize("field", FIELDS)
def test_a_negative_zero_is_a_zero(field: str) -> None:
    built = stage()
    assert built.apply(frame(**{field: -0.0}), 1) is None
    assert (getattr(built.emitted, field) == 0.0).all()


@pytest.mark.parametrize("value", [3e38, -3e38])
def test_the_largest_finite_values_are_cut_and_not_refused(value: float) -> None:
    built = stage()
    with np.errstate(over="ignore"):
        clamps = built.apply(frame(value, value, abs(value), abs(value), value), 1)
        assert isinstance(clamps, tuple) and len(clamps) == 12  # five fields and the step, of two joints
        built.apply(frame(-value, -value, abs(value), abs(value), -value), 1)
    assert np.isfinite(built.emitted.data).all()
    assert list(built.emitted.kp) == [300.0, 100.0]


def test_a_continuous_joint_turns_without_end_but_is_not_held_without_a_step() -> None:
    model = RobotModel("wheel", [Joint("w", JointType.CONTINUOUS, velocity=10.0, max_kp=100.0, max_kd=10.0)])
    built = SafetyStage(model, PERIOD)
    for turns in (1000.0, -1000.0):
        driven = MotorFrame.create(model.layout, turns, 0.0, 5.0, vel=8.0)
        assert built.apply(driven, 1) is None
        assert (built.emitted.qpos[0], built.emitted.vel[0]) == (turns, 8.0)
    there = JointReadings(("w",), np.float32([-1000.0]), np.float32([8.0]), np.float32([0.0]))
    built.apply(MotorFrame.create(model.layout, 0.0, 50.0, 5.0), 1, there)
    assert built.emitted.qpos[0] == pytest.approx(-999.8)


def test_a_model_without_limits_lets_every_finite_frame_pass() -> None:
    model = RobotModel("free", [Joint("f")])
    built = SafetyStage(model, PERIOD)
    for value in (1e30, -1e30):
        wild = MotorFrame.create(model.layout, value, 1e30, 1e30, value, value)
        assert built.apply(wild, 1) is None
        assert built.emitted.data.tobytes() == wild.data.tobytes()
    assert isinstance(built.apply(MotorFrame.create(model.layout, math.inf, 1.0, 1.0), 1), NotFinite)


def test_nobody_outside_can_write_the_emitted_frame() -> None:
    built = stage([0.25, 0.0])
    for field in FIELDS:
        with pytest.raises(ValueError, match="read-only"):
            getattr(built.emitted, field)[:] = 9.0
        with pytest.raises(ValueError, match="read-only"):
            setattr(built.emitted, field, 9.0)
    with pytest.raises(ValueError, match="read-only"):
        built.emitted.update(1.0, 1.0, 1.0)
    shown = built.emitted
    built.apply(frame([0.3, 0.0]), 1)
    assert shown.qpos[0] == pytest.approx(0.3)  # the same frame, as it is now
    copy = built.emitted.copy()
    copy.qpos[:] = 9.0  # a copy is anybody's own
    assert built.emitted.qpos[0] == pytest.approx(0.3)


def test_the_wanted_frame_is_left_as_it_was() -> None:
    built = stage()
    wanted = frame([5.0, 5.0], 99.0, 999.0, 99.0, 99.0)
    before = wanted.data.tobytes()
    built.apply(wanted, 1)
    assert wanted.data.tobytes() == before
