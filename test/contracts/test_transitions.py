"""All built-in transition types, and one as a Mod would bring it, keep to the contract."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from contracts.transition_contract import TransitionContract

from bxi_framework.mod_api import ConfigReader, MotorFrame, SingleClassTransition, TransitionContext


class OneByOne(SingleClassTransition):
    """Joints change over to the target one after the other."""

    type_name = "one_by_one"

    def __init__(self, duration: float) -> None:
        self.duration = duration

    @classmethod
    def from_config(cls, reader: ConfigReader) -> OneByOne:
        return cls(reader.float("duration", minimum=0.0))

    def on_start(self, ctx: TransitionContext) -> None:
        self.target = ctx.entry_frame().copy()
        self.out = ctx.start_frame.copy()

    def apply(self, ctx: TransitionContext, dt: float, progress: float) -> MotorFrame:
        done = round(progress * ctx.robot_layout.dof_num)
        np.copyto(self.out.data[:, :done], self.target.data[:, :done])
        return self.out


class TestInstant(TransitionContract):
    config: ClassVar = {"type": "instant"}


class TestHold(TransitionContract):
    config: ClassVar = {"type": "hold", "duration": 0.05}
    reaches_target = False


class TestEntryGainRamp(TransitionContract):
    config: ClassVar = {"type": "entry_gain_ramp", "duration": 0.2, "kp_from": "zero", "kd_from": "current"}


class TestRunningBlend(TransitionContract):
    config: ClassVar = {"type": "running_blend", "duration": 0.21}


class TestRunningBlendOfStillSides(TransitionContract):
    config: ClassVar = {
        "type": "running_blend",
        "duration": 0.2,
        "curve": "smootherstep",
        "sample_from": False,
        "sample_to": False,
    }


class TestRunningBlendWithoutDuration(TransitionContract):
    config: ClassVar = {"type": "running_blend", "duration": 0.0}


class TestSequence(TransitionContract):
    config: ClassVar = {
        "type": "sequence",
        "steps": [
            {"type": "hold", "duration": 0.03},
            {"type": "sequence", "steps": [{"type": "running_blend", "duration": 0.1}]},
            {"type": "hold", "duration": 0.0},
            {"type": "entry_gain_ramp", "duration": 0.1, "kp_from": "zero"},
        ],
    }


class TestOwnType(TransitionContract):
    config: ClassVar = {"type": "one_by_one", "duration": 0.2}
    plugins: ClassVar = (OneByOne,)


class TestOwnTypeInASequence(TransitionContract):
    config: ClassVar = {
        "type": "sequence",
        "steps": [{"type": "hold", "duration": 0.02}, {"type": "one_by_one", "duration": 0.08}],
    }
    plugins: ClassVar = (OneByOne,)
