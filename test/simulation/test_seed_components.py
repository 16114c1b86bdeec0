"""Components as the design of the simulation describes them, one test for each of its statements."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import mujoco
import pytest
from simulation.cart import AHEAD, PUSH, RAIL, MeterFactory, PushFactory, Weather, World, built
from simulation.manifests import MANIFEST, sound, unsound, write

from bxi_framework.mod_api import ConfigReader, ParameterError
from bxi_framework.simulation import (
    ComponentContributions,
    ComponentDecl,
    ComponentDefinition,
    ComponentFactory,
    ComponentRegistry,
    Extension,
    Runtime,
    SimulationInstance,
)
from bxi_framework.simulation.parts import BUILTIN

DECLARED = """\
model: assets/car.xml
timestep: 0.002
control_period: 0.01
components:
  - id: front_lrf
    type: fibril_sim/rangefinder
    config:
      sensor: front_rangefinder_sensor
      period_s: 0.01
      range_min: 0.05
      range_max: 10.0
"""
CAR = """\
<mujoco>
  <worldbody>
    <geom type="box" size="0.1 1 1" pos="3 0 0"/>
    <body mocap="true"><site name="nose" zaxis="1 0 0"/></body>
  </worldbody>
  <sensor><rangefinder name="front_rangefinder_sensor" site="nose"/></sensor>
</mujoco>
"""


def test_the_two_abstractions_add_capabilities_from_the_manifest(tmp_path: Path) -> None:
    """Components and extensions are the two ways to add what a run can do from a manifest."""
    manifest = MANIFEST + "extensions: [{id: test.weather}]\n"
    plan = sound(write(tmp_path, manifest), extensions=[Weather]).plan
    sources = {each.id: each.source for each in plan.capabilities}
    assert sources["front"] == "component 'front'"
    assert sources["wind"] == "extension 'test.weather'"


def test_a_component_is_a_unit_that_is_used_again() -> None:
    """A component is a reusable unit: one type, any number of instances, each with its own config."""
    with built(World(components=(AHEAD, RAIL))).open() as run:
        assert run.devices["front"].period_s == 0.006
        assert run.devices["odometer"].period_s == 0.05


def test_an_extension_belongs_to_an_application_and_is_there_once(tmp_path: Path) -> None:
    """An extension is where one application composes; it is in a build once."""
    manifest = MANIFEST + "extensions: [{id: test.weather}, {id: test.weather}]\n"
    (fault,) = unsound(write(tmp_path, manifest), extensions=[Weather])
    assert fault.code == "extension-repeated"


def test_a_manifest_declares_a_component_by_id_type_and_config(tmp_path: Path) -> None:
    """The declaration of the design, word for word, builds and measures."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "car.xml").write_text(CAR, encoding="utf-8")
    path = tmp_path / "car.yaml"
    path.write_text(DECLARED, encoding="utf-8")
    with sound(path, types=BUILTIN).open() as run:
        run.step(5)
        assert run.reading("front_lrf").channels["range"] == pytest.approx(2.9)
        assert run.reading("front_lrf").stamp == pytest.approx(0.05)


def test_the_registry_gives_the_factory_of_a_type() -> None:
    """A registry finds a factory by the type's name."""
    registry = ComponentRegistry()
    factory = PushFactory()
    registry.add(factory)
    assert registry.factory("test/push") is factory
    assert "test/push" in registry and list(registry) == ["test/push"]


def test_a_factory_reads_the_raw_config_and_gives_a_definition() -> None:
    """A factory interprets the instance's id and the raw config, and returns a definition."""
    definition = MeterFactory().define("left", ConfigReader({"sensor": "ahead", "period_s": 0.5}, ""))
    assert isinstance(definition, ComponentDefinition)
    assert (definition.id, definition.type) == ("left", "test/meter")
    (device,) = definition.contributions.devices
    assert device.descriptor.period_s == 0.5
    with pytest.raises(ParameterError, match="sensor"):
        MeterFactory().define("left", ConfigReader({}, ""))


def test_a_definition_is_a_value_and_not_an_object_that_acts() -> None:
    """A definition bundles what the component says of itself and its contributions, at construction time."""
    assert dataclasses.is_dataclass(ComponentDefinition)
    assert [field.name for field in dataclasses.fields(ComponentDefinition)] == [
        "id",
        "type",
        "contributions",
    ]
    with pytest.raises(dataclasses.FrozenInstanceError):
        ComponentDefinition("a", "b", ComponentContributions()).id = "c"  # type: ignore[misc]
    assert ComponentDefinition("a", "b", ComponentContributions()) == ComponentDefinition(
        "a", "b", ComponentContributions()
    )
    assert _own_functions(ComponentDefinition) == []
    (descriptor,) = built(World(components=(AHEAD,), extensions=())).plan.components
    assert (descriptor.id, descriptor.type, descriptor.contributes) == ("front", "test/meter", ("front",))


def test_all_that_differs_between_types_ends_in_the_factory() -> None:
    """Polymorphism ends at the factory: one method, which fixes every contribution as a value."""
    assert ComponentFactory.__abstractmethods__ == {"type", "define"}
    asked: list[str] = []

    class Once(MeterFactory):
        def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
            asked.append(instance_id)
            return super().define(instance_id, config)

    with built(World(components=(AHEAD,), extensions=(), types=(Once(),))).open() as run:
        run.step(10)
        run.reset(1)
    assert asked == ["front"]


