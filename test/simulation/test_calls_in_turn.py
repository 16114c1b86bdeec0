"""One call at a time works on a run, and what part code does wrong in it is named."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from simulation.test_run_errors import _with_meter, acting, looking

from bxi_framework.diagnostics import Report
from bxi_framework.simulation import (
    BusyError,
    ModelText,
    NotRunningError,
    PartError,
    Physics,
    PhysicsError,
    ReadingError,
    Runtime,
    Scene,
    Simulation,
    SimulationBuilder,
    SimulationInstance,
)

CALLS: dict[str, Callable[[SimulationInstance], object]] = {
    "step": lambda run: run.step(),
    "reset": lambda run: run.reset(),
    "snapshot": lambda run: run.snapshot(),
    "close": lambda run: run.close(),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_part_that_works_on_its_own_run_is_named(name: str) -> None:
    runs: list[SimulationInstance] = []

    def meddle(physics: Physics) -> None:
        if physics.data.time > 0.05:
            CALLS[name](runs[0])

    runs.append(looking(meddle).open())
    with pytest.raises(PartError, match=r"'looking' failed in observe at 0\.06 s .*BusyError.*must not step"):
        runs[0].step(20)
    with pytest.raises(NotRunningError, match="needs a reset"):
        runs[0].step()


@pytest.mark.parametrize("name", CALLS)
def test_a_second_thread_is_refused_and_disturbs_nothing(name: str) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def wait(physics: Physics) -> None:
        if physics.data.time > 0.05:
            inside.set()
            assert go_on.wait(60.0)

    run = acting(wait).open()
    stepping = threading.Thread(target=lambda: run.step(5))
    stepping.start()
    assert inside.wait(60.0)
    try:
        with pytest.raises(BusyError, match="threads must take turns"):
            CALLS[name](run)
    finally:
        go_on.set()
        stepping.join(60.0)
    assert run.time == pytest.approx(5 * run.period)
    CALLS[name](run)


def test_a_part_that_wants_to_end_the_program_is_an_error_of_that_part() -> None:
    def leave(physics: Physics) -> None:
        if physics.data.time > 0.05:
            raise SystemExit(3)

    for make, work in ((acting, "act"), (looking, "observe")):
        with make(leave).open() as run, pytest.raises(PartError, match=f"failed in {work} .*SystemExit: 3"):
            run.step(20)


@pytest.mark.parametrize(
    ("later", "said"),
    [
        (None, "is a NoneType"),
        ({}, r"has the channels \[\]"),
        ({"value": 1.0, "taken": np.zeros(1)}, "has a float in 'value'"),
        ({"value": np.zeros(3), "taken": np.zeros(1)}, r"has float64 of the shape \(3,\)"),
    ],
)
def test_a_reading_that_breaks_its_descriptor_later_is_told_when_it_is_asked_for(
    later: Any, said: str
) -> None:
    right = {"value": np.zeros(1), "taken": np.zeros(1)}
    with _with_meter(lambda physics: later if physics.data.time else right).open() as run:
        run.step(10)
        for ask in (lambda: run.reading("front"), run.snapshot):
            with pytest.raises(ReadingError, match=f"the reading of 'front' at 0.* s {said}"):
                ask()


def test_a_part_that_cannot_be_kept_or_brought_back_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    run = looking(lambda _: None).open()
    kept = run.snapshot()

    def fail(*_: object) -> None:
        raise TypeError("cannot pickle")

    with monkeypatch.context() as patch:
        patch.setattr(Runtime, "snapshot", fail)
        with pytest.raises(PartError, match=r"failed in snapshot at 0 s .*TypeError: cannot pickle"):
            run.snapshot()
    for method in ("restore", "restored"):
        with monkeypatch.context() as patch:
            patch.setattr(Runtime, method, fail)
            with pytest.raises(PartError, match=f"failed in {method} at 0 s .*TypeError"):
                run.restore(kept)
        with pytest.raises(NotRunningError, match="could not be restored"):
            run.step()
        run.restore(kept)
        run.step()


BALLS = "".join(f'<body pos="0 {n / 100} 0"><freejoint/><geom size="0.1"/></body>' for n in range(10))


def scarce(memory: int) -> Simulation | None:
    """Ten balls in one another, in a world with so many bytes of memory."""
    model = f'<mujoco><size memory="{memory}"/><worldbody>{BALLS}</worldbody></mujoco>'
    return SimulationBuilder(Scene(ModelText(model), 0.002, 0.02)).build(Report())


@pytest.mark.parametrize("memory", range(2000, 120000, 6000))
def test_too_little_memory_is_told_by_the_physics_or_the_build(memory: int) -> None:
    """MuJoCo warns of some of it and throws an error of its own for the rest."""
    simulation = scarce(memory)
    if simulation is not None:
        with pytest.raises(PhysicsError, match=r"MuJoCo stopped after 0 s: .*memory"):
            simulation.open().step(5)


@pytest.mark.parametrize("periods", [-1, -(10**9)])
def test_a_run_cannot_go_back(periods: int) -> None:
    with looking(lambda _: None).open() as run, pytest.raises(ValueError, match=f"not by {periods}"):
        run.step(periods)


def test_a_number_of_periods_that_is_not_whole_leaves_the_run_as_it_is() -> None:
    with looking(lambda _: None).open() as run:
        with pytest.raises(TypeError):
            run.step(1.5)  # type: ignore[arg-type]
        run.step(np.int64(2))  # type: ignore[arg-type]
        assert run.time == pytest.approx(2 * run.period)


@pytest.mark.parametrize("seed", [1.5, "1", float("nan")])
def test_a_seed_that_is_no_whole_number_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="a seed is a whole number from 0"):
        looking(lambda _: None).open(seed=seed)
