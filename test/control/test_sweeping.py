"""Garbage is collected between two ticks, whatever a Mod does about it."""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Callable, Iterator

import pytest
from control.clocks import RealClock
from control.test_loop import PATIENCE, Station
from machine.actors import Stage
from machine.rigs import rig

from bxi_framework.control.sweeping import YOUNG, Sweeper

MS = 1_000_000


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Each test leaves the collector as it was."""
    before = gc.isenabled(), gc.get_threshold()
    yield
    assert (gc.isenabled(), gc.get_threshold()) == before
    assert gc.get_freeze_count() == 0


class Knot:
    """An object that only a collection frees."""

    def __init__(self) -> None:
        self.me = self


def knots(count: int) -> list[weakref.ref[Knot]]:
    return [weakref.ref(Knot()) for _ in range(count)]


def left(refs: list[weakref.ref[Knot]]) -> int:
    return sum(ref() is not None for ref in refs)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def sweeper(period_ms: float = 20.0) -> Sweeper:
    return Sweeper(RealClock(), round(period_ms * MS))


def ample() -> int:
    """A minute from now."""
    return time.monotonic_ns() + 60_000 * MS


def test_nothing_is_collected_until_there_is_time_and_then_it_is() -> None:
    with sweeper() as made:
        assert not gc.isenabled() and gc.get_freeze_count() > 0
        refs = knots(5 * YOUNG)
        assert left(refs) == len(refs)
        made.offer(time.monotonic_ns())
        until(lambda: made.sweeps.postponed == 1)
        assert left(refs) == len(refs)
        made.offer(ample())
        until(lambda: left(refs) == 0)
        assert (made.sweeps.young, made.sweeps.set_aside) == (1, 0)
        assert made.sweeps.young_longest_us > 0


def test_a_little_garbage_is_left_for_later() -> None:
    with sweeper() as made:
        refs = knots(YOUNG // 10)
        made.offer(ample())
        assert not made._wake.is_set()
        assert left(refs) == len(refs)
    del refs
    gc.collect()


def test_every_generation_has_its_turn() -> None:
    with sweeper() as made:
        kept: list[list[int]] = []
        for turn in range(150):
            kept += [[turn] for _ in range(YOUNG)]
            before = made.sweeps.young + made.sweeps.middle + made.sweeps.full
            made.offer(ample())
            until(lambda: made.sweeps.young + made.sweeps.middle + made.sweeps.full > before)  # noqa: B023
        assert made.sweeps.middle >= 10 and made.sweeps.full >= 1
        assert made.sweeps.young > made.sweeps.middle > made.sweeps.full


def test_what_a_mod_does_to_the_collector_is_undone_at_the_next_tick() -> None:
    with sweeper() as made:
        gc.enable()
        refs = knots(10 * YOUNG)
        assert left(refs) == len(refs), "without thresholds nothing was collected"
        made.offer(ample())
        until(lambda: left(refs) == 0)
        assert not gc.isenabled()
        gc.set_threshold(700, 10, 10)
        gc.enable()
        made.offer(ample())
        until(lambda: not gc.isenabled())
        assert gc.get_threshold()[0] == 0


@pytest.mark.parametrize("meddle", [gc.collect, gc.freeze, gc.disable, gc.unfreeze])
def test_a_mod_that_meddles_keeps_nothing_from_being_collected_after_it(meddle: Callable[[], object]) -> None:
    with sweeper(period_ms=10_000) as made:
        meddle()
        refs = knots(2 * YOUNG)
        made.offer(ample())
        until(lambda: left(refs) == 0)
        assert not gc.isenabled()
    gc.unfreeze()


def test_more_than_any_cycle_has_time_for_is_set_aside_until_the_end() -> None:
    with sweeper(period_ms=0.01) as made:
        refs = knots(20 * YOUNG)
        made.offer(time.monotonic_ns())
        until(lambda: made.sweeps.set_aside == 1)
        made.offer(ample())
        assert left(refs) == len(refs)
    gc.collect()
    assert left(refs) == 0


def test_a_loop_that_makes_garbage_in_its_ticks_collects_it_between_them() -> None:
    made: list[weakref.ref[Knot]] = []
    collected_in_a_tick: list[str] = []
    inside = False

    def update(ctx: object) -> None:
        nonlocal inside
        inside = True
        made.extend(knots(100))
        gc.enable()
        inside = False

    def watch(phase: str, info: object) -> None:
        if inside:
            collected_in_a_tick.append(phase)

    stage = Stage(does={"idle.on_update": update})
    gc.callbacks.append(watch)
    try:
        station = Station(rig(stage.actors(idle=0.1), period=0.002), RealClock(), enough=200)
        station.run()
    finally:
        gc.callbacks.remove(watch)
    assert collected_in_a_tick == []
    assert station.loop.sweeper.sweeps.young > 0
    assert left(made) < len(made) / 2
