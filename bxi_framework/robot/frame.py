"""The motor frame: what every joint is told in one control tick."""

from __future__ import annotations

from operator import attrgetter
from typing import Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bxi_framework.robot.layout import JointLayout

FloatArray: TypeAlias = NDArray[np.float32]

FIELDS: Final = ("qpos", "vel", "kp", "kd", "torque")
"""The rows of `MotorFrame.data`, in order."""

# Assigned faster than a Python float: it needs no conversion.
_ZERO: Final = np.zeros((), dtype=np.float32)
_ZERO.setflags(write=False)


class MotorTarget(Protocol):
    """Anything that holds a command for all joints of a layout: a `MotorFrame`, or what a policy fills."""

    @property
    def layout(self) -> JointLayout:
        """The joints, in the order of the columns of ``data``."""

    @property
    def data(self) -> FloatArray:
        """The rows of `FIELDS`, shape (5, N)."""


def _row(index: int, doc: str) -> property:
    """A view of one row; assigning copies into it, so the frame stays one contiguous array."""

    def put(frame: MotorFrame, value: ArrayLike) -> None:
        frame.data[index] = value

    return property(attrgetter(f"_{FIELDS[index]}"), put, doc=doc)


def _fixed(name: str, doc: str) -> property:
    """An attribute that nobody can replace: a frame keeps its layout and its array for life."""
    return property(attrgetter(f"_{name}"), doc=doc)


class MotorFrame:
    """One command for all joints of a layout: ``torque = kp (qpos - q) + kd (vel - dq) + torque``.

    ``data`` is one contiguous float32 array of shape (5, N) whose rows are ``qpos`` (rad), ``vel`` (rad/s),
    ``kp`` (N·m/rad), ``kd`` (N·m·s/rad) and ``torque`` (N·m). The named rows, each of shape (N,), are views
    of it: writing into one, or assigning to one, changes the frame in place.
    """

    __slots__ = ("_data", "_kd", "_kp", "_layout", "_qpos", "_torque", "_vel")

    layout = _fixed("layout", "The joints, in the order of the columns.")
    data = _fixed("data", "All five rows, float32, shape (5, N).")
    qpos = _row(0, "Target positions in rad, shape (N,).")
    vel = _row(1, "Target velocities in rad/s, shape (N,).")
    kp = _row(2, "Stiffness in N·m/rad, shape (N,).")
    kd = _row(3, "Damping in N·m·s/rad, shape (N,).")
    torque = _row(4, "Feed-forward torque in N·m, shape (N,).")

    def __init__(self, layout: JointLayout) -> None:
        self._layout = layout
        self._data: FloatArray = np.zeros((len(FIELDS), layout.dof_num), dtype=np.float32)
        self._qpos, self._vel, self._kp, self._kd, self._torque = self._data

    @classmethod
    def empty(cls, layout: JointLayout) -> MotorFrame:
        """A frame of zeros: no stiffness, no damping, no torque."""
        return cls(layout)

    @classmethod
    def create(
        cls,
        layout: JointLayout,
        qpos: ArrayLike,
        kp: ArrayLike,
        kd: ArrayLike,
        vel: ArrayLike | None = None,
        torque: ArrayLike | None = None,
    ) -> MotorFrame:
        """A new frame; each argument is one number for all joints or an array of shape (N,).

        Raises:
            ValueError: an array has another length than the layout.
        """
        return cls(layout).update(qpos=qpos, vel=vel, kp=kp, kd=kd, torque=torque)

    def update(
        self,
        qpos: ArrayLike | None = None,
        kp: ArrayLike | None = None,
        kd: ArrayLike | None = None,
        vel: ArrayLike | None = None,
        torque: ArrayLike | None = None,
    ) -> MotorFrame:
        """Set all five fields in place and return the frame; what is left out is zero, never the old value.

        Raises:
            ValueError: an array has another length than the layout.
        """
        try:
            self._qpos[...] = _ZERO if qpos is None else qpos
            self._vel[...] = _ZERO if vel is None else vel
            self._kp[...] = _ZERO if kp is None else kp
            self._kd[...] = _ZERO if kd is None else kd
            self._torque[...] = _ZERO if torque is None else torque
        except ValueError as error:
            shape = f"({self._layout.dof_num},)"
            raise ValueError(f"a frame of {self.layout!r} takes arrays of shape {shape}: {error}") from None
        return self

    def copy_from(self, other: MotorTarget) -> None:
        """Take over all five fields of a frame in the same layout."""
        np.copyto(self.data, other.data)

    def copy(self) -> MotorFrame:
        """An independent frame with the same values."""
        twin = MotorFrame(self.layout)
        twin.copy_from(self)
        return twin

    def read_only(self) -> MotorFrame:
        """This frame for others to read: it shows every later change, and writing to its arrays raises
        ``ValueError``.
        """
        face = MotorFrame.__new__(MotorFrame)
        face._layout = self._layout
        face._data = self._data.view()
        face._data.setflags(write=False)
        face._qpos, face._vel, face._kp, face._kd, face._torque = face._data
        return face

    def __repr__(self) -> str:
        return f"MotorFrame({self.layout!r})"
