"""What the ticks took, interval by interval."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bxi_framework.control import TimingStatistics


def statistics(interval: int = 4) -> TimingStatistics:
    """100 µs a period, 10 µs tolerance, 50 µs budget."""
    return TimingStatistics(100_000, interval, 10_000, 50_000)


def test_before_the_first_tick_all_is_zero() -> None:
    summary = statistics().summary
    assert (summary.ticks, summary.period_us) == (0, 100.0)
    assert (summary.lateness_max_us, summary.compute_p99_us, summary.late) == (0.0, 0.0, 0)


def test_a_summary_tells_median_99th_percentile_and_maximum() -> None:
    timing = statistics()
    for late, compute, skipped in (
        (1_000, 20_000, 0),
        (2_000, 30_000, 0),
        (3_000, 40_000, 1),
        (4_000, 50_000, 1),
    ):
        timing.record(late, compute, skipped)
    summary = timing.summary
    assert summary.ticks == 4
    assert (summary.lateness_median_us, summary.lateness_max_us) == (2.5, 4.0)
    assert (summary.compute_median_us, summary.compute_max_us) == (35.0, 50.0)
    assert summary.lateness_p99_us == pytest.approx(3.97)  # from the third to the fourth, 97 % of the way
    assert (summary.skipped, summary.late, summary.overruns) == (1, 0, 0)


def test_a_summary_looks_back_one_interval_at_any_time() -> None:
    timing = statistics(3)
    seen = []
    for number in range(1, 7):
        timing.record(number * 1_000, 0, 0)
        seen.append((timing.summary.ticks, timing.summary.lateness_median_us, timing.summary.lateness_max_us))
    assert seen == [
        (1, 1.0, 1.0),
        (2, 1.5, 2.0),
        (3, 2.0, 3.0),
        (3, 3.0, 4.0),
        (3, 4.0, 5.0),
        (3, 5.0, 6.0),
    ]


def test_what_is_late_or_over_budget_is_counted_since_the_start() -> None:
    timing = statistics(2)
    timing.record(10_000, 50_000, 0)  # exactly at both bounds is in time
    timing.record(10_001, 50_001, 0)
    timing.record(20_000, 60_000, 3)
    timing.record(0, 0, 3)
    summary = timing.summary
    assert (summary.late, summary.overruns, summary.skipped) == (2, 2, 3)
    # The times are those of the last interval alone.
    assert (summary.lateness_max_us, summary.compute_max_us) == (20.0, 60.0)


def test_an_interval_has_at_least_one_tick() -> None:
    timing = statistics(0)
    timing.record(1_000, 1_000, 0)
    timing.record(3_000, 1_000, 0)
    assert (timing.summary.ticks, timing.summary.lateness_median_us) == (1, 3.0)


def test_the_public_form_is_rounded_plain_data() -> None:
    timing = statistics(2)
    for _ in range(2):
        timing.record(1_234, 5_678, 2)
    told = timing.summary.as_dict()
    assert told["lateness_median_us"] == 1.2 and told["compute_max_us"] == 5.7
    assert (told["ticks"], told["skipped"]) == (2, 2)


def test_a_summary_imports_nothing() -> None:
    """It is asked for while the loop runs, and an import holds the interpreter for longer than a cycle."""
    program = (
        "import sys\n"
        "from bxi_framework.control.timing import TimingStatistics\n"
        "timing = TimingStatistics(100, 4, 10, 50)\n"
        "before = set(sys.modules)\n"
        "timing.record(1, 2, 0)\n"
        "timing.summary\n"
        "print(sorted(set(sys.modules) - before))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
