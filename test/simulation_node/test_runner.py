"""The thread of the node lives on whatever fails, so that a reset finds it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from simulation.test_run_errors import acting, looking
from simulation_node.parts import exported

from bxi_framework.simulation import PartError, Physics, Simulation, SimulationInstance

runner = exported("runner")


class Watched:
    """A runner at full speed, what it says of failures, and a way to wait for them."""

    def __init__(self, simulation: Simulation, stepped: Callable[[SimulationInstance], None]) -> None:
        self.failures: list[BaseException] = []
        self.failed = threading.Event()
        self.made: Any = runner.Runner(simulation, None, 0.0, stepped, self._note)

    def _note(self, error: BaseException) -> None:
        self.failures.append(error)
        self.failed.set()

    def wait(self) -> BaseException:
        assert self.failed.wait(60.0), "no failure was told"
        return self.failures[-1]

    def reset(self) -> None:
        self.failed.clear()
        self.made.ask(lambda _: self.made.reset(3), 60.0)


@contextmanager
def watched(
    simulation: Simulation, stepped: Callable[[SimulationInstance], None] = lambda _: None
) -> Iterator[Watched]:
    made = Watched(simulation, stepped)
    made.made.start()
    try:
        yield made
    finally:
        made.made.close(60.0)


class Trouble:
    """Raises an error as long as there is one to raise."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error

    def __call__(self, _: object) -> None:
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize("error", [RuntimeError("worn out"), SystemExit(3), KeyboardInterrupt()])
def test_a_part_that_fails_stops_the_run_until_a_reset(error: BaseException) -> None:
    trouble = Trouble(error)

    def fail(physics: Physics) -> None:
        if physics.data.time > 0.05:
            trouble(physics)

    with watched(acting(fail)) as each:
        assert type(error).__name__ in str(each.wait()) + repr(each.wait())
        assert each.made.failure is each.wait()
        trouble.error = None
        each.reset()
        assert each.made.failure is None
        assert each.made.ask(lambda run: run.seed, 60.0) == 3


def test_what_sends_the_readings_may_fail_as_well() -> None:
    trouble = Trouble(AssertionError("a message refuses a value"))
    with watched(looking(lambda _: None), trouble) as each:
        assert each.wait() is trouble.error
        trouble.error = None
        each.reset()
        assert each.made.failure is None


def test_a_reset_that_fails_stops_the_run_and_another_one_mends_it() -> None:
    trouble = Trouble()
    with watched(looking(trouble)) as each:
        trouble.error = RuntimeError("no second time")
        with pytest.raises(PartError, match="no second time"):
            each.reset()
        assert isinstance(each.made.failure, PartError)
        trouble.error = None
        each.reset()
        assert each.made.failure is None


def test_a_wish_that_comes_too_late_is_dropped_and_says_so() -> None:
    inside, go_on = threading.Event(), threading.Event()

    def wait(_: Physics) -> None:
        inside.set()
        assert go_on.wait(60.0)

    granted: list[str] = []
    with watched(acting(wait)) as each:
        assert inside.wait(60.0)
        with pytest.raises(TimeoutError, match=r"not answered within 0\.01 s; it was dropped"):
            each.made.ask(lambda _: granted.append("late"), 0.01)
        go_on.set()
        each.made.ask(lambda _: granted.append("in time"), 60.0)
    assert granted == ["in time"]


def test_a_run_that_stands_still_costs_no_processor_even_without_a_pace() -> None:
    def look(run: SimulationInstance) -> tuple[float, float]:
        return run.time, time.thread_time()

    with watched(looking(lambda _: None)) as each:
        each.made.pause(True)
        simulated, begin = each.made.ask(look, 60.0)
        threading.Event().wait(0.5)
        later, end = each.made.ask(look, 60.0)
        assert later == simulated
        assert end - begin < 0.1, "seconds of the thread's own work while it only looks for wishes"
        each.made.pause(False)
        assert each.made.ask(lambda run: run.time, 60.0) >= simulated
