"""A robot of two joints and the real context that its states see."""

from __future__ import annotations

import numpy as np

from bxi_framework.machine.context import ControlContext
from bxi_framework.robot import ImuReading, InputSnapshot, Joint, JointReadings, MotorFrame, RobotModel

MODEL = RobotModel(
    "arm",
    [Joint("shoulder", default_kp=10.0, default_kd=1.0), Joint("elbow", default_kp=20.0, default_kd=2.0)],
)


class Wishes:
    """Takes requests for switches; answers with ``accept``."""

    def __init__(self, *, accept: bool = True) -> None:
        self.accept = accept
        self.made: list[tuple[str, str, str | None]] = []

    def __call__(self, name: str, trigger: str, transition: str | None, delay: float, force: bool) -> bool:
        self.made.append((name, trigger, transition))
        return self.accept


def context(
    wishes: Wishes | None = None, cmd_vel: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> ControlContext:
    """A context in its first tick."""
    ctx = ControlContext(MODEL, {}, wishes or Wishes(), lambda level, source, message: None)
    joints = JointReadings.zeros(MODEL.layout.names)
    ctx.begin(InputSnapshot(joints, ImuReading(), np.array(cmd_vel, dtype=np.float32)), 0.02)
    return ctx


def commanded(ctx: ControlContext) -> MotorFrame:
    """A copy of the frame that was submitted in this tick."""
    assert ctx.target is not None
    return ctx.target.copy()
