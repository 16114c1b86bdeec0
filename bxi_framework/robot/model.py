"""The robot model: its joints with limits, default command and passive damping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from bxi_framework.robot.frame import FloatArray, MotorFrame
from bxi_framework.robot.layout import JointLayout

UNLIMITED = float(np.finfo(np.float32).max)
"""Stands for "no limit" in arrays of limits: the largest finite float32, so that limits stay finite."""


class JointType(str, Enum):
    """``revolute`` turns between two limits, ``continuous`` turns without end."""

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"


@dataclass(frozen=True, slots=True)
class Joint:
    """One joint: limits in rad, rad/s, N·m and gains; the default command; damping when passive."""

    name: str
    type: JointType = JointType.REVOLUTE
    lower: float = -UNLIMITED
    upper: float = UNLIMITED
    velocity: float = UNLIMITED
    effort: float = UNLIMITED
    max_kp: float = UNLIMITED
    max_kd: float = UNLIMITED
    default_position: float = 0.0
    default_kp: float = 0.0
    default_kd: float = 0.0
    passive_kd: float = 0.0


class RobotModel:
    """Everything the framework knows of a robot; immutable, its arrays are read-only float32 of shape
    (N,).
    """

    def __init__(self, name: str, joints: Sequence[Joint]) -> None:
        self.name = name
        self.joints = tuple(joints)
        self.layout = JointLayout((joint.name for joint in joints), label=name)
        self.lower = self._array([joint.lower for joint in joints])
        self.upper = self._array([joint.upper for joint in joints])
        self.velocity = self._array([joint.velocity for joint in joints])
        self.effort = self._array([joint.effort for joint in joints])
        self.max_kp = self._array([joint.max_kp for joint in joints])
        self.max_kd = self._array([joint.max_kd for joint in joints])
        self.default_position = self._array([joint.default_position for joint in joints])
        self.default_kp = self._array([joint.default_kp for joint in joints])
        self.default_kd = self._array([joint.default_kd for joint in joints])
        self.passive_kd = self._array([joint.passive_kd for joint in joints])

    @staticmethod
    def _array(values: Sequence[float]) -> FloatArray:
        array = np.array(values, dtype=np.float32)
        array.setflags(write=False)
        return array

    def default_frame(self) -> MotorFrame:
        """A new frame with every joint's default command."""
        return MotorFrame.create(self.layout, self.default_position, self.default_kp, self.default_kd)

    def passive_frame(self) -> MotorFrame:
        """A new frame that asks for nothing but each joint's passive damping: kp, vel and torque are zero."""
        return MotorFrame.create(self.layout, 0.0, 0.0, self.passive_kd)

    def as_dict(self) -> dict[str, object]:
        """The model as plain data, as it is published on ``joint_layout``."""
        return {
            "robot": self.name,
            "joints": [
                {
                    "name": joint.name,
                    "type": joint.type.value,
                    **{
                        limit: None if abs(getattr(joint, limit)) >= UNLIMITED else getattr(joint, limit)
                        for limit in ("lower", "upper", "velocity", "effort", "max_kp", "max_kd")
                    },
                    "default": {
                        "position": joint.default_position,
                        "kp": joint.default_kp,
                        "kd": joint.default_kd,
                    },
                    "passive_kd": joint.passive_kd,
                }
                for joint in self.joints
            ],
        }
