"""Quaternions in both orders, and which way is down."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bxi_framework.mod_api import frame
from bxi_framework.mod_api.geometry import projected_gravity, quat_wxyz, quat_xyzw
from bxi_framework.mod_api.layers import JointCommandComposer
from bxi_framework.robot import MotorFrame

HALF = math.sqrt(0.5)


def quaternion(*parts: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array(parts, dtype=np.float32)


def test_the_order_of_a_quaternion() -> None:
    assert quat_wxyz(quaternion(1, 2, 3, 4)).tolist() == [4, 1, 2, 3]
    assert quat_xyzw(quaternion(4, 1, 2, 3)).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("quat_xyzw", "down"),
    [
        ((0, 0, 0, 1), (0, 0, -1)),
        ((0, 0, HALF, HALF), (0, 0, -1)),
        ((HALF, 0, 0, HALF), (0, -1, 0)),
        ((0, HALF, 0, HALF), (1, 0, 0)),
        ((1, 0, 0, 0), (0, 0, 1)),
    ],
    ids=["upright", "turned", "on its right side", "on its face", "upside down"],
)
def test_gravity_as_the_body_feels_it(quat_xyzw: tuple[float, ...], down: tuple[float, float, float]) -> None:
    """Rolled by 90 degrees its y axis points up; pitched by 90 degrees its x axis points down."""
    found = projected_gravity(quaternion(*quat_xyzw))
    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx(down, abs=1e-6)


def test_the_module_of_frames_offers_the_same_classes() -> None:
    assert frame.MotorFrame is MotorFrame
    assert frame.JointCommandComposer is JointCommandComposer
    assert all(hasattr(frame, name) for name in frame.__all__)
