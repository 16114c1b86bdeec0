"""What the ticks took: lateness, compute time, skipped cycles and budget overruns, without allocation per
tick.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class TimingSummary:
    """Timing of one interval; microseconds. ``skipped``, ``late`` and ``overruns`` count since the start."""

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

    def as_dict(self) -> dict[str, float | int]:
        """The public JSON form."""
        return {
            key: round(value, 1) if isinstance(value, float) else value for key, value in asdict(self).items()
        }


class TimingStatistics:
    """Collects one interval at a time in fixed arrays.

    Args:
        period_ns: nanoseconds per cycle.
        interval_ticks: ticks per summary.
        tolerance_ns: lateness beyond this counts as late.
        budget_ns: compute time beyond this counts as an overrun.
    """

    def __init__(self, period_ns: int, interval_ticks: int, tolerance_ns: int, budget_ns: int) -> None:
        self._period = period_ns
        self._tolerance = tolerance_ns
        self._budget = budget_ns
        self._lateness = np.zeros(max(1, interval_ticks), dtype=np.int64)
        self._compute = np.zeros_like(self._lateness)
        self._filled = 0
        self._skipped = 0
        self._late = 0
        self._overruns = 0
        self.summary = TimingSummary(0, period_ns / 1e3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0)

    def record(self, lateness_ns: int, compute_ns: int, skipped: int) -> bool:
        """Take in one tick; ``skipped`` counts since the start. True if an interval is full and wants
        `summarise`.
        """
        self._lateness[self._filled] = lateness_ns
        self._compute[self._filled] = compute_ns
        self._filled += 1
        self._skipped = skipped
        if lateness_ns > self._tolerance:
            self._late += 1
        if compute_ns > self._budget:
            self._overruns += 1
        return self._filled == len(self._lateness)

    def summarise(self) -> TimingSummary:
        """Close the interval; the summary stays readable in ``summary``."""
        ticks = self._filled
        self._filled = 0
        if ticks:
            late_us = [float(v) for v in np.percentile(self._lateness[:ticks], (50, 99, 100)) / 1e3]
            compute_us = [float(v) for v in np.percentile(self._compute[:ticks], (50, 99, 100)) / 1e3]
            self.summary = TimingSummary(
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
            )
        return self.summary
