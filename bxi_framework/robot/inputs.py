"""One consistent snapshot of what the robot and its operator last said."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bxi_framework.robot.frame import FloatArray


@dataclass(frozen=True, slots=True)
class JointReadings:
    """What the joints report, in the robot layout: ``position`` (rad), ``velocity`` (rad/s), ``effort``
    (N·m), each (N,).

    ``known`` says which joints were named lately; of the others nothing is known, and their values are those
    of their last message or zero. ``None``: all are known.
    """

    names: tuple[str, ...]
    position: FloatArray
    velocity: FloatArray
    effort: FloatArray
    known: NDArray[np.bool_] | None = None

    @classmethod
    def zeros(cls, names: tuple[str, ...]) -> JointReadings:
        """Readings of a robot that has not said anything yet."""
        position, velocity, effort = (np.zeros(len(names), dtype=np.float32) for _ in range(3))
        return cls(names, position, velocity, effort)

    def fixed(self) -> JointReadings:
        """These readings; from now on nobody can write into them."""
        for array in (self.position, self.velocity, self.effort):
            array.setflags(write=False)
        return self


@dataclass(frozen=True, slots=True)
class ImuReading:
    """Orientation as a unit quaternion x, y, z, w of shape (4,) and angular velocity in rad/s of shape
    (3,).
    """

    quat_xyzw: FloatArray = field(default_factory=lambda: _fixed(0.0, 0.0, 0.0, 1.0))
    omega: FloatArray = field(default_factory=lambda: _fixed(0.0, 0.0, 0.0))


def _fixed(*values: float) -> FloatArray:
    array = np.array(values, dtype=np.float32)
    array.setflags(write=False)
    return array


class InputAges(NamedTuple):
    """How long ago (s) each input was last heard; infinite if it never was."""

    joint_states: float = math.inf
    imu: float = math.inf
    gamepad: float = math.inf
    cmd_vel: float = math.inf


@dataclass(frozen=True, slots=True)
class Heard:
    """The newest message of a topic that a state listens to, and how old (s) it is."""

    message: Any
    age: float


Topics: TypeAlias = Mapping[str, tuple[Any, int]]
"""By topic: the newest message and the monotonic time (ns) at which it came."""

NO_TOPICS: Final[Topics] = MappingProxyType({})


class InputSnapshot(NamedTuple):
    """All inputs of one tick. Its arrays are never written again, so whoever holds it sees one moment.

    A named tuple, because one is made every tick and nothing immutable is made faster.

    ``slots`` are the values of the remote control's slots in their fixed order, or ``None`` while no remote
    control was seen; ``cmd_vel`` is the velocity wish (vx m/s, vy m/s, yaw rad/s) of shape (3,), zero once it
    is too old. ``slots_epoch`` grows with each (re)connect of the remote control. ``ages`` says how
    long ago each was last heard. ``stop_held`` is true while the gamepad's stop buttons are held.
    """

    joints: JointReadings
    imu: ImuReading
    cmd_vel: FloatArray
    slots: tuple[int, ...] | None = None
    slots_epoch: int = 0
    ages: InputAges = InputAges()
    topics: Topics = NO_TOPICS
    now_ns: int = 0
    stop_held: bool = False
