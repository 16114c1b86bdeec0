"""The last ticks as numbers in arrays that exist from the start; writing one tick only copies."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bxi_framework.control.record.flight import CLAMPED, READINGS, Series
from bxi_framework.robot import FIELDS, InputSnapshot, JointLayout, MotorFrame
from bxi_framework.safety import Clamp

_READINGS, _IMU, _COMMAND = 1, 2, 4

_PIECE: Final = 400
"""Ticks that are copied at once."""


class Ring:
    """Keeps the last ``ticks`` ticks of a robot.

    One thread calls `add` and `add_clamps`; any thread calls `series`, for which nobody waits.
    """

    def __init__(self, ticks: int, layout: JointLayout) -> None:
        joints = layout.dof_num
        # One row more, because the loop may be writing one while the others are copied.
        self.size = ticks + 1
        self.count = 0
        """How many ticks were ever added."""
        self._time, self._compute, self._lateness, self._cycles = (
            array("q", bytes(8 * self.size)) for _ in range(4)
        )
        self._fresh = bytearray(self.size)
        self._clamped = bytearray(self.size)
        self._frames = np.zeros((self.size, len(FIELDS), joints), dtype=np.float32)
        self._readings = np.zeros((self.size, len(READINGS), joints), dtype=np.float32)
        self._position, self._velocity, self._effort = (
            self._readings[:, row] for row in range(len(READINGS))
        )
        self._imu = np.zeros((self.size, 7), dtype=np.float32)
        self._quat, self._omega = self._imu[:, :4], self._imu[:, 4:]
        self._command = np.zeros((self.size, 3), dtype=np.float32)
        self._clamps = np.zeros((self.size, joints), dtype=np.uint8)
        self._bits = {
            (field, name): (1 << bit, column)
            for bit, field in enumerate(CLAMPED)
            for column, name in enumerate(layout.names)
        }
        self._seen: InputSnapshot | None = None

    def reserve(self) -> None:
        """Write to all of the memory once, so that the system hands it out now and not tick by tick."""
        for numbers in (self._frames, self._readings, self._imu, self._command, self._clamps):
            numbers.fill(0)

    def add(
        self, time: int, inputs: InputSnapshot, frame: MotorFrame, cycles: int, lateness: int, compute: int
    ) -> None:
        """Take in one tick; all times in ns."""
        row = self.count % self.size
        self._time[row] = time
        self._compute[row] = compute
        self._lateness[row] = lateness
        self._cycles[row] = cycles
        self._frames[row] = frame.data
        fresh, seen = 0, self._seen
        joints, imu, command = inputs.joints, inputs.imu, inputs.cmd_vel
        # An input that has not changed is the same object, since a snapshot is never written again.
        if seen is None or joints is not seen.joints:
            self._position[row] = joints.position
            self._velocity[row] = joints.velocity
            self._effort[row] = joints.effort
            fresh = _READINGS
        if seen is None or imu is not seen.imu:
            self._quat[row] = imu.quat_xyzw
            self._omega[row] = imu.omega
            fresh |= _IMU
        if seen is None or command is not seen.cmd_vel:
            self._command[row] = command
            fresh |= _COMMAND
        self._fresh[row] = fresh
        self._clamped[row] = 0
        self._seen = inputs
        self.count += 1

    def add_clamps(self, clamps: Iterable[Clamp]) -> None:
        """Say what was clamped in the tick that was added last."""
        row = (self.count - 1) % self.size
        columns = self._clamps[row]
        columns.fill(0)
        for clamp in clamps:
            field = clamp.field if clamp.field in CLAMPED else "other"
            bit, column = self._bits[field, clamp.joint]
            columns[column] |= bit
        self._clamped[row] = 1

    def series(self, rest: Callable[[], object]) -> dict[str, Series]:
        """Copies of everything, oldest first, by the names of a flight's fields.

        The ring goes on meanwhile: what was overwritten before it was copied is left out.

        Args:
            rest: called every tenth of a millisecond or so, since a copy lets no other thread run.
        """
        end = self.count
        ticks = np.arange(max(0, end - self.size + 1), end)
        time, compute, lateness, cycles = (
            _column(column, np.int64, ticks)
            for column in (self._time, self._compute, self._lateness, self._cycles)
        )
        fresh, clamped = (_column(column, np.uint8, ticks) for column in (self._fresh, self._clamped))
        sources: dict[str, tuple[NDArray[np.intp], NDArray[Any]]] = {
            "frames": (np.arange(len(ticks)), self._frames),
            "readings": (np.flatnonzero(fresh & _READINGS), self._readings),
            "imu": (np.flatnonzero(fresh & _IMU), self._imu),
            "command": (np.flatnonzero(fresh & _COMMAND), self._command),
            "clamps": (np.flatnonzero(clamped), self._clamps),
        }
        copies = {name: _copied(source, ticks[rows], rest) for name, (rows, source) in sources.items()}
        timing = np.stack((lateness / 1e3, compute / 1e3, cycles), axis=1).astype(np.float32)
        lost = max(0, self.count - self.size + 1) - (end - len(ticks))
        found = {"timing": Series(time[lost:], timing[lost:])}
        for name, (rows, _) in sources.items():
            kept = rows >= lost
            sent = compute if name == "frames" else 0
            found[name] = Series((time + sent)[rows[kept]], copies[name][len(rows) - int(kept.sum()) :])
        return found


def _column(values: array[int] | bytearray, kind: type[np.generic], ticks: NDArray[np.int64]) -> NDArray[Any]:
    return np.frombuffer(bytes(values), dtype=kind)[ticks % len(values)]


def _copied(source: NDArray[Any], ticks: NDArray[np.int64], rest: Callable[[], object]) -> NDArray[Any]:
    """The rows of some ticks, copied piece by piece."""
    copy = np.empty((len(ticks), *source.shape[1:]), dtype=source.dtype)
    for begin in range(0, len(ticks), _PIECE):
        piece = ticks[begin : begin + _PIECE]
        copy[begin : begin + _PIECE] = source[piece % len(source)]
        rest()
    return copy
