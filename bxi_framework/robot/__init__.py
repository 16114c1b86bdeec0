"""What a robot is made of, as data: joints, frames, limits and what its sensors last said.

``layout``    the ordered joint names that give a vector its meaning
``frame``     the motor frame: five float32 rows per joint
``mapping``   a frame in one layout carried over to another by joint name
``model``     the robot: joints with limits, defaults and passive damping
``actuators`` ideal joints for runs without hardware
``inputs``    one consistent snapshot of everything the robot and its operator last said
"""

from __future__ import annotations

from bxi_framework.robot.actuators import IdealActuators
from bxi_framework.robot.frame import FIELDS, FloatArray, MotorFrame, MotorTarget
from bxi_framework.robot.inputs import Heard, ImuReading, InputAges, InputSnapshot, JointReadings
from bxi_framework.robot.layout import JointLayout
from bxi_framework.robot.mapping import FrameMapping
from bxi_framework.robot.model import Joint, JointType, RobotModel

__all__ = [
    "FIELDS",
    "FloatArray",
    "FrameMapping",
    "Heard",
    "IdealActuators",
    "ImuReading",
    "InputAges",
    "InputSnapshot",
    "Joint",
    "JointLayout",
    "JointReadings",
    "JointType",
    "MotorFrame",
    "MotorTarget",
    "RobotModel",
]
