"""The stop: its reason, what it does to the joints of this robot, and what must be let go before its end."""

from __future__ import annotations

from typing import Final

from bxi_framework.machine.requests import Resume, Stop, Verdict
from bxi_framework.manifest.names import SLOT_NAMES
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot import InputSnapshot, MotorFrame

_STANDING: Final = "mode"
"""The slot that keeps its value by itself; every other one returns to zero when its button is let go."""


STOPPED: Final = "a stop holds; resume first"
"""Why a wish is refused meanwhile."""


class Halt:
    """A stop that holds, or none. Belongs to the control thread.

    ``reason`` is that of the stop, None if none holds; ``bar`` is why it cannot be taken back now, None if it
    can. A stop is answered once its first frame was sent, with what that frame does to the joints, and so is
    whatever came after it in the same tick.
    """

    def __init__(self, state: str, log: LogSink) -> None:
        self._state = state
        self._log = log
        self.reason: str | None = None
        self.bar: str | None = None
        self.unanswered: list[tuple[Stop | Resume, Verdict | None]] = []

    def begin(self, wish: Stop) -> None:
        """Hold a stop, also in place of one that holds already."""
        self.reason = wish.reason
        self.unanswered.append((wish, None))
        self._log("warning", self._state, f"a stop came: {wish.reason}")

    def resume(self, wish: Resume, inputs: InputSnapshot, state: str) -> None:
        """Take the stop back if the inputs are at rest; ``state`` is the one in control."""
        self.unanswered.append((wish, self._resumed(inputs, state)))

    def answer(self, frame: MotorFrame) -> None:
        """Answer what has come in this tick, whose frame was sent."""
        waiting, self.unanswered = self.unanswered, []
        effect = effect_of(frame)
        if any(verdict is None for _, verdict in waiting):
            self._log("warning", self._state, f"stopped: {effect}")
        for wish, verdict in waiting:
            if wish.reply is not None:
                wish.reply(verdict or Verdict(True, effect))

    def _resumed(self, inputs: InputSnapshot, state: str) -> Verdict:
        if self.reason is None:
            return Verdict(False, "no stop holds")
        if any(isinstance(other, Stop) for other, _ in self.unanswered):
            return Verdict(False, "the stop has only just come, and its first frame is not sent yet")
        if self.bar is not None:
            return Verdict(False, self.bar)
        held = not_neutral(inputs)
        if held:
            return Verdict(False, f"{held}; let go first, then resume")
        self.reason = None
        self._log("info", state, "resumed; nothing moves until a state is asked for")
        return Verdict(True)


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
    if inputs.stop_held:
        return "the stop buttons of the gamepad are held"
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
