"""What the ticks took: lateness, compute time, skipped cycles and budget overruns, without allocation per
tick.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bxi_framework.control.stall import PASSIVE_AFTER

_STALL_NS: Final = round(PASSIVE_AFTER * 1e9)


@dataclass(frozen=True, slots=True)
class TimingSummary:
    """Timing of one interval; microseconds. ``skipped``, ``late``, ``overruns`` and ``stalls`` count since
    the start.
    """

    ticks: int
    period_us: float
    lateness_median_us: float
    lateness_p99_us: float
    lateness_max_us: float
    compute_median_us: float
    compute_p99_us: float
    compute_max_us: float
    skipped: int
    late: int
    overruns: int
    stalls: int

    def as_dict(self) -> dict[str, float | int]:
        """The public JSON form."""
        return {
            key: round(value, 1) if isinstance(value, float) else value for key, value in asdict(self).items()
        }


class TimingStatistics:
    """Keeps the last interval in fixed arrays: the loop writes, whoever wants to know reads.

    Args:
        period_ns: nanoseconds per cycle.
        interval_ticks: ticks that a summary looks back.
        tolerance_ns: lateness beyond this counts as late.
        budget_ns: compute time beyond this counts as an overrun.
    """

    def __init__(self, period_ns: int, interval_ticks: int, tolerance_ns: int, budget_ns: int) -> None:
        self._period = period_ns
        self._tolerance = tolerance_ns
        self._budget = budget_ns
        self._size = max(1, interval_ticks)
        self._lateness = np.zeros(self._size, dtype=np.int64)
        self._compute = np.zeros(self._size, dtype=np.int64)
        # With the first percentile NumPy imports more of itself. Later, that would keep the interpreter from
        # the running loop for many milliseconds.
        _spread(self._lateness)
        self._ticks = 0
        self._skipped = 0
        self._late = 0
        self._overruns = 0
        self._stalls = 0

    def record(self, lateness_ns: int, compute_ns: int, skipped: int) -> None:
        """Take in one tick; ``skipped`` counts since the start."""
        place = self._ticks % self._size
        self._lateness[place] = lateness_ns
        self._compute[place] = compute_ns
        self._ticks += 1
        self._skipped = skipped
        if lateness_ns > self._tolerance:
            self._late += 1
        if compute_ns > self._budget:
            self._overruns += 1
        if compute_ns > _STALL_NS:
            self._stalls += 1

    @property
    def summary(self) -> TimingSummary:
        """The last interval, or what there is of it."""
        ticks = min(self._ticks, self._size)
        late_us = _spread(self._lateness[:ticks])
        compute_us = _spread(self._compute[:ticks])
        return TimingSummary(
            ticks=ticks,
            period_us=self._period / 1e3,
            lateness_median_us=late_us[0],
            lateness_p99_us=late_us[1],
            lateness_max_us=late_us[2],
            compute_median_us=compute_us[0],
            compute_p99_us=compute_us[1],
            compute_max_us=compute_us[2],
            skipped=self._skipped,
            late=self._late,
            overruns=self._overruns,
            stalls=self._stalls,
        )


def _spread(nanoseconds: NDArray[np.int64]) -> list[float]:
    """Median, 99th percentile and maximum in microseconds; zeros while there are no values."""
    if not len(nanoseconds):
        return [0.0, 0.0, 0.0]
    return [float(value) for value in np.percentile(nanoseconds, (50, 99, 100)) / 1e3]
