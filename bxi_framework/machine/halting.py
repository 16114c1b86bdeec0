"""What a stop does to the joints of this robot, and what must be let go before it is taken back."""

from __future__ import annotations

from typing import Final

from bxi_framework.manifest.names import SLOT_NAMES
from bxi_framework.robot import InputSnapshot, MotorFrame

_STANDING: Final = "mode"
"""The slot that keeps its value by itself; every other one returns to zero when its button is let go."""


def effect_of(frame: MotorFrame) -> str:
    """What a motor frame does to the joints, in one plain sentence."""
    held, damped = int((frame.kp > 0.0).sum()), int(((frame.kp <= 0.0) & (frame.kd > 0.0)).sum())
    loose = frame.layout.dof_num - held - damped
    parts = [
        f"{_joints(count, frame)} {what}"
        for count, what in ((held, "held"), (damped, "damped"), (loose, "free to coast"))
        if count
    ]
    return ", ".join(parts)


def not_neutral(inputs: InputSnapshot) -> str:
    """Which input is not at rest, in one sentence; empty if all are."""
    pressed = [
        name
        for name, value in zip(SLOT_NAMES, inputs.slots or (), strict=False)
        if value and name != _STANDING
    ]
    if pressed:
        return f"the remote control shows {', '.join(pressed)}"
    if inputs.cmd_vel.any():
        vx, vy, yaw = (float(value) for value in inputs.cmd_vel)
        return f"a velocity of ({vx:.2g}, {vy:.2g}, {yaw:.2g}) is commanded"
    return ""


def _joints(count: int, frame: MotorFrame) -> str:
    if count == frame.layout.dof_num:
        return "all joints"
    return "1 joint" if count == 1 else f"{count} joints"
