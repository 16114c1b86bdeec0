"""Ticks that came late or took too long: noted by the loop, told beside it, folded to one line a second."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from bxi_framework.control.timing import TimingStatistics, TimingSummary
from bxi_framework.mod_api.logger import LogSink

TELL_EVERY_NS: Final = 1_000_000_000
"""Lapses are told at most once in this time."""

MOST: Final = 2000
"""Lapses that are kept until they are told; more push out the oldest."""

_NAMED: Final = 3


class Lapse(NamedTuple):
    """A tick after which something is to be said; times in ns.

    ``owner`` made its frame, ``compute`` is what it took; ``skipped`` are the cycles that were missed before
    it began. ``gap`` is the longest time between two beginnings that has led to it, ``before`` is how much of
    it the first of the two took, and ``before_owner`` made the frame of the last long tick.
    """

    owner: str
    compute: int
    over: bool
    skipped: int
    gap: int
    before: int
    before_owner: str


def _nobody() -> str:
    return ""


class LapseTeller:
    """Tells of lapses and, each interval, how the loop fared. It belongs to one thread, but not the control
    thread.

    Args:
        lapses: filled by the loop.
        timing: of the loop.
        interval_ns: between two summaries.
        budget_ns: what a tick may take.
        log: takes one warning a second at the most, and the summaries as debug messages.
        meanwhile: says what else has kept the interpreter busy since it was last asked; empty if nothing did.
    """

    def __init__(
        self,
        lapses: deque[Lapse],
        timing: TimingStatistics,
        interval_ns: int,
        budget_ns: int,
        log: LogSink,
        meanwhile: Callable[[], str] = _nobody,
    ) -> None:
        self._lapses = lapses
        self._timing = timing
        self._interval = interval_ns
        self._budget = budget_ns
        self._log = log
        self._meanwhile = meanwhile
        self._told_at: int | None = None
        self._summed_at: int | None = None

    def look(self, now: int) -> None:
        """Say what there is to say at ``now`` (ns, monotonic)."""
        if self._summed_at is None:
            self._summed_at = now
        elif now - self._summed_at >= self._interval:
            self._summed_at = now
            self._log("debug", "control", _summed(self._timing.summary))
        if self._lapses and (self._told_at is None or now - self._told_at >= TELL_EVERY_NS):
            self._told_at = now
            self.tell()

    def tell(self) -> None:
        """Tell of what is there, in one line."""
        lapses = [self._lapses.popleft() for _ in range(len(self._lapses))]
        if lapses:
            self._log("warning", "control", self._told(lapses))

    def _told(self, lapses: Sequence[Lapse]) -> str:
        parts = []
        skipped = sum(lapse.skipped for lapse in lapses)
        if skipped:
            parts.append(f"skipped cycles: {skipped}; {self._gap(max(lapses, key=_gap_of))}")
        over = [lapse for lapse in lapses if lapse.over]
        if over:
            longest = max(lapse.compute for lapse in over)
            owners = Counter(lapse.owner for lapse in over).most_common(_NAMED)
            names = ", ".join(f"'{owner}' {count}" for owner, count in owners)
            parts.append(
                f"ticks over the budget of {self._budget / 1e6:g} ms: {len(over)}, "
                f"the longest {longest / 1e6:.1f} ms: {names}"
            )
        return "; ".join(parts)

    def _gap(self, lapse: Lapse) -> str:
        said = (
            f"the longest time from tick to tick was {lapse.gap / 1e6:.1f} ms, of which the tick itself took "
            f"{lapse.before / 1e6:.1f} ms"
        )
        if lapse.before * 2 > lapse.gap:
            return f"{said} in '{lapse.before_owner}'"
        meanwhile = self._meanwhile()
        return f"{said}; meanwhile {meanwhile}" if meanwhile else said


def _gap_of(lapse: Lapse) -> int:
    return lapse.gap


def _summed(summary: TimingSummary) -> str:
    return (
        f"{summary.ticks} ticks at {1e6 / summary.period_us:g} Hz: lateness median "
        f"{summary.lateness_median_us:.0f}, p99 {summary.lateness_p99_us:.0f}, most "
        f"{summary.lateness_max_us:.0f} µs; compute median {summary.compute_median_us:.0f}, p99 "
        f"{summary.compute_p99_us:.0f}, most {summary.compute_max_us:.0f} µs; since the start "
        f"{summary.skipped} skipped, {summary.late} late, {summary.overruns} over budget, "
        f"{summary.stalls} stalls"
    )
