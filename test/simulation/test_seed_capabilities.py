"""Devices and prescribed states as the design of the simulation describes them, one test for each of its
statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import sin
from typing import Any

import mujoco
import pytest
from simulation.cart import Gate, GateRuntime, Meter, MeterRuntime, Weather, World, built, faults

from bxi_framework.simulation import (
    BindingKind,
    BindingRequest,
    Bindings,
    CapabilityFactory,
    Channel,
    ClaimKind,
    Configuring,
    Declaring,
    DeviceDescriptor,
    DeviceFactory,
    DeviceRuntime,
    Episode,
    Extension,
    PartError,
    PrescribedStateFactory,
    PrescribedStateRuntime,
    StateClaim,
)


def meter(sensor: str = "rail_pos") -> Meter:
    return Meter(DeviceDescriptor("meter", "meter", 0.01, _CHANNELS), sensor)


_CHANNELS = (Channel("value", "m", (1,)), Channel("taken", "", (1,)))


def world_with(add: Callable[[Any], None]) -> World:
    """A world with one more extension, which adds something."""

    class Adding(Extension):
        id = "test.adding"

        def configure(self, configuring: Any) -> None:
            add(configuring)

    return World(components=(), extensions=(Weather(), Adding()))


def test_a_device_factory_states_its_descriptor_and_typed_requests() -> None:
    """A device says what it is and asks for things of the model by kind and name."""
    assert DeviceFactory.__abstractmethods__ == {"descriptor", "create"}
    assert meter().requests() == {"sensor": BindingRequest(BindingKind.SENSOR, "rail_pos", "sensor")}
    assert {kind.value for kind in BindingKind} == {
        "joint",
        "actuator",
        "sensor",
        "site",
        "body",
        "geom",
        "camera",
    }


def test_requests_are_resolved_before_the_factory_looks_at_the_model() -> None:
    """Construction resolves the requests against the compiled model and then lets the factory check it."""
    seen: list[tuple[str, Any]] = []

    class Watching(Meter):
        def requests(self) -> Mapping[str, BindingRequest]:
            seen.append(("requests", None))
            return super().requests()

        def validate_model(self, model: Any, bindings: Bindings) -> Iterable[str]:
            seen.append(("validate", (type(model), bindings["sensor"].address)))
            return ()

        def create(self, bindings: Bindings, episode: Episode) -> DeviceRuntime:
            seen.append(("create", bindings["sensor"].address))
            return super().create(bindings, episode)

    watching = Watching(meter().descriptor, "rail_pos")
    with built(world_with(lambda configuring: configuring.add_device(watching))).open() as run:
        run.reset()
    assert seen == [
        ("requests", None),
        ("validate", (mujoco.MjModel, 1)),
        ("create", 1),
        ("create", 1),
    ]


def test_what_a_factory_says_against_the_model_refuses_the_build() -> None:
    """The answer of `validate_model` counts."""
    (fault,) = faults(world_with(lambda configuring: configuring.add_device(meter("shake"))))
    assert fault.code == "model-unfit"
    assert "the sensor 'shake' gives 3 values, not 1." in fault.message


def test_each_run_makes_its_runtime_from_bindings_and_seed() -> None:
    """A runtime is of one run: made from the resolved bindings and the seed of the episode."""
    made: list[tuple[Any, int]] = []

    class Watching(Meter):
        def create(self, bindings: Bindings, episode: Episode) -> DeviceRuntime:
            made.append((bindings, episode.seed))
            return super().create(bindings, episode)

    watching = Watching(meter().descriptor, "rail_pos")
    simulation = built(world_with(lambda configuring: configuring.add_device(watching)))
    assert made == []
    with simulation.open(3), simulation.open(8):
        pass
    assert [seed for _, seed in made] == [3, 8]
    assert made[0][0] is made[1][0]


def test_nothing_is_looked_up_by_name_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A runtime needs no look-up of names: everything was resolved once."""
    simulation = built()

    def refuse(*_: Any) -> None:
        raise AssertionError("a name was looked up")

    for name in ("mj_name2id", "mj_id2name"):
        monkeypatch.setattr(mujoco, name, refuse)
    with simulation.open() as run:
        run.step(20)
        run.restore(run.snapshot())
        run.step(20)


