"""Arm gestures above the standing pose: raise the arms, move them to and fro, lower them, rest, and again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bxi_framework.mod_api import FloatArray, JointLayout, MotorFrame, ProceduralState, StateContext

from .named_pose import STANDING, NamedPose

RAISE = 1.2
PLAY = 4.0
LOWER = 1.2
REST = 0.6
PERIOD = RAISE + PLAY + LOWER + REST
"""Seconds of the parts of a gesture at tempo 1."""


@dataclass(frozen=True)
class GestureParams:
    """``tempo`` multiplies the speed of the whole gesture."""

    tempo: float = 1.0

    def __post_init__(self) -> None:
        if not 0.1 <= self.tempo <= 2.0:
            raise ValueError(f"tempo must be from 0.1 to 2, not {self.tempo}")


@dataclass(frozen=True)
class Move:
    """How a joint leaves the standing pose: ``lift`` rad while raised, swinging ``swing`` rad around that."""

    lift: float
    swing: float = 0.0


class Gesture(ProceduralState[GestureParams]):
    """Begins and ends each round in the standing pose with no speed, so that a blend in or out meets no step.

    The action ``toggle_pause`` holds the arms where they are. The commanded velocity is always zero: damping
    then brakes the motion a little, and a halt in the middle of it changes no torque abruptly.
    """

    Params = GestureParams
    moves: ClassVar[Mapping[str, Move]] = {}
    frequency: ClassVar[float] = 1.0
    """Swings per second at tempo 1."""

    def __init__(self, name: str, state_id: int, params: GestureParams | None = None) -> None:
        super().__init__(name, state_id, params)
        self._pose = NamedPose(STANDING)
        self._layout: JointLayout | None = None
        self._position: FloatArray = np.zeros(0, dtype=np.float32)
        self._joints: list[tuple[int, float, float, float]] = []
        self.paused = False

    def is_available(self, ctx: StateContext) -> bool:
        """Only a robot with these joints can do it."""
        layout = ctx.robot_layout
        missing = [*self._pose.missing(layout), *(name for name in self.moves if name not in layout)]
        if missing:
            self.logger.warning(f"this robot lacks {', '.join(missing)}", once=True)
        return not missing

    def compute_frame(self, ctx: StateContext, elapsed: float) -> MotorFrame:
        """The standing pose with the arms at their place of that time."""
        if ctx.robot_layout is not self._layout:
            self._adopt(ctx.robot_layout)
        phase = elapsed * self.params.tempo % PERIOD
        raised = _raised(phase)
        swing = math.sin(math.tau * self.frequency * (phase - RAISE))
        position = self._position
        for index, start, lift, amplitude in self._joints:
            position[index] = start + raised * (lift + swing * amplitude)
        return self.frame(ctx, position)

    def on_exit(self, ctx: StateContext) -> None:
        """The next run begins unpaused."""
        self.paused = False

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Play on, or hold the arms while paused."""
        super().on_update(ctx, 0.0 if self.paused else dt)

    def sample_running_frame(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        """The frame of now; while paused its time does not move."""
        return super().sample_running_frame(ctx, dt, advance=advance and not self.paused)

    def on_action(self, ctx: StateContext, name: str) -> bool:
        """``toggle_pause`` holds the arms or lets them go on."""
        if name != "toggle_pause":
            return False
        self.paused = not self.paused
        return True

    def _adopt(self, layout: JointLayout) -> None:
        self._layout = layout
        self._position = self._pose.position(layout).copy()
        self._joints = [
            (layout.index(name), STANDING.get(name, 0.0), move.lift, move.swing)
            for name, move in self.moves.items()
            if name in layout
        ]


class Hello(Gesture):
    """Waves with the right hand: upper arm out to the side, forearm up, swinging from the elbow."""

    moves: ClassVar[Mapping[str, Move]] = {
        "r_shoulder_x_joint": Move(-1.1),
        "r_shoulder_z_joint": Move(-1.4),
        "r_elbow_y_joint": Move(-0.8, 0.45),
    }
    frequency = 1.0


class Applause(Gesture):
    """Claps in front of the chest.

    The wrists turn against the shoulders, so that the palms stay parallel; they stop a palm's thickness short
    of each other.
    """

    moves: ClassVar[Mapping[str, Move]] = {
        "l_shoulder_y_joint": Move(-0.3),
        "r_shoulder_y_joint": Move(-0.3),
        "l_shoulder_x_joint": Move(-0.15),
        "r_shoulder_x_joint": Move(0.15),
        "l_shoulder_z_joint": Move(-0.5, -0.15),
        "r_shoulder_z_joint": Move(0.5, 0.15),
        "l_elbow_y_joint": Move(-0.7),
        "r_elbow_y_joint": Move(-0.7),
        "l_wrist_z_joint": Move(0.5, 0.15),
        "r_wrist_z_joint": Move(-0.5, -0.15),
    }
    frequency = 1.6


def _raised(phase: float) -> float:
    """How far the arms are up at a time of the round, 0 to 1; speed and acceleration start and end at 0."""
    if phase < RAISE:
        x = phase / RAISE
    elif phase < RAISE + PLAY:
        return 1.0
    else:
        x = max((RAISE + PLAY + LOWER - phase) / LOWER, 0.0)
    return x * x * x * (x * (6.0 * x - 15.0) + 10.0)
