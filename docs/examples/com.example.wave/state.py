"""A first state of your own: the left forearm waves above the standing pose."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bxi_framework.mod_api import FloatArray, JointLayout, MotorFrame, ProceduralState, StateContext

STANDING = {
    "l_hip_y_joint": -0.2,
    "l_knee_y_joint": 0.4,
    "l_ankle_y_joint": -0.2,
    "r_hip_y_joint": -0.2,
    "r_knee_y_joint": 0.4,
    "r_ankle_y_joint": -0.2,
    "l_shoulder_x_joint": 0.2,
    "r_shoulder_x_joint": -0.2,
    "l_elbow_y_joint": 0.8,
    "r_elbow_y_joint": 0.8,
}
WAVING = "l_elbow_y_joint"
PERIOD = 1.5
WAVES = 4


@dataclass(frozen=True)
class WaveParams:
    """What ``params`` in mod.yaml may hold: ``amplitude`` in rad; ``loop`` to wave until an event comes."""

    amplitude: float = 0.3
    loop: bool = False

    def __post_init__(self) -> None:
        if not 0.0 < self.amplitude <= 0.6:
            raise ValueError(f"amplitude must be more than 0 and at most 0.6 rad, not {self.amplitude}")


class WaveState(ProceduralState[WaveParams]):
    """Bends the elbow and stretches it again; after four waves it asks to walk on, unless ``loop`` is set."""

    Params = WaveParams
    _standing: FloatArray | None = None
    _asked = False

    def compute_frame(self, ctx: StateContext, elapsed: float) -> MotorFrame:
        """The pose at a time. At 0 it is the standing pose, where `normal` is, so a blend meets no step."""
        if self._standing is None:
            self._standing = standing(ctx.robot_layout)
        bend = self.params.amplitude * (1.0 - math.cos(math.tau * elapsed / PERIOD))
        position = self._standing.copy()
        position[ctx.robot_layout.index(WAVING)] -= bend
        return self.frame(ctx, position)

    def on_enter(self, ctx: StateContext) -> None:
        """A new run begins."""
        self._asked = False

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Wave on; at the end ask for the state to go back to."""
        super().on_update(ctx, dt)
        if not (self.params.loop or self._asked) and self.elapsed >= WAVES * PERIOD:
            self._asked = ctx.request_state("com.bxi.basic_actions/normal", trigger="waved enough")


def standing(layout: JointLayout) -> FloatArray:
    """The standing pose in the robot's own order of joints, in rad."""
    return np.array([STANDING.get(name, 0.0) for name in layout.names], dtype=np.float32)
