"""One run: bit-identical by seed, in any split, after reset and after a snapshot; faults name their part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest
from simulation.cart import PUSH, RAIL, World, built

from bxi_framework.simulation import (
    CommandError,
    NotRunningError,
    Simulation,
    SimulationInstance,
    UnknownIdError,
)


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return built()


@pytest.fixture
def run(simulation: Simulation) -> Iterator[SimulationInstance]:
    with simulation.open() as instance:
        yield instance


def bits(run: SimulationInstance) -> bytes:
    """Everything that a run shows: the physics and the readings."""
    size = mujoco.mj_stateSize(run.physics.model, mujoco.mjtState.mjSTATE_INTEGRATION)
    state = np.empty(size)
    mujoco.mj_getState(run.physics.model, run.physics.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    shown = [state, run.physics.data.sensordata, run.physics.data.xpos]
    for device in sorted(run.devices):
        reading = run.reading(device)
        shown += [np.array([reading.stamp]), *(reading.channels[name] for name in sorted(reading.channels))]
    return b"".join(np.ascontiguousarray(part).tobytes() for part in shown)


def drive(run: SimulationInstance, periods: int, split: int = 1) -> None:
    """Push the cart to and fro; the commands depend on the time alone."""
    for _ in range(periods // split):
        run.command("push", [3.0 * np.sign(np.sin(run.time))])
        run.step(split)


def test_ten_thousand_steps_twice_from_one_seed_are_identical_to_the_bit(simulation: Simulation) -> None:
    seen = []
    for _ in range(2):
        with simulation.open(seed=7) as run:
            drive(run, 1000)  # 10 time steps each
            seen.append(bits(run))
    assert seen[0] == seen[1]


def test_another_seed_gives_another_run(simulation: Simulation) -> None:
    with simulation.open(seed=1) as one, simulation.open(seed=2) as other:
        one.step(50)
        other.step(50)
        assert bits(one) != bits(other)


def test_reset_with_a_seed_is_a_fresh_run_with_that_seed(
    simulation: Simulation, run: SimulationInstance
) -> None:
    drive(run, 40)
    run.feed("lift", [0.2])
    run.reset(11)
    with simulation.open(seed=11) as fresh:
        assert bits(run) == bits(fresh)
        run.step(100)
        fresh.step(100)
        assert bits(run) == bits(fresh)


@pytest.mark.parametrize("split", [1, 5, 50])
def test_any_split_of_the_steps_gives_the_same_run(simulation: Simulation, split: int) -> None:
    with simulation.open() as whole, simulation.open() as parted:
        whole.command("push", [2.0])
        parted.command("push", [2.0])
        whole.step(100)
        for _ in range(100 // split):
            parted.step(split)
        assert bits(whole) == bits(parted)


def test_a_restored_snapshot_goes_on_as_the_run_did(run: SimulationInstance) -> None:
    drive(run, 73)
    run.feed("lift", [0.3])
    before = run.snapshot()
    at = bits(run)
    drive(run, 100)
    after = bits(run)
    for _ in range(2):
        run.restore(before)
        assert bits(run) == at
        drive(run, 100)
        assert bits(run) == after


def test_a_snapshot_can_be_restored_into_another_run_of_the_same_simulation(simulation: Simulation) -> None:
    with simulation.open(seed=3) as one, simulation.open(seed=4) as other:
        drive(one, 40)
        other.restore(one.snapshot())
        assert other.seed == 3
        drive(one, 40)
        drive(other, 40)
        assert bits(one) == bits(other)


def test_a_snapshot_of_another_simulation_is_refused(run: SimulationInstance) -> None:
    with built().open() as other, pytest.raises(ValueError, match="another simulation"):
        run.restore(other.snapshot())


def test_devices_are_read_at_their_own_periods_from_the_start_on(run: SimulationInstance) -> None:
    assert run.reading("front").stamp == 0.0
    run.step(5)  # 0.1 s
    front, odometer = run.reading("front"), run.reading("odometer")
    assert front.stamp == pytest.approx(0.096)
    assert front.channels["taken"] == [17.0]  # at 0 and 16 times after 6 ms
    assert odometer.stamp == pytest.approx(0.1)
    assert odometer.channels["taken"] == [3.0]


def test_a_reading_that_is_kept_does_not_change(run: SimulationInstance) -> None:
    kept = run.reading("front")
    value = kept.channels["value"].copy()
    drive(run, 20)
    assert kept.channels["value"] == value


def test_the_newest_command_counts_from_the_next_period_on_and_stays(run: SimulationInstance) -> None:
    run.command("push", [1.0])
    run.command("push", [4.0])
    run.step(3)
    assert run.physics.data.ctrl[0] == 4.0


def test_an_input_falls_back_after_its_timeout(run: SimulationInstance) -> None:
    run.feed("lift", [1.0])
    run.step(10)  # 0.2 s
    high = run.physics.data.mocap_pos[0, 2]
    assert high == pytest.approx(1.5 + np.sin(0.18), abs=1e-9)
    run.step(20)  # the value is 0.6 s old, its timeout is 0.5 s
    assert run.physics.data.mocap_pos[0, 2] == pytest.approx(0.5 + np.sin(0.58), abs=1e-9)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1.0, 2.0], r"'push' takes values of the shape \(1,\) \(force\), not \(2,\)"),
        (1.0, r"not \(\)"),
        ([float("nan")], r"finite values, and that at \[0\] is nan"),
        ([float("inf")], "is inf"),
        (["fast"], "takes numbers"),
        ([None], "finite"),
    ],
)
def test_a_command_that_does_not_fit_is_refused_and_changes_nothing(
    run: SimulationInstance, values: Any, said: str
) -> None:
    run.command("push", [4.0])
    with pytest.raises(CommandError, match=said):
        run.command("push", values)
    run.step()
    assert run.physics.data.ctrl[0] == 4.0


@pytest.mark.parametrize("value", [1e200, -1e308, 5e-324])
def test_a_command_may_be_any_finite_number(run: SimulationInstance, value: float) -> None:
    run.feed("lift", [value])
    run.command("push", np.array([value]))
    assert run._commands["push"].value == [value]


def test_unknown_ids_are_named_with_the_nearest_known_one(run: SimulationInstance) -> None:
    with pytest.raises(UnknownIdError, match=r"no endpoint 'pusch'. Did you mean 'push'"):
        run.command("pusch", [1.0])
    with pytest.raises(UnknownIdError, match=r"no input 'lft'. Did you mean 'lift'"):
        run.feed("lft", [1.0])
    with pytest.raises(UnknownIdError, match=r"no device 'frnt'. Did you mean 'front'"):
        run.reading("frnt")
    with pytest.raises(UnknownIdError, match="no domain state 'x'"):
        run.domain("x")


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_out_of_range_is_refused(simulation: Simulation, seed: int) -> None:
    with pytest.raises(ValueError, match="a seed is a whole number from 0"):
        simulation.open(seed)


def test_a_closed_run_says_so(simulation: Simulation) -> None:
    run = simulation.open()
    run.close()
    run.close()
    with pytest.raises(NotRunningError, match="closed"):
        run.step()
    with pytest.raises(NotRunningError, match="closed"):
        run.reading("front")


def test_a_run_does_not_change_the_simulation(simulation: Simulation) -> None:
    before = simulation.model.qpos0.copy(), simulation.model.actuator_gainprm.copy()
    with simulation.open() as run:
        run.physics.model.actuator_gainprm[:] = 9.0
        run.step(2)
        run.reset()
        assert (run.physics.model.actuator_gainprm == before[1]).all()
    assert (simulation.model.actuator_gainprm == before[1]).all()


def test_a_part_draws_the_same_numbers_whatever_else_is_there() -> None:
    alone = built(World(components=(RAIL,), extensions=()))
    with alone.open(seed=5) as few, built(World(components=(PUSH, RAIL))).open(seed=5) as many:
        few.step(10)
        many.step(10)
        assert few.reading("odometer").channels == many.reading("odometer").channels


def test_the_scene_gives_the_seed_where_none_is_given() -> None:
    world = replace(World(), settings={"seed": 21})
    with built(world).open() as run:
        assert run.seed == 21
