"""What the ticks took, interval by interval."""

from __future__ import annotations

import pytest

from bxi_framework.control import TimingStatistics


def statistics(interval: int = 4) -> TimingStatistics:
    """100 µs a period, 10 µs tolerance, 50 µs budget."""
    return TimingStatistics(100_000, interval, 10_000, 50_000)


def test_before_the_first_interval_there_is_an_empty_summary() -> None:
    summary = statistics().summary
    assert (summary.ticks, summary.period_us, summary.lateness_max_us) == (0, 100.0, 0.0)
    assert statistics().summarise() == summary


def test_a_full_interval_wants_a_summary() -> None:
    timing = statistics()
    full = [
        timing.record(late, compute, skipped)
        for late, compute, skipped in (
            (1_000, 20_000, 0),
            (2_000, 30_000, 0),
            (3_000, 40_000, 1),
            (4_000, 50_000, 1),
        )
    ]
    assert full == [False, False, False, True]
    summary = timing.summarise()
    assert summary.ticks == 4
    assert (summary.lateness_median_us, summary.lateness_max_us) == (2.5, 4.0)
    assert (summary.compute_median_us, summary.compute_max_us) == (35.0, 50.0)
    assert summary.lateness_p99_us == pytest.approx(3.97)  # between the third and the fourth, 97 % of the way
    assert (summary.skipped, summary.late, summary.overruns) == (1, 0, 0)
    assert timing.summary is summary


def test_what_is_late_or_over_budget_is_counted_since_the_start() -> None:
    timing = statistics(2)
    timing.record(10_000, 50_000, 0)  # exactly at both bounds is in time
    timing.record(10_001, 50_001, 0)
    assert (timing.summarise().late, timing.summary.overruns) == (1, 1)
    timing.record(20_000, 60_000, 3)
    timing.record(0, 0, 3)
    summary = timing.summarise()
    assert (summary.late, summary.overruns, summary.skipped) == (2, 2, 3)
    # The times are those of the last interval alone.
    assert (summary.lateness_max_us, summary.compute_max_us) == (20.0, 60.0)


def test_a_summary_may_be_taken_in_between() -> None:
    timing = statistics(100)
    timing.record(7_000, 9_000, 0)
    assert (timing.summarise().ticks, timing.summary.lateness_median_us) == (1, 7.0)
    assert timing.summarise().ticks == 1  # nothing new: the last one stays readable


@pytest.mark.parametrize("interval", [0, 1])
def test_an_interval_has_at_least_one_tick(interval: int) -> None:
    timing = statistics(interval)
    for _ in range(3):
        assert timing.record(1_000, 1_000, 0)
        assert timing.summarise().ticks == 1


def test_the_public_form_is_rounded_plain_data() -> None:
    timing = statistics(2)
    timing.record(1_234, 5_678, 2)
    timing.record(1_234, 5_678, 2)
    told = timing.summarise().as_dict()
    assert told["lateness_median_us"] == 1.2 and told["compute_max_us"] == 5.7
    assert (told["ticks"], told["skipped"]) == (2, 2)
