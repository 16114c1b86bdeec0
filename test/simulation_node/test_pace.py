"""Simulated time keeps its factor of real time, and a long pause is not made up for."""

from __future__ import annotations

import pytest
from simulation_node.parts import exported

pace = exported("pace")


def walk(made: object, now: float, costs: list[float]) -> list[float]:
    """When each period begins, if computing the one before took the given time."""
    begins = []
    for cost in costs:
        begins.append(now)
        now += cost
        now += made.wait(now)  # type: ignore[attr-defined]
    return begins


def test_periods_begin_at_absolute_times() -> None:
    made = pace.Pace(period=0.02, factor=1.0)
    made.start(5.0)
    assert walk(made, 5.0, [0.001, 0.015, 0.003, 0.0]) == pytest.approx([5.0, 5.02, 5.04, 5.06])


def test_the_factor_shortens_and_stretches_the_periods() -> None:
    fast = pace.Pace(period=0.02, factor=4.0)
    fast.start(0.0)
    assert walk(fast, 0.0, [0.0] * 3) == pytest.approx([0.0, 0.005, 0.01])
    slow = pace.Pace(period=0.02, factor=0.5)
    slow.start(0.0)
    assert walk(slow, 0.0, [0.0] * 3) == pytest.approx([0.0, 0.04, 0.08])


def test_factor_zero_never_waits() -> None:
    made = pace.Pace(period=0.02, factor=0.0)
    made.start(0.0)
    assert [made.wait(now) for now in (0.0, 0.1, 7.0)] == [0.0, 0.0, 0.0]


def test_a_short_delay_is_made_up_for_and_a_long_one_is_not() -> None:
    made = pace.Pace(period=0.02, factor=1.0)
    made.start(0.0)
    short = walk(made, 0.0, [0.05, 0.0, 0.0, 0.0])
    assert short == pytest.approx([0.0, 0.05, 0.05, 0.06])
    made.start(0.0)
    begins = walk(made, 0.0, [60.0, *[0.0] * 10])
    assert begins[1:6] == pytest.approx([60.0] * 5)
    assert begins[10] == pytest.approx(60.0 + 9 * 0.02 - pace.LONGEST_DEBT)


def test_the_meter_gives_the_factor_since_the_last_look() -> None:
    meter = pace.FactorMeter(real=10.0, simulated=0.0)
    assert meter.read(12.0, 1.0) == pytest.approx(0.5)
    assert meter.read(13.0, 3.0) == pytest.approx(2.0)
    assert meter.read(14.0, 0.5) == 0.0, "a reset in between says nothing"
    assert meter.read(15.0, 1.5) == pytest.approx(1.0)


def test_the_meter_leaves_a_pause_out() -> None:
    meter = pace.FactorMeter(real=10.0, simulated=5.0)
    meter.restart(10.75, 5.0)
    assert meter.read(11.0, 5.25) == pytest.approx(1.0)
    assert meter.window == pytest.approx(0.25)
