"""The robot model: limits as arrays, the default and the passive frame, and its published form."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bxi_framework.robot import Joint, JointType, RobotModel

KNEE = Joint(
    "knee",
    lower=-0.1,
    upper=2.6,
    velocity=20.0,
    effort=150.0,
    max_kp=1000.0,
    max_kd=20.0,
    default_position=0.4,
    default_kp=300.0,
    default_kd=2.5,
    passive_kd=1.5,
)
WHEEL = Joint("wheel", JointType.CONTINUOUS, velocity=30.0)
MODEL = RobotModel("cart", [KNEE, WHEEL])


def test_limits_are_read_only_arrays_in_layout_order() -> None:
    assert MODEL.layout.names == ("knee", "wheel")
    assert MODEL.velocity.tolist() == [20.0, 30.0]
    assert MODEL.upper[0] == pytest.approx(2.6)
    with pytest.raises(ValueError, match="read-only"):
        MODEL.lower[0] = 0.0


def test_no_limit_is_a_finite_number_so_that_arithmetic_stays_finite() -> None:
    assert np.isfinite(MODEL.lower).all() and np.isfinite(MODEL.max_kp).all()
    assert MODEL.upper[1] > 1e38


def test_the_default_frame_holds_the_default_command() -> None:
    frame = MODEL.default_frame()
    assert frame.qpos.tolist() == [pytest.approx(0.4), 0.0]
    assert frame.kp.tolist() == [300.0, 0.0]
    assert frame.kd.tolist() == [2.5, 0.0]
    assert not frame.vel.any() and not frame.torque.any()


def test_the_passive_frame_has_nothing_but_passive_damping() -> None:
    frame = MODEL.passive_frame()
    assert frame.kd.tolist() == [1.5, 0.0]
    frame.kd = 0.0
    assert not frame.data.any()


def test_the_published_form_is_plain_data_with_null_for_no_limit() -> None:
    knee, wheel = json.loads(json.dumps(MODEL.as_dict()))["joints"]
    assert knee == {
        "name": "knee",
        "type": "revolute",
        "lower": -0.1,
        "upper": 2.6,
        "velocity": 20.0,
        "effort": 150.0,
        "max_kp": 1000.0,
        "max_kd": 20.0,
        "default": {"position": 0.4, "kp": 300.0, "kd": 2.5},
        "passive_kd": 1.5,
    }
    assert (wheel["type"], wheel["lower"], wheel["effort"], wheel["velocity"]) == (
        "continuous",
        None,
        None,
        30.0,
    )
