"""Orientations: quaternions in both orders, and what they say of up and down."""

from __future__ import annotations

import numpy as np

from bxi_framework.robot import FloatArray

__all__ = ["projected_gravity", "quat_wxyz", "quat_xyzw"]


def quat_wxyz(quat_xyzw: FloatArray) -> FloatArray:
    """A quaternion x, y, z, w in the order w, x, y, z."""
    return np.roll(quat_xyzw, 1)


def quat_xyzw(quat_wxyz: FloatArray) -> FloatArray:
    """A quaternion w, x, y, z in the order x, y, z, w."""
    return np.roll(quat_wxyz, -1)


def projected_gravity(quat_xyzw: FloatArray) -> FloatArray:
    """The direction of gravity as the body feels it, a unit vector of shape (3,): (0, 0, -1) while upright.

    Args:
        quat_xyzw: the body's orientation in the world as a unit quaternion.
    """
    x, y, z, w = (float(part) for part in quat_xyzw)
    down = (2.0 * (w * y - x * z), -2.0 * (w * x + y * z), 2.0 * (x * x + y * y) - 1.0)
    return np.array(down, dtype=np.float32)
