"""What happened in a window of time, as data: the same whether it comes from memory or from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bxi_framework.robot import FIELDS

READINGS: Final = ("position", "velocity", "effort")
"""The rows of `Flight.readings`."""

TIMING: Final = ("lateness_us", "compute_us", "cycles")
"""The columns of `Flight.timing`."""

CLAMPED: Final = (*FIELDS, "step", "other")
"""What can be clamped: bit ``n`` of `Flight.clamps` stands for the n-th of these."""


@dataclass(frozen=True, slots=True)
class Series:
    """Values over time: ``time`` in ns of shape (K,), rising; ``values`` of shape (K, …)."""

    time: NDArray[np.int64]
    values: NDArray[Any]

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that happened.

    ``kind`` is ``event`` (a slot's edge), ``verdict`` (the answer to a request), ``slots`` (the remote
    control moved), ``record`` (a reason to write a record) or ``log`` (a line of the log). ``level`` is a
    level of the log.
    """

    time: int
    kind: str
    level: str
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """The state machine from ``time`` on; what does not apply is empty.

    ``target`` and ``motion`` are the transition under way, ``preparing`` the state that gets ready, ``stop``
    the reason of a stop that holds, ``passive`` why the passive frame is sent.
    """

    time: int
    state: str
    target: str = ""
    motion: str = ""
    preparing: str = ""
    stop: str = ""
    passive: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a record is written: ``kind`` is ``stop``, ``fault``, ``end`` (the loop ended by itself) or
    ``request``.
    """

    time: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text else self.kind


@dataclass(frozen=True, slots=True)
class Flight:
    """A window of time. Times are nanoseconds, since 1970 for a real robot; N is the number of joints.

    An input appears at the tick that saw it first, so the gaps of ``readings``, ``imu`` and ``command`` are
    those of the messages, as far as the control rate resolves them.

    Attributes:
        frames: what was sent, when it had been sent; float32 (K, 5, N), rows as in a motor frame.
        timing: of every tick; float32 (K, 3), columns as in `TIMING`.
        readings: what the joints reported; float32 (K, 3, N), rows as in `READINGS`.
        imu: quaternion x, y, z, w and angular velocity; float32 (K, 7).
        command: the velocity wish that the tick saw; float32 (K, 3).
        clamps: only ticks with clamps; uint8 (K, N), bits as in `CLAMPED`.
        moments: begins with the state in which the window begins.
        notes: in the order of time.
    """

    robot: str
    joints: tuple[str, ...]
    period: float
    reason: Reason
    frames: Series
    timing: Series
    readings: Series
    imu: Series
    command: Series
    clamps: Series
    moments: tuple[Moment, ...]
    notes: tuple[Note, ...]