def test_a_definition_makes_no_run_and_holds_no_number_of_mujoco() -> None:
    """No definition of a type that comes with the framework holds a live object or something of MuJoCo."""
    for factory, config in (
        (PushFactory(), {"actuator": "push"}),
        (MeterFactory(), {"sensor": "ahead"}),
        *((factory, _CONFIGS[factory.type]) for factory in BUILTIN if factory.type in _CONFIGS),
    ):
        definition = factory.define("one", ConfigReader(config, ""))
        for value in _everything_in(definition):
            assert not isinstance(value, (Runtime, SimulationInstance)), factory.type
            assert not isinstance(value, (mujoco.MjModel, mujoco.MjData, mujoco.MjSpec)), factory.type


_CONFIGS: Mapping[str, Mapping[str, Any]] = {
    "bxi/mit_actuator": {"joints": ["rail"]},
    "bxi/wheel_drive": {"left": ["rail"], "right": ["hinge"], "top_speed": 1.0, "kd": 1.0},
    "bxi/joint_state": {"joints": ["rail"], "period_s": 0.01},
    "bxi/imu": {"site": "nose", "period_s": 0.01},
    "bxi/rangefinder": {"sensor": "ahead", "period_s": 0.01, "range_min": 0.1, "range_max": 1.0},
}


def _everything_in(value: object, seen: set[int] | None = None) -> Iterator[object]:
    """A value and all that it holds."""
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, (str, bytes, type, types.FunctionType)):
        return
    seen.add(id(value))
    yield value
    inner: list[object] = []
    if isinstance(value, Mapping):
        inner += [*value.keys(), *value.values()]
    elif isinstance(value, (list, tuple, set, frozenset)):
        inner += list(value)
    elif dataclasses.is_dataclass(value):
        inner += [getattr(value, field.name) for field in dataclasses.fields(value)]
    inner += list(getattr(value, "__dict__", {}).values())
    for item in inner:
        yield from _everything_in(item, seen)


def test_the_contributions_are_the_six_roles_of_the_design() -> None:
    """Devices, actuator endpoints, actuator drivers, external inputs, prescribed states, interactions."""
    assert [field.name for field in dataclasses.fields(ComponentContributions)] == [
        "devices",
        "endpoints",
        "drivers",
        "inputs",
        "prescribed_states",
        "interactions",
    ]


def test_a_new_role_is_a_field_and_no_method() -> None:
    """Each role is a field that may be left out, so one more changes no component; there is nothing to
    override.
    """
    assert ComponentContributions() == ComponentContributions(devices=())
    assert all(field.default == () for field in dataclasses.fields(ComponentContributions))
    assert _own_functions(ComponentContributions) == ["ids"]


def _own_functions(cls: type) -> list[str]:
    """The methods that a class defines, those that a dataclass makes left out."""
    return [
        name
        for name, value in vars(cls).items()
        if isinstance(value, types.FunctionType) and not name.startswith("__")
        if not name.startswith("_dataclass")
    ]


def test_the_builder_keeps_one_registry_in_the_order_of_ids(tmp_path: Path) -> None:
    """Contributions are not parted into other tables: whoever brought them, they stand in one order by id."""
    manifest = MANIFEST + "extensions: [{id: test.weather}]\n"
    simulation = sound(write(tmp_path, manifest), extensions=[Weather])
    ids = [each.id for each in simulation.plan.capabilities]
    assert ids == ["front", "gate", "lift", "push", "push.driver", "wind"] == list(simulation.capabilities)


def test_endpoints_and_drivers_are_in_canonical_order() -> None:
    """Drivers act in the order of their endpoints' ids, in whatever order they were declared."""
    servo = ComponentDecl("arm", "test/push", {"actuator": "servo"})
    for components in ((PUSH, servo), (servo, PUSH)):
        plan = built(World(components=components, extensions=())).plan
        assert plan.schedule.drivers == ("arm.driver", "push.driver")


def test_what_an_extension_configures_goes_into_the_same_registry() -> None:
    """There is no later merge: while an extension configures, it sees the devices of components and of
    extensions before it, and an id that is taken is refused there and then.
    """
    seen: list[list[str]] = []

    class First(Extension):
        id = "test.first"

        def configure(self, configuring: Any) -> None:
            seen.append(sorted(configuring.devices))
            configuring.add_device(_meter("another"))
            seen.append(sorted(configuring.devices))

    class Second(Extension):
        id = "test.second"

        def configure(self, configuring: Any) -> None:
            seen.append(sorted(configuring.devices))

    built(World(components=(AHEAD,), extensions=(Second(), First())))
    assert seen == [["front"], ["another", "front"], ["another", "front"]]


def _meter(name: str) -> Any:
    return MeterFactory().define(name, ConfigReader({"sensor": "ahead"}, "")).contributions.devices[0]


def test_schedule_and_authority_come_from_the_descriptors(tmp_path: Path) -> None:
    """What happens when, and who may write what, follow from what parts say of themselves."""
    plan = sound(write(tmp_path)).plan
    assert [(beat.id, beat.steps) for beat in plan.schedule.beats] == [("front", 5)]
    assert [(str(each.claim), each.holder) for each in plan.authorities] == [
        ("actuator 'push'", "push.driver")
    ]


@pytest.mark.parametrize("field", ["schedule", "authorities", "claims", "periods", "order"])
def test_the_manifest_has_no_second_place_for_them(tmp_path: Path, field: str) -> None:
    """The same thing is said once: a manifest cannot state a schedule or an authority."""
    (fault,) = unsound(write(tmp_path, MANIFEST + f"{field}: []\n"))
    assert (fault.code, fault.subject) == ("unknown-field", field)
