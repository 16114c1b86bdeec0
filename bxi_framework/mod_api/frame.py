"""Everything about motor frames in one place: layouts, frames, and frames composed of several layers."""

from __future__ import annotations

from bxi_framework.mod_api.layers import (
    JointCommandComposer,
    JointCommandLayer,
    JointTargetBuffer,
    JointTargetView,
)
from bxi_framework.robot import FIELDS, FloatArray, JointLayout, JointReadings, MotorFrame, MotorTarget

__all__ = [
    "FIELDS",
    "FloatArray",
    "JointCommandComposer",
    "JointCommandLayer",
    "JointLayout",
    "JointReadings",
    "JointTargetBuffer",
    "JointTargetView",
    "MotorFrame",
    "MotorTarget",
]
