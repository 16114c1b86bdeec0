"""Entering a state that declares a window: may the switch happen, and a take-over without a jump."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from bxi_framework.machine.context import ControlContext
from bxi_framework.machine.graph import StateNode
from bxi_framework.mod_api.entry_window import EntryWindow
from bxi_framework.robot import FloatArray, MotorFrame

_QPOS, _KP, _KD = 0, 2, 3
_ROWS: Final = (_QPOS, _KP, _KD)


def entry_refusal(node: StateNode, ctx: ControlContext) -> str:
    """Why the robot is outside of a state's entry window; empty if it is inside, or there is none.

    Raises:
        BaseException: whatever the state's entry frame raises.
    """
    window = node.state.entry_window
    if window is None:
        return ""
    provide = getattr(node.state, "get_entry_frame", None)
    if provide is None:
        return f"'{node.name}' has an entry window, but no get_entry_frame() to compare with"
    wanted: MotorFrame = ctx.in_robot_layout(provide(ctx), "target", node.state)
    here, known = where_joints_are(ctx)
    return _too_far(node, window, wanted, here, known) or _too_stiff(node, window, wanted, ctx)


def where_joints_are(ctx: ControlContext) -> tuple[FloatArray, FloatArray]:
    """Positions in rad, (N,), and which of them are known: as reported, else as commanded with stiffness."""
    joints, last = ctx.inputs.joints, ctx.last_motor_frame
    heard = math.isfinite(ctx.inputs.ages.joint_states)
    reported = np.full(len(last.qpos), heard) if joints.known is None else joints.known & heard
    return np.where(reported, joints.position, last.qpos), reported | (last.kp > 0.0)


def _too_far(
    node: StateNode, window: EntryWindow, wanted: MotorFrame, here: FloatArray, known: FloatArray
) -> str:
    names = wanted.layout.names
    limits = np.array([window.position_of(name) for name in names])
    off = np.where(known, np.abs(wanted.qpos - here), 0.0)
    worst = int(np.argmax(off / limits))
    if not off[worst] > limits[worst]:
        return ""
    return (
        f"'{names[worst]}' is {off[worst]:.3g} rad away from where '{node.name}' begins (it is at "
        f"{here[worst]:.3g}, {wanted.qpos[worst]:.3g} is wanted), and {limits[worst]:g} rad is the limit; "
        "bring the robot to that pose first"
    )


def _too_stiff(node: StateNode, window: EntryWindow, wanted: MotorFrame, ctx: ControlContext) -> str:
    now, then = ctx.last_motor_frame.kp, wanted.kp
    both = (now > 0.0) & (then > 0.0)
    ratios = np.where(both, np.maximum(now, then) / np.where(both, np.minimum(now, then), 1.0), 1.0)
    worst = int(np.argmax(ratios))
    if not ratios[worst] > window.gain_ratio:
        return ""
    return (
        f"kp of '{wanted.layout.names[worst]}' changes {ratios[worst]:.3g} times, from {now[worst]:g} to "
        f"{then[worst]:g}, for '{node.name}'; {window.gain_ratio:g} times is the limit"
    )


class EntryBlend:
    """Bounds how target and gains change from tick to tick, until each has caught up with what is wanted."""

    def __init__(self, window: EntryWindow, ctx: ControlContext) -> None:
        rates = (window.position_rate, window.kp_rate, window.kd_rate)
        self._rates = np.array(rates, dtype=np.float32)[:, np.newaxis]
        self._frame = ctx.last_motor_frame.copy()
        # A limp joint is where it hangs, not where a frame said that did not hold it.
        limp = self._frame.kp <= 0.0
        here, _ = where_joints_are(ctx)
        self._frame.qpos = np.where(limp, here, self._frame.qpos)
        self._free = np.zeros((len(_ROWS), len(limp)), dtype=np.bool_)

    @property
    def done(self) -> bool:
        """True once nothing is held back any more."""
        return bool(self._free.all())

    def apply(self, frame: MotorFrame, dt: float, *, moving: bool) -> MotorFrame:
        """The frame to send instead of this one, ``dt`` seconds after the last; valid until the next call.
        Amid a transition, ``moving``, nothing has caught up yet: its own frames may still be those of the
        source.
        """
        out, rows = self._frame, list(_ROWS)
        wanted, last, step = frame.data[rows], out.data[rows], self._rates * np.float32(dt)
        change = wanted - last
        if not moving:
            self._free |= np.abs(change) <= step
        out.copy_from(frame)
        out.data[rows] = np.where(self._free, wanted, last + np.clip(change, -step, step))
        return out
