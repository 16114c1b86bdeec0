"""The methods of a vehicle: one must be written, the others have sensible defaults."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from simulation.vehicles.rover import ARENA, MJCF, OFFERS, Rover, build, contract, describe, rover, scene

from bxi_framework.mod_api import SensorDescriptor
from bxi_framework.simulation import SimulationInstance
from bxi_framework.simulation.vehicles import (
    Actuator,
    Body,
    ConfigKeyValue,
    ControlCommand,
    Joint,
    ModelText,
    Site,
    Vehicle,
    VehicleDescriptor,
    VehicleState,
)


class Bare(Vehicle):
    """The one method that an author must write, and nothing else."""

    descriptor = VehicleDescriptor(
        "vehicle.acme.bare.v1",
        "Bare",
        Rover.descriptor.version,
        replace(
            contract("vehicle.acme.bare.v1"),
            sensors=(SensorDescriptor("ahead", "scalar", "float32", (1,), 50.0, "m"),),
        ),
    )
    model = ModelText(MJCF)
    left = Actuator("left")

    def apply_control(self, command: ControlCommand) -> None:
        self.left.set(10.0 * command.throttle)

    def read_state(self) -> VehicleState:
        return replace(super().read_state(), telemetry={"ahead": math.nan})


def channels(run: SimulationInstance, name: str = "red") -> dict[str, Any]:
    return dict(run.reading(f"{name}/state").channels)


def bare(name: str = "red", **more: Any) -> Any:
    return rover(name, vehicle=Bare.id, **more)


def test_apply_control_is_the_one_method_that_must_be_written() -> None:
    assert Vehicle.__abstractmethods__ == {"apply_control"}
    with build(scene(bare()), Bare).open(check=True) as run:
        run.command("red/control", [1.0, 0.0, 0.0])
        run.step(20)
        assert run.physics.data.joint("red/left").qvel[0] > 1.0


def test_read_state_gives_pose_and_velocities_of_a_body_that_moves_freely() -> None:
    with build(scene(rover("red", x=0.5, y=-0.5, yaw=math.pi / 2))).open() as run:
        start = channels(run)
        assert start["position"].tolist() == pytest.approx([0.5, -0.5, 0.04])
        assert start["speed"] == 0.0
        run.command("red/control", [1.0, 0.0, 0.0])
        run.step(40)
        there = channels(run)
        velocity = there["linear_velocity"]
        assert velocity[1] > 0.2
        assert abs(velocity[0]) < 0.05
        assert there["speed"] == pytest.approx(np.linalg.norm(velocity))
        run.command("red/control", [0.0, 0.5, 0.0])
        run.step(40)
        assert channels(run)["angular_velocity"][2] > 0.2


def test_velocities_are_the_change_of_the_pose() -> None:
    with build(scene(rover("red"))).open() as run:
        run.command("red/control", [0.8, 0.3, 0.0])
        run.step(30)
        before, first = run.time, channels(run)
        run.step()
        second = channels(run)
        seconds = run.time - before
        moved = (second["position"] - first["position"]) / seconds
        mean = (first["linear_velocity"] + second["linear_velocity"]) / 2.0
        assert moved[:2] == pytest.approx(mean[:2], abs=0.1)


def test_read_state_of_a_body_that_is_held_is_a_pose_alone() -> None:
    class Held(Bare):
        descriptor = Bare.descriptor
        model = ModelText(MJCF.replace("<freejoint/>", ""))

    with build(scene(bare()), Held).open() as run:
        there = channels(run)
        assert np.isfinite(there["position"]).all()
        assert np.isnan(there["linear_velocity"]).all()
        assert np.isnan(there["angular_velocity"]).all()
        assert np.isnan(there["speed"])


def test_sensors_of_the_model_with_names_of_the_contract_are_in_the_telemetry() -> None:
    with build(scene(rover("red"))).open() as run:
        run.step(5)
        reading = channels(run)
        assert reading["ahead"] == run.physics.data.sensor("red/ahead").data[0]
        assert 1.0 < reading["ahead"] < 3.0
        assert reading["left_turns"] == pytest.approx(0.0, abs=1e-3)


def test_no_reading_of_a_scalar_is_nan() -> None:
    with build(scene(bare()), Bare).open() as run:
        assert np.isnan(channels(run)["ahead"])


def test_try_read_camera_frame_gives_nothing_by_default() -> None:
    with build(scene(bare()), Bare).open() as run:
        assert list(run.devices) == ["red/state"]


def test_apply_vehicle_config_gets_the_values_with_defaults_by_key() -> None:
    got: list[Sequence[ConfigKeyValue]] = []

    class Noting(Rover):
        descriptor = Rover.descriptor

        def apply_vehicle_config(self, values: Sequence[ConfigKeyValue]) -> None:
            got.append(values)
            super().apply_vehicle_config(values)

    build(scene(rover("red", config={"mass": 1.5, "grip": 0.4})), Noting)
    expected = {"grip": 0.4, "mass": 1.5, "top_speed": 20.0, "turned": False}
    assert [(value.key, value.value) for value in got[0]] == list(expected.items())


def test_a_config_changes_mass_and_friction_of_that_vehicle_alone() -> None:
    simulation = build(scene(rover("red", config={"mass": 3.0, "grip": 0.3}), rover("blue", y=1.0)))
    with simulation.open(check=True) as run:
        model = run.physics.model
        assert model.body("red/chassis").mass[0] == 3.0
        assert model.body("blue/chassis").mass[0] == simulation.model.body("red/chassis").mass[0] != 3.0
        assert model.geom("red/left_tyre").friction[0] == 0.3
        assert model.geom("blue/left_tyre").friction[0] == 1.2
        nominal = simulation.model.body("red/chassis")
        inertia = model.body("red/chassis").inertia / nominal.inertia
        assert inertia == pytest.approx(3.0 / nominal.mass[0])
        # What MuJoCo derives from masses followed.
        assert model.body_subtreemass[0] > simulation.model.body_subtreemass[0]
        run.step(20)
        run.reset(1)
        assert run.physics.model.body("red/chassis").mass[0] == 3.0


def test_reset_vehicle_places_the_vehicle_by_its_seed() -> None:
    what = scene(rover("red", x=0.3, y=0.2, yaw=1.0, config={"turned": True}))
    with build(what).open(5, check=True) as run:
        first = run.physics.data.qpos[:7].copy()
        run.reset(6)
        second = run.physics.data.qpos[:7].copy()
        run.reset(5)
        assert (run.physics.data.qpos[:7] == first).all()
        assert (first[:3] == second[:3]).all()
        assert (first[3:] != second[3:]).any()


def test_a_place_is_in_the_axes_that_the_vehicle_has_in_the_scenario() -> None:
    class Shifted(Rover):
        descriptor = Rover.descriptor

        def reset_vehicle(self, seed: int) -> None:
            self.place(forward=0.5, left=0.1, yaw=0.25)
            self.left_joint.place(1.5, -2.0)

    with build(scene(rover("red", x=1.0, yaw=math.pi / 2)), Shifted).open(check=True) as run:
        there = channels(run)
        assert there["position"].tolist() == pytest.approx([0.9, 0.5, 0.04])
        w, _, _, z = there["orientation"]
        assert 2.0 * math.atan2(z, w) == pytest.approx(math.pi / 2 + 0.25)
        assert run.physics.data.joint("red/left").qpos[0] == 1.5
        assert run.physics.data.joint("red/left").qvel[0] == -2.0


def test_set_peer_visibility_is_called_when_the_input_changes() -> None:
    calls = []

    class Noting(Rover):
        descriptor = Rover.descriptor

        def set_peer_visibility(self, visible: bool) -> None:
            calls.append((self.name, visible))
            super().set_peer_visibility(visible)

    with build(scene(rover("red"), rover("blue", y=1.0)), Noting).open() as run:
        run.step(2)
        run.feed("red/visible", 0.0)
        run.step(3)
        snapshot = run.snapshot()
        run.feed("red/visible", 1.0)
        run.step(3)
        run.restore(snapshot)
        run.step(3)
    assert calls == [("red", False), ("red", True)]


def test_handles_speak_in_the_units_of_the_model() -> None:
    seen: dict[str, Any] = {}

    class Looking(Rover):
        descriptor = Rover.descriptor
        nose = Site("nose")
        wheel = Joint("right")

        def apply_control(self, command: ControlCommand) -> None:
            self.left.set(4.0)
            seen["range"] = self.left.range
            seen["control"] = self.left.control
            seen["nose"] = self.nose.position
            seen["chassis"] = self.chassis.position
            seen["quaternion"] = self.chassis.quaternion
            seen["ahead"] = self.ahead.values
            seen["wheel"] = (self.wheel.position, self.wheel.velocity)
            seen["force"] = self.left.force
            seen["friction"] = self.left_tyre.friction
            seen["name"] = self.name

    with build(scene(rover("red", x=0.5)), Looking).open() as run:
        run.step(2)
    assert seen["range"] == (-30.0, 30.0)
    assert seen["control"] == 4.0
    assert seen["nose"][0] - seen["chassis"][0] == pytest.approx(0.11, abs=1e-3)
    assert seen["quaternion"][0] == pytest.approx(1.0, abs=1e-3)
    assert len(seen["ahead"]) == 1
    assert seen["friction"] == 1.2
    assert seen["name"] == "red"


def test_a_vehicle_can_be_pushed_instead_of_driven() -> None:
    class Hovering(Vehicle):
        descriptor = replace(Bare.descriptor)
        model = ModelText(MJCF)
        chassis = Body("chassis")
        left_joint = Joint("left")

        def apply_control(self, command: ControlCommand) -> None:
            self.chassis.push((0.0, 0.0, 30.0 * command.throttle))

        def read_state(self) -> VehicleState:
            return replace(super().read_state(), telemetry={"ahead": 0.0})

    with build(scene(bare()), Hovering).open(check=True) as run:
        run.command("red/control", [1.0, 0.0, 0.0])
        run.step(20)
        assert channels(run)["position"][2] > 0.1


def test_offers_are_the_classes_by_the_ids_of_their_descriptors() -> None:
    assert [offer.id for offer in (*OFFERS, Bare)] == [
        "vehicle.acme.rover.v1",
        "vehicle.acme.seeing.v1",
        "track.arena.v1",
        "vehicle.acme.bare.v1",
    ]
    assert describe("vehicle.acme.rover.v1").display_name == "Rover"
    assert ARENA.id == "track.arena.v1"
