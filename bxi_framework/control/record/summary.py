"""What a window of time says about rate, gaps, timing and joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bxi_framework.control.record.flight import CLAMPED, READINGS, TIMING, Flight, Series
from bxi_framework.robot import FIELDS

_QPOS, _KP = FIELDS.index("qpos"), FIELDS.index("kp")


@dataclass(frozen=True, slots=True)
class Gaps:
    """The times between the items of a series in seconds; ``longest_at`` (ns) is where the longest ends."""

    count: int
    median: float
    p99: float
    longest: float
    longest_at: int


@dataclass(frozen=True, slots=True)
class JointSummary:
    """One joint; positions in rad, times in ns.

    ``step`` is the largest change of the commanded position between two frames of which the second has
    stiffness. ``reported`` is None if nothing was heard of the joints. ``clamped`` counts the ticks in which
    each field was cut.
    """

    name: str
    low: float
    high: float
    step: float
    step_at: int
    reported: tuple[float, float] | None
    clamped: dict[str, int]


def gaps(series: Series) -> Gaps | None:
    """The gaps of a series; None if it has fewer than two items."""
    if len(series) < 2:
        return None
    between = np.diff(series.time)
    longest = int(between.argmax())
    median, high = np.percentile(between, (50, 99))
    return Gaps(
        len(series),
        float(median) / 1e9,
        float(high) / 1e9,
        float(between[longest]) / 1e9,
        int(series.time[longest + 1]),
    )


def skipped_cycles(flight: Flight) -> int:
    """How many cycles had no tick of their own, since the first tick of the window."""
    cycles = flight.timing.values[1:, TIMING.index("cycles")]
    return int((cycles - 1).sum())


def timing_spread(flight: Flight, column: str) -> tuple[float, float, float]:
    """Median, 99th percentile and maximum of a column of `TIMING`; zeros without ticks."""
    values = flight.timing.values[:, TIMING.index(column)]
    if not len(values):
        return 0.0, 0.0, 0.0
    median, high, most = np.percentile(values, (50, 99, 100))
    return float(median), float(high), float(most)


def joint_summaries(flight: Flight) -> list[JointSummary]:
    """Every joint, in the order of the robot; empty without frames."""
    frames = flight.frames
    if not len(frames):
        return []
    qpos = frames.values[:, _QPOS]
    steps, at = _steps(frames)
    heard = flight.readings.values[:, READINGS.index("position")]
    return [
        JointSummary(
            name,
            float(qpos[:, joint].min()),
            float(qpos[:, joint].max()),
            float(steps[joint]),
            int(at[joint]),
            (float(heard[:, joint].min()), float(heard[:, joint].max())) if len(heard) else None,
            _clamped(flight.clamps.values[:, joint]),
        )
        for joint, name in enumerate(flight.joints)
    ]


def _steps(frames: Series) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The largest step of each joint, and when."""
    qpos, stiff = frames.values[:, _QPOS].astype(np.float64), frames.values[1:, _KP] > 0.0
    steps = np.where(stiff, np.abs(np.diff(qpos, axis=0)), 0.0)
    if not len(steps):
        return np.zeros(qpos.shape[1]), np.full(qpos.shape[1], frames.time[0])
    most = steps.argmax(axis=0)
    return steps.max(axis=0), frames.time[most + 1]


def _clamped(bits: NDArray[np.uint8]) -> dict[str, int]:
    counts = {field: int((bits >> bit & 1).sum()) for bit, field in enumerate(CLAMPED)}
    return {field: count for field, count in counts.items() if count}
