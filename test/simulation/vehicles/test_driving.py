"""Several vehicles in one world: each is driven, read, reset and kept by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from simulation.vehicles.rover import Rover, build, rover, scene

from bxi_framework.simulation import CommandError, SimulationInstance

THREE = scene(
    rover("red"), rover("green", y=1.0, yaw=0.5), rover("blue", y=-1.0, config={"turned": True, "mass": 2.0})
)


def state(run: SimulationInstance, name: str) -> dict[str, Any]:
    return {key: value.tolist() for key, value in run.reading(f"{name}/state").channels.items()}


def pose(run: SimulationInstance, name: str) -> tuple[float, ...]:
    return (*state(run, name)["position"], *state(run, name)["orientation"])


def everything(run: SimulationInstance) -> dict[str, Any]:
    return {name: state(run, name) for name in ("red", "green", "blue")}


def drive(run: SimulationInstance, splits: tuple[int, ...] = (60,)) -> None:
    run.command("red/control", [1.0, 0.1, 0.0])
    run.command("blue/control", [-0.5, -0.3, 0.0])
    for periods in splits:
        run.step(periods)


def test_three_vehicles_drive_independently() -> None:
    simulation = build(THREE)
    with simulation.open(1, check=True) as run:
        start = {name: pose(run, name) for name in ("red", "green", "blue")}
        drive(run)
        moved = {name: np.abs(np.subtract(pose(run, name), start[name])).max() for name in start}
    assert moved["red"] > 0.2
    assert moved["blue"] > 0.2
    assert moved["green"] < 0.005


def test_another_vehicle_changes_nothing_for_those_that_are_there() -> None:
    def red_after(*others: Any) -> Any:
        with build(scene(rover("red", config={"turned": True}), *others)).open(4) as run:
            run.command("red/control", [0.7, 0.0, 0.0])
            run.step(10)
            return run.physics.data.qpos[:7].tolist()

    assert red_after() == pytest.approx(red_after(rover("violet", y=2.0)), abs=1e-9)


def test_the_same_seed_gives_the_same_run_to_the_bit() -> None:
    simulation = build(THREE)
    with simulation.open(7) as one, build(THREE).open(7) as other, simulation.open(8) as third:
        drive(one)
        drive(other, (1, 2, 7, 50))
        drive(third)
        assert everything(one) == everything(other)
        assert everything(one) != everything(third)


def test_a_reset_is_a_fresh_run() -> None:
    simulation = build(THREE)
    with simulation.open(7) as one, simulation.open(2) as other:
        drive(one)
        drive(other, (13,))
        other.reset(7)
        drive(other)
        assert everything(one) == everything(other)


def test_a_snapshot_keeps_what_vehicles_remember() -> None:
    with build(THREE).open(7) as run:
        drive(run, (20,))
        snapshot = run.snapshot()
        drive(run, (30,))
        first = everything(run)
        run.restore(snapshot)
        drive(run, (30,))
        assert everything(run) == first
        run.reset(1)
        run.restore(snapshot)
        drive(run, (30,))
        assert everything(run) == first


def test_the_seed_of_each_vehicle_follows_from_the_episode_and_its_id() -> None:
    seeds: dict[str, list[int]] = {}

    class Noting(Rover):
        descriptor = Rover.descriptor

        def reset_vehicle(self, seed: int) -> None:
            seeds.setdefault(self.name, []).append(seed)

    simulation = build(scene(rover("red"), rover("blue", y=1.0)), Noting)
    seeds.clear()
    with simulation.open(3) as run:
        run.reset(4)
        run.reset(3)
    red, blue = seeds["red"], seeds["blue"]
    assert red[0] == red[2] != red[1]
    assert blue[0] == blue[2] != blue[1]
    assert red[0] != blue[0]
    assert all(0 <= seed < 2**31 for seed in (*red, *blue))


def test_commands_beyond_the_limits_are_cut_and_others_refused() -> None:
    commands = []

    class Noting(Rover):
        descriptor = Rover.descriptor

        def apply_control(self, command: Any) -> None:
            commands.append((command.throttle, command.steer, command.brake))

    with build(scene(rover("red")), Noting).open() as run:
        commands.clear()
        run.step()
        run.command("red/control", [5.0, -3.0, 2.0])
        run.step()
        with pytest.raises(CommandError, match="finite"):
            run.command("red/control", [float("nan"), 0.0, 0.0])
        run.step()
    assert commands == [(0.0, 0.0, 0.0), (1.0, -1.0, 1.0), (1.0, -1.0, 1.0)]


def test_the_limits_are_those_of_the_contract() -> None:
    from dataclasses import replace

    from bxi_framework.mod_api import ActuatorDescriptor

    commands = []
    contract = replace(
        Rover.descriptor.contract, actuators=(ActuatorDescriptor("throttle", "continuous", 0.0, 0.5),)
    )

    class Slow(Rover):
        descriptor = replace(Rover.descriptor, contract=contract)

        def apply_control(self, command: Any) -> None:
            commands.append((command.throttle, command.steer, command.brake))

    with build(scene(rover("red")), Slow).open() as run:
        for command in ([1.0, 1.0, 1.0], [-1.0, 0.0, 0.0]):
            run.command("red/control", command)
            run.step()
    assert commands[-2:] == [(0.5, 0.0, 0.0), (0.0, 0.0, 0.0)]


def test_endpoints_and_devices_say_what_the_contract_says() -> None:
    simulation = build(scene(rover("red")))
    endpoint = simulation.endpoints["red/control"]
    assert endpoint.joints == ("throttle", "steer", "brake")
    assert endpoint.command.shape == (3,)
    device = simulation.devices["red/state"]
    assert device.period_s == pytest.approx(0.02)
    units = {channel.name: channel.unit for channel in device.channels}
    assert units["ahead"] == "m"
    assert units["linear_velocity"] == "m/s"


def test_the_vehicle_alone_writes_its_actuators_and_the_joints_that_it_places() -> None:
    claims = {str(each.claim): each.holder for each in build(THREE).authorities}
    for name in ("red", "green", "blue"):
        for claimed in ("actuator '{}/left'", "actuator '{}/right'", "joint '{}/left'", "joint '{}/root'"):
            assert claims[claimed.format(name)] == f"{name}/drive"


def test_the_plan_knows_the_version_the_place_and_the_config_of_each_vehicle() -> None:
    from dataclasses import replace

    from bxi_framework.mod_api import ContractVersion

    class Newer(Rover):
        descriptor = replace(Rover.descriptor, version=ContractVersion(1, 2, 1))

    plain = build(scene(rover("red"))).plan
    same = build(scene(rover("red", config={"top_speed": 20}))).plan
    others = [
        build(scene(rover("blue"))).plan,
        build(scene(rover("red", x=0.1))).plan,
        build(scene(rover("red", config={"top_speed": 10}))).plan,
        build(scene(rover("red")), Newer).plan,
    ]
    assert plain.hash == same.hash
    assert len({each.hash for each in (plain, *others)}) == 5
    assert len({each.parameter_set_hash for each in (plain, *others)}) == 5
    forth = build(scene(rover("red"), rover("blue", y=1.0))).plan
    back = build(scene(rover("blue", y=1.0), rover("red"))).plan
    assert forth.hash == back.hash
