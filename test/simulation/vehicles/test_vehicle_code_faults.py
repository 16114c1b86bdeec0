"""What a vehicle's or track's own code does wrong is named with the author's file and line."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import pytest
from simulation.vehicles.rover import (
    ARENA,
    Arena,
    Rover,
    build,
    contract,
    rover,
    scene,
    try_build,
)

from bxi_framework.diagnostics import Diagnostic
from bxi_framework.mod_api import ContractVersion
from bxi_framework.simulation import PartError, TrackDecl
from bxi_framework.simulation.vehicles import (
    Actuator,
    Camera,
    ControlCommand,
    ModelText,
    Track,
    Vehicle,
    VehicleState,
)


def marked(word: str) -> int:
    """The line of this file that ends with a comment of this word."""
    lines = inspect.getsource(inspect.getmodule(marked) or marked).splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {word}"))


def only_fault(*offers: Any, **more: Any) -> Diagnostic:
    simulation, report = try_build(scene(rover("red"), **more), *offers)
    assert simulation is None
    (fault,) = report.errors
    return fault


def late(cls: type[Vehicle], periods: int = 3) -> str:
    """What a run says whose vehicle fails after the build."""
    with build(scene(rover("red")), cls).open() as run:
        with pytest.raises(PartError) as caught:
            run.step(periods)
        return str(caught.value)


def test_apply_control_that_raises_is_found_before_any_run() -> None:
    class Failing(Rover):
        descriptor = Rover.descriptor

        def apply_control(self, command: ControlCommand) -> None:
            raise ValueError("no wheels")  # at once

    fault = only_fault(Failing)
    assert fault.code == "part-code-failed"
    assert (fault.file, fault.line) == (__file__, marked("at once"))
    assert "apply_control of vehicle 'red' failed: ValueError: no wheels" in fault.message
    assert fault.field == "vehicles[0]"


def test_apply_control_that_raises_later_stops_the_run_with_its_line() -> None:
    class Failing(Rover):
        descriptor = Rover.descriptor

        def apply_control(self, command: ControlCommand) -> None:
            super().apply_control(command)
            if self.periods == 2:
                raise SystemExit("enough")  # later

    said = late(Failing)
    assert said.startswith("'red/drive' failed in drive at 0.02 s")
    assert f"({__file__}:{marked('later')})" in said
    assert "apply_control of vehicle 'red' failed: SystemExit: enough" in said


def test_a_control_that_is_not_finite_is_refused_at_its_line() -> None:
    class Failing(Rover):
        descriptor = Rover.descriptor

        def apply_control(self, command: ControlCommand) -> None:
            self.left.set(float("nan"))  # nan

    fault = only_fault(Failing)
    assert "the control of 'left' must be a finite number, not nan" in fault.message
    assert (fault.file, fault.line) == (__file__, marked("nan"))


def test_read_state_must_return_a_state() -> None:
    class Failing(Rover):
        descriptor = Rover.descriptor

        def read_state(self) -> VehicleState:  # state
            return {"x": 1.0}  # type: ignore[return-value]

    fault = only_fault(Failing)
    assert "read_state of vehicle 'red' must return a VehicleState, not a dict" in fault.message
    assert f"({__file__}:{marked('state')})" in fault.message


@pytest.mark.parametrize(
    ("telemetry", "said"),
    [
        ({"ahead": 1.0}, r"must give the contract's scalar sensors \['ahead', 'left_turns'\] as telemetry"),
        ({"ahead": 1.0, "left_turns": 0.0, "x": 0.0}, r"not \['ahead', 'left_turns', 'x'\]"),
        ({"ahead": 1.0, "left_turns": "0"}, "must give a number or nan as telemetry 'left_turns'"),
    ],
)
def test_the_telemetry_is_that_of_the_contract(telemetry: Any, said: str) -> None:
    class Failing(Rover):
        descriptor = Rover.descriptor

        def read_state(self) -> VehicleState:
            return replace(super().read_state(), telemetry=telemetry)

    simulation, report = try_build(scene(rover("red")), Failing)
    assert simulation is None
    (fault,) = report.errors
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(fault.message)


def test_a_vehicle_cannot_write_the_actuator_of_another_one() -> None:
    everyone: list[Rover] = []

    class Greedy(Rover):
        descriptor = Rover.descriptor

        def reset_vehicle(self, seed: int) -> None:
            everyone.append(self)

        def apply_control(self, command: ControlCommand) -> None:
            for other in everyone[2:]:
                other.left.set(1.0)  # peer

    simulation = build(scene(rover("red"), rover("blue", y=1.0)), Greedy)
    with simulation.open() as run, pytest.raises(PartError) as caught:
        run.step()
    said = str(caught.value)
    assert "actuator 'left' of vehicle 'red' can be used in its own apply_control and reset_vehicle" in said
    assert f"({__file__}:{marked('peer')})" in said


def test_a_vehicle_can_name_nothing_outside_its_own_model() -> None:
    class Reaching(Rover):
        descriptor = Rover.descriptor
        other = Actuator("../blue/left")

    simulation, report = try_build(scene(rover("red"), rover("blue", y=1.0)), Reaching)
    assert simulation is None
    assert {fault.code for fault in report} == {"vehicle-unsound"}
    assert "'other' is the Actuator '../blue/left', which the model does not have" in report.errors[0].message


def test_parts_cannot_be_used_before_the_run() -> None:
    class Early(Rover):
        descriptor = Rover.descriptor

        def __init__(self) -> None:
            super().__init__()
            self.left.set(0.0)  # early

    fault = only_fault(Early)
    assert "the model is not there yet" in fault.message
    assert (fault.file, fault.line) == (__file__, marked("early"))
    with pytest.raises(RuntimeError, match="this vehicle is in no simulation"):
        Rover().left.set(0.0)


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (
            "read_state",
            "actuator 'left' of vehicle 'red' can be used in its own apply_control and reset_vehicle",
        ),
        ("apply_vehicle_config", "actuator 'left' of vehicle 'red' can be used"),
    ],
)
def test_a_method_writes_only_what_belongs_to_it(method: str, said: str) -> None:
    def reach(self: Rover, *args: Any) -> None:
        self.left.set(1.0)

    cls = made(Rover, descriptor=Rover.descriptor, **{method: reach})
    assert said in only_fault(cls).message


def test_a_mass_cannot_change_while_it_drives() -> None:
    class Melting(Rover):
        descriptor = Rover.descriptor

        def apply_control(self, command: ControlCommand) -> None:
            self.chassis.set_mass(1.0)

    assert (
        "can be used in its own apply_vehicle_config and reset_vehicle alone" in only_fault(Melting).message
    )


def test_a_part_cannot_be_assigned() -> None:
    class Overwriting(Rover):
        descriptor = Rover.descriptor

        def apply_control(self, command: ControlCommand) -> None:
            self.left = 1.0  # type: ignore[misc, assignment]

    assert "'left' is a part of the model; call its methods instead" in only_fault(Overwriting).message


# What is wrong with the class itself: found without running any of its code.


def class_faults(cls: type, **more: Any) -> list[str]:
    simulation, report = try_build(scene(rover("red"), **more), cls)
    assert simulation is None
    for fault in report.errors:
        assert fault.code in ("vehicle-unsound", "track-unsound")
        assert fault.file == __file__
    return [fault.message for fault in report.errors]


def made(base: type, **members: Any) -> Any:
    """A class like one that is written here."""
    return type("Variant", (base,), {"__module__": __name__, **members})


def variant(**fields: Any) -> type[Rover]:
    return made(Rover, descriptor=replace(Rover.descriptor, **fields))


def test_a_class_must_write_apply_control() -> None:
    class Idle(Vehicle):
        descriptor = Rover.descriptor
        model = Rover.model

    assert class_faults(Idle) == ["'vehicle.acme.rover.v1' cannot be used: it must write apply_control()."]
    _, report = try_build(scene(rover("red")), Idle)
    assert report.errors[0].line == inspect.getsourcelines(Idle)[1]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"display_name": " "}, "descriptor.display_name must not be empty."),
        (
            {"version": ContractVersion(1, -1, 0)},
            "descriptor.version must be a valid ContractVersion, not 1.-1.0.",
        ),
        ({"version": ContractVersion(2, 0, 0)}, "names the major version 1, but version is 2.0.0."),
        ({"contract": None}, "descriptor.contract must be a DeviceContract, not a NoneType."),
        (
            {"contract": contract("vehicle.acme.other.v1")},
            "contract.deviceId must be the vehicle's id 'vehicle.acme.rover.v1', not 'vehicle.acme.other",
        ),
        (
            {"contract": replace(contract("vehicle.acme.rover.v1"), sensors=())},
            "contract.sensors must not be empty.",
        ),
        (
            {"contract": replace(contract("vehicle.acme.rover.v1"), actuators=())},
            "contract.actuators must not be empty.",
        ),
        ({"contract": contract("vehicle.acme.rover.v1", camera=True)}, "declare the Camera of the model"),
    ],
)
def test_an_unsound_descriptor_is_named(fields: dict[str, Any], said: str) -> None:
    simulation, report = try_build(scene(rover("red")), variant(**fields))
    assert simulation is None
    assert any(said in fault.message for fault in report.errors), report.errors


def test_a_contract_has_the_channels_of_a_command() -> None:
    actuators = Rover.descriptor.contract.actuators
    for changed, said in (
        (replace(actuators[0], id="gas"), "must be one of throttle, steer, brake, not 'gas'"),
        (replace(actuators[0], max=2.0), "must lie within -1 to 1, not -1 to 2"),
        (replace(actuators[2], min=0.5), "must allow 0"),
    ):
        sound = replace(Rover.descriptor.contract, actuators=(changed,))
        (message,) = class_faults(variant(contract=sound))
        assert said in message


def test_a_camera_needs_a_sensor_in_the_contract() -> None:
    class Peeping(Rover):
        descriptor = Rover.descriptor
        front = Camera("front")

    (message,) = class_faults(Peeping)
    assert "it has a camera, but its contract has no sensor of the type camera" in message


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("rover.xml", "there is no model file"),
        (1.0, "a model is a path or a ModelText, not a float"),
        (ModelText("<mujoco><worldbody>"), "the model cannot be used"),
        (ModelText("<mujoco/>"), "exactly one body below <worldbody>, not 0"),
        (ModelText("<mujoco><worldbody><body/></worldbody></mujoco>"), "must have a name"),
        (
            ModelText(
                '<mujoco><worldbody><body name="a"/><geom name="floor" size="1"/></worldbody></mujoco>'
            ),
            "nothing beside its body below <worldbody>, but here is: floor",
        ),
    ],
)
def test_a_model_that_cannot_be_a_vehicle_is_named(model: Any, said: str) -> None:
    cls = made(Rover, descriptor=Rover.descriptor, model=model)
    assert any(said in message for message in class_faults(cls))


def test_a_part_that_the_model_lacks_gets_the_nearest_name() -> None:
    class Misspelt(Rover):
        descriptor = Rover.descriptor
        rear = Actuator("rihgt")

    (message,) = class_faults(Misspelt)
    assert "'rear' is the Actuator 'rihgt', which the model does not have. Did you mean 'right'?" in message


def test_a_schema_without_its_method_is_named() -> None:
    class Deaf(Vehicle):
        descriptor = Rover.descriptor
        model = Rover.model
        config_schema = Rover.config_schema

        def apply_control(self, command: ControlCommand) -> None:
            pass

    assert any("no apply_vehicle_config" in message for message in class_faults(Deaf))


def test_what_is_offered_must_be_a_vehicle() -> None:
    class Stone:
        id = "vehicle.acme.rover.v1"

        @classmethod
        def create(cls, config: Any) -> Any:
            return cls

    (message,) = class_faults(Stone)
    assert "it is no class derived from Vehicle" in message


# Tracks.


def arena(**members: Any) -> type[Track]:
    return made(Arena, **{"descriptor": Arena.descriptor, **members})


def test_make_model_that_raises_is_named_with_its_line() -> None:
    class Failing(Arena):
        descriptor = Arena.descriptor

        def make_model(self) -> ModelText:
            raise KeyError("size")  # track

    fault = only_fault(Failing)
    assert fault.code == "part-code-failed"
    assert (fault.file, fault.line) == (__file__, marked("track"))
    assert fault.field == "track"


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (arena(make_model=lambda self: 3), "a model is a path or a ModelText, not a int"),
        (arena(make_model=lambda self: ModelText("<mujoco")), "the model cannot be used"),
        (arena(descriptor=replace(Arena.descriptor, parameters_schema="{")), "it is no JSON"),
        (
            arena(descriptor=replace(Arena.descriptor, version=ContractVersion(3, 0, 0))),
            "but version is 3.0.0",
        ),
        (arena(descriptor=None, id=Arena.id), "it needs a 'descriptor', a TrackDescriptor"),
    ],
)
def test_an_unsound_track_is_named(cls: type, said: str) -> None:
    cls.id = Arena.id  # type: ignore[attr-defined]
    assert any(said in message for message in class_faults(cls))


def test_reset_track_that_raises_is_named_with_its_line() -> None:
    class Failing(Arena):
        descriptor = Arena.descriptor

        def reset_track(self, seed: int) -> None:
            self.place("wall", (0.0, 0.0, 0.0))  # wall

    fault = only_fault(Failing)
    assert "'wall' is not movable; movable() names box_0, box_1" in fault.message
    assert (fault.file, fault.line) == (__file__, marked("wall"))


def test_a_track_moves_only_in_reset_track() -> None:
    track = Arena({"boxes": 1, "size": 5.0, "floor": "carpet"})
    with pytest.raises(RuntimeError, match="can be placed in reset_track alone"):
        track.place("box_0", (0.0, 0.0, 0.0))


def test_what_a_track_moves_must_be_a_mocap_body_that_is_there() -> None:
    for name, code in (("boks", "model-name-missing"), ("chair", "claim-not-mocap")):
        model = ModelText(
            '<mujoco><worldbody><body name="box"/><body name="chair"><joint/><geom size="0.1"/></body>'
            '<geom type="plane" size="3 3 1"/></worldbody></mujoco>'
        )
        cls = arena(make_model=lambda self, m=model: m, movable=lambda self, n=name: [n])
        simulation, report = try_build(scene(rover("red"), track=TrackDecl(ARENA.id, {"boxes": 0})), cls)
        assert simulation is None
        assert code in report.codes(), report.codes()