def test_a_prescribed_state_is_one_capability() -> None:
    """Id, claims, requests, the check of the model and the making of the runtime are one value."""
    assert PrescribedStateFactory.__abstractmethods__ == {"id", "claims", "create"}
    gate = Gate()
    assert gate.id == "gate"
    assert gate.claims() == (StateClaim(ClaimKind.BODY, "gate"),)
    assert gate.requests() == {"gate": BindingRequest(BindingKind.BODY, "gate")}
    assert callable(gate.validate_model) and callable(gate.create)


def test_a_claim_cannot_be_registered_by_itself() -> None:
    """Nothing takes a claim alone, so no claim can be without what enforces it."""
    offered = [name for protocol in (Declaring, Configuring) for name in dir(protocol) if name[0] != "_"]
    assert sorted(offered) == [
        "add_component_type",
        "add_device",
        "add_domain_state",
        "add_input",
        "add_interaction",
        "add_observer",
        "add_prescribed_state",
        "components",
        "devices",
    ]
    claiming = [cls.__name__ for cls in _all_factories(CapabilityFactory) if "claims" in vars(cls)]
    assert {"DriverFactory", "PrescribedStateFactory"} <= set(claiming)
    for cls in _all_factories(CapabilityFactory):
        if "claims" in cls.__abstractmethods__:
            assert "create" in cls.__abstractmethods__


def _all_factories(cls: type[Any]) -> Iterable[type[Any]]:
    for below in cls.__subclasses__():
        yield below
        yield from _all_factories(below)


def test_a_claim_without_enforcement_cannot_be_constructed() -> None:
    """A prescribed state that only claims is no value at all; one that makes nothing fails by name."""

    class Claiming(PrescribedStateFactory):
        id = "claiming"

        def claims(self) -> tuple[StateClaim, ...]:
            return (StateClaim(ClaimKind.BODY, "gate"),)

    with pytest.raises(TypeError, match="create"):
        Claiming()  # type: ignore[abstract]

    class Idle(Gate):
        id = "idle"

        def create(self, bindings: Bindings, episode: Episode) -> PrescribedStateRuntime:
            return None  # type: ignore[return-value]

    (fault,) = faults(World(components=(), extensions=(_Twice(Idle),)))
    assert fault.code == "claim-twice"
    simulation = built(world_with(lambda configuring: None))
    assert [each.holder for each in simulation.authorities] == ["gate"]
    with pytest.raises(PartError, match=r"'idle' failed in create .*must give a PrescribedStateRuntime"):
        built(World(components=(), extensions=(_Only(Idle),))).open()


class _Twice(Weather):
    """The weather with one more prescribed state of the same body."""

    def __init__(self, factory: type[Gate]) -> None:
        super().__init__()
        self.factory = factory

    def configure(self, configuring: Any) -> None:
        super().configure(configuring)
        configuring.add_prescribed_state(self.factory(id="idle"))


class _Only(Weather):
    """Nothing but one prescribed state."""

    def __init__(self, factory: type[Gate]) -> None:
        super().__init__()
        self.factory = factory

    def configure(self, configuring: Any) -> None:
        configuring.add_prescribed_state(self.factory(id="idle"))


def test_a_part_that_claims_nothing_is_refused() -> None:
    """And the other way round: who enforces must claim."""

    class Timid(Gate):
        def claims(self) -> tuple[StateClaim, ...]:
            return ()

    (fault,) = faults(World(components=(), extensions=(_Only(Timid),)))
    assert fault.code == "claim-missing"


def test_the_claimed_state_is_enforced_in_every_period() -> None:
    """What is prescribed holds, whatever the physics would do."""
    with built(World(components=())).open(check=True) as run:
        for _ in range(5):
            before = run.time
            run.step()
            assert isinstance(run._parts.by_id["gate"].runtime, GateRuntime)
            assert run.physics.data.mocap_pos[0, 2] == pytest.approx(0.5 + sin(before))


def test_a_runtime_is_told_where_its_values_are() -> None:
    """The bindings of a joint, a sensor and an actuator lead to the arrays of the run."""
    with built().open() as run:
        runtime = run._parts.by_id["front"].runtime
        assert isinstance(runtime, MeterRuntime)
        assert runtime.address == 0
