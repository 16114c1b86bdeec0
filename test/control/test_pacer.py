"""The pacer: a fixed grid of deadlines that no late tick moves."""

from __future__ import annotations

import pytest
from control.clocks import HandClock
from hypothesis import given
from hypothesis import strategies as st

from bxi_framework.control import Pacer

START = 1_000
PERIOD = 100


def pacer(spin: int = 0, **clock: int) -> tuple[Pacer, HandClock]:
    hand = HandClock(START, **clock)
    return Pacer(hand, PERIOD, spin), hand


def test_it_waits_for_one_deadline_after_the_other() -> None:
    paced, clock = pacer()
    assert [paced.wait() for _ in range(3)] == [(1, 0), (1, 0), (1, 0)]
    assert clock.slept_until == [1_100, 1_200, 1_300]
    assert paced.skipped == 0


def test_the_time_that_a_tick_takes_does_not_move_the_grid() -> None:
    paced, clock = pacer()
    for _ in range(3):
        paced.wait()
        clock.work(60)
    assert clock.slept_until == [1_100, 1_200, 1_300]


def test_a_sleep_that_ends_late_is_lateness_and_does_not_move_the_grid() -> None:
    paced, clock = pacer()
    clock.late_by = 30
    assert [paced.wait() for _ in range(3)] == [(1, 30), (1, 30), (1, 30)]
    assert clock.slept_until == [1_100, 1_200, 1_300]


def test_a_tick_that_takes_longer_than_its_period_is_followed_at_once_by_the_next() -> None:
    paced, clock = pacer()
    paced.wait()
    clock.work(130)  # now 1230, the deadline was 1200
    assert paced.wait() == (1, 30)
    assert clock.slept_until == [1_100]
    assert paced.wait() == (1, 0)
    assert clock.slept_until == [1_100, 1_300]
    assert paced.skipped == 0


@pytest.mark.parametrize(
    ("work", "cycles", "late"),
    [
        (199, 1, 99),  # up to the next deadline nothing is skipped
        (200, 2, 0),
        (250, 2, 50),
        (299, 2, 99),
        (300, 3, 0),
        (10_040, 100, 40),
    ],
)
def test_missed_cycles_are_skipped_and_counted_and_never_run_in_a_burst(
    work: int, cycles: int, late: int
) -> None:
    paced, clock = pacer()
    paced.wait()
    clock.work(work)
    assert paced.wait() == (cycles, late)
    assert paced.skipped == cycles - 1
    # The next one is on the old grid again, after a sleep.
    assert paced.wait() == (1, 0)
    assert clock.slept_until[-1] == 1_100 + (cycles + 1) * PERIOD


def test_skipped_cycles_add_up() -> None:
    paced, clock = pacer()
    for work in (0, 250, 0, 400):
        paced.wait()
        clock.work(work)
    paced.wait()
    assert paced.skipped == 1 + 3


def test_the_last_stretch_before_a_deadline_is_spent_awake() -> None:
    paced, clock = pacer(spin=20, per_look=1)
    cycles, late = paced.wait()
    assert clock.slept_until == [1_080]
    assert (cycles, late) == (1, 0)
    assert clock.looks > 15


def test_a_deadline_within_the_stretch_is_awaited_without_sleep() -> None:
    paced, clock = pacer(spin=20, per_look=1)
    paced.wait()
    clock.work(90)
    assert paced.wait()[0] == 1
    assert clock.slept_until == [1_080]


def test_a_sleep_that_ends_early_is_made_up_for_by_looking() -> None:
    class Early(HandClock):
        def sleep_until(self, deadline_ns: int) -> None:
            self.slept_until.append(deadline_ns)
            self.now = deadline_ns - 7

    clock = Early(START, per_look=1)
    assert Pacer(clock, PERIOD).wait() == (1, 0)


@given(st.lists(st.tuples(st.integers(0, 1_000), st.integers(0, 150)), max_size=50))
def test_cycles_and_deadlines_always_agree(days: list[tuple[int, int]]) -> None:
    paced, clock = pacer()
    total = 0
    for work, late_by in days:
        clock.late_by = late_by
        cycles, late = paced.wait()
        assert cycles >= 1 and late >= 0
        total += cycles
        # The deadline of this tick lies on the grid, and the clock is past it by the lateness.
        assert clock.now == START + total * PERIOD + late
        clock.work(work)
    assert paced.skipped == total - len(days)
