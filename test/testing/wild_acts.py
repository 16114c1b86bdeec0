"""What a wild Mod may do in a hook: raise, lie, ask, scribble, or give a frame that is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from bxi_framework.mod_api import JointLayout, MotorFrame

Act: TypeAlias = Callable[[Any, Any], object]
"""Takes the state or transition, and the context."""


class UnprintableError(Exception):
    """An error whose text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class Undecided:
    """A value that is neither true nor false."""

    def __bool__(self) -> bool:
        raise RuntimeError("cannot say")


class FalseFrame(MotorFrame):
    """A frame that holds other arrays than it says."""

    data = np.zeros((5, 2), dtype=np.float32)  # type: ignore[assignment]


def raises(error: BaseException, owner: Any, ctx: Any) -> object:
    raise error


def asks(name: str, transition: str | None, delay: float, force: bool, owner: Any, ctx: Any) -> None:
    ctx.request_state(name, trigger="wild", transition=transition, delay=delay, force=force)


def answers(said: object, owner: Any, ctx: Any) -> object:
    return said


def odd_frame(kind: str, field: str, number: float, owner: Any, ctx: Any) -> object:
    """What a state gives in place of its frame."""
    frame = MotorFrame.create(ctx.robot_layout, 0.1, 20.0, 1.0)
    if kind == "value":
        with np.errstate(over="ignore"):
            getattr(frame, field)[1] = number
        return frame
    if kind == "layout":
        return MotorFrame.create(JointLayout(("leg", f"tail{number}")), 0.2, 20.0, 1.0)
    if kind == "new layout":
        return MotorFrame.create(JointLayout(ctx.robot_layout.names), 0.2, 20.0, 1.0)
    if kind == "empty":
        return MotorFrame.empty(JointLayout(()))
    if kind == "length":
        return frame.update(np.zeros(7), 1.0, 1.0)
    if kind == "type":
        return [0.0] * 3
    if kind == "false":
        return FalseFrame(ctx.robot_layout)
    return False


def poisons(owner: Any, ctx: Any) -> None:
    """Makes numpy raise from here on."""
    np.seterr(all="raise")


def scribbles(owner: Any, ctx: Any) -> None:
    """Writes into whatever it can reach."""
    joints = ctx.robot_joints
    arrays = [
        joints.position,
        joints.velocity,
        joints.effort,
        ctx.current_quat_xyzw,
        ctx.current_omega,
        ctx.current_raw_cmd_vel,
        ctx.last_motor_frame.data,
        *ctx.default_gains,
    ]
    for array in arrays:
        try:
            array[...] = math.nan
        except ValueError:
            continue


def twice(owner: Any, ctx: Any) -> None:
    """Submits two frames."""
    for qpos in (0.9, -0.4):
        ctx.set_motor_target(MotorFrame.create(ctx.robot_layout, qpos, 30.0, 1.0))


def recurses(owner: Any, ctx: Any) -> None:
    recurses(owner, ctx)


def takes(number: object, owner: Any, ctx: Any) -> None:
    """Changes how long the transition takes, while it runs."""
    owner.duration = number


ERRORS = (
    RuntimeError("wild"),
    SystemExit(3),
    KeyboardInterrupt(),
    GeneratorExit(),
    StopIteration(),
    MemoryError(),
    UnprintableError(),
    RuntimeError("x" * 300 + "\ud800\n\x1b[31m"),
)
KINDS = ("value", "value", "value", "layout", "new layout", "empty", "length", "type", "false", "none")
ANSWERS = (True, False, 0, 1, "yes", Undecided(), np.array([True, False]))
