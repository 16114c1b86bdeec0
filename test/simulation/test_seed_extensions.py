"""Extensions as the design of the simulation describes them, one test for each of its statements."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulation.cart import AHEAD, TYPES, Gate, MeterFactory, PushFactory, Weather, Wind, World, built, faults
from simulation.manifests import MANIFEST, Shelf, hashes, sound, unsound, write

from bxi_framework.diagnostics import Report
from bxi_framework.mod_api import ConfigReader
from bxi_framework.simulation import (
    Bindings,
    Channel,
    Configuring,
    Declaring,
    DomainStateFactory,
    Episode,
    Extension,
    InputDescriptor,
    ObserverFactory,
    ObserverRuntime,
    OverlayItem,
    OverlayTarget,
    Physics,
    Quantity,
    Runtime,
    SimulationBuilder,
    read_scene,
)

Log = list[tuple[str, str]]


def logging(log: Log, name: str, needs: Sequence[str] = ()) -> Extension:
    """An extension that notes its two phases."""

    class Logging(Extension):
        id = name

        def dependencies(self) -> Sequence[str]:
            return needs

        def declare(self, declaring: Declaring) -> None:
            log.append(("declare", name))

        def configure(self, configuring: Configuring) -> None:
            log.append(("configure", name))

    return Logging()


def test_an_extension_has_two_phases() -> None:
    """All extensions declare, then the components are defined, then all extensions configure."""
    log: Log = []

    class Noting(MeterFactory):
        def define(self, instance_id: str, config: ConfigReader) -> Any:
            log.append(("define", instance_id))
            return super().define(instance_id, config)

    extensions = (logging(log, "test.b"), logging(log, "test.a"))
    built(World(components=(AHEAD,), extensions=extensions, types=(Noting(),)))
    assert log == [
        ("declare", "test.a"),
        ("declare", "test.b"),
        ("define", "front"),
        ("configure", "test.a"),
        ("configure", "test.b"),
    ]


def test_declare_registers_what_the_manifest_needs_to_be_interpreted(tmp_path: Path) -> None:
    """A component type that an extension declares can be named in the manifest."""

    class Types(Extension):
        id = "test.types"

        def declare(self, declaring: Declaring) -> None:
            declaring.add_component_type(PushFactory())
            declaring.add_component_type(MeterFactory())

    path = write(tmp_path, MANIFEST + "extensions: [{id: test.types}]\n")
    assert sound(path, extensions=[Types], types=()).plan.components[0].type == "test/meter"
    without = write(tmp_path, MANIFEST)
    assert {fault.code for fault in unsound(without, types=())} == {"component-type-unknown"}


def test_configure_sees_the_resolved_components_and_adds_every_role() -> None:
    """In configure an extension reads the descriptors of components, and adds prescribed states, devices,
    inputs, state of its own, interactions and observers.
    """

    class Score(Runtime):
        kept = ("points",)

        def __init__(self) -> None:
            self.points = 0

    class ScoreFactory(DomainStateFactory):
        id = "score"

        def create(self, bindings: Bindings, episode: Episode) -> Runtime:
            return Score()

    class Referee(ObserverRuntime):
        def __init__(self, score: Runtime) -> None:
            assert isinstance(score, Score)
            self.score = score

        def observe(self, physics: Physics) -> None:
            self.score.points += 1

    class RefereeFactory(ObserverFactory):
        id = "referee"
        period_s = 0.02

        def create(self, bindings: Bindings, episode: Episode) -> ObserverRuntime:
            return Referee(episode.domains["score"])

    seen: list[Mapping[str, Any]] = []

    class Everything(Extension):
        id = "test.everything"

        def configure(self, configuring: Configuring) -> None:
            seen.append(configuring.components)
            meter = MeterFactory().define("extra", ConfigReader({"sensor": "rail_pos"}, ""))
            configuring.add_device(meter.contributions.devices[0])
            configuring.add_input(InputDescriptor("lift", Channel("height", "m", (1,)), (0.0,)))
            configuring.add_prescribed_state(Gate())
            configuring.add_domain_state(ScoreFactory())
            configuring.add_interaction(Wind())
            configuring.add_observer(RefereeFactory())

    with built(World(components=(AHEAD,), extensions=(Everything(),))).open(check=True) as run:
        (components,) = seen
        assert components["front"].type == "test/meter"
        assert components["front"].contributes == ("front",)
        assert run.domain("score").points == 1
        run.step(5)
        assert run.domain("score").points == 6 and run.observer("referee").score is run.domain("score")
        before = run.snapshot()
        run.step(5)
        run.restore(before)
        assert run.domain("score").points == 6
        assert run.reading("extra").stamp == pytest.approx(0.1)
        run.reset()
        assert run.domain("score").points == 1


def test_a_hard_dependency_is_named_by_id() -> None:
    """`dependencies` names ids, and what is named comes first."""
    log: Log = []
    extensions = (logging(log, "test.a", ["test.b"]), logging(log, "test.b"))
    plan = built(World(components=(), extensions=extensions)).plan
    assert [each.id for each in plan.extensions] == ["test.b", "test.a"]
    assert plan.extensions[1].dependencies == ("test.b",)


def test_a_dependency_is_not_loaded_by_itself(tmp_path: Path) -> None:
    """It must be in the same build, even where the loader could give it."""

    class Base(Extension):
        id = "test.base"

    class Above(Extension):
        id = "test.above"

        def dependencies(self) -> Sequence[str]:
            return ["test.base"]

    manifest = MANIFEST + "extensions:\n  - id: test.above\n"
    (fault,) = unsound(write(tmp_path, manifest), extensions=[Base, Above])
    assert (fault.code, fault.subject, fault.line) == ("extension-missing", "test.base", 17)
    assert "'test.above' depends on 'test.base', which is not in the build" in fault.message
    sound(write(tmp_path, manifest + "  - id: test.base\n"), extensions=[Base, Above])


def test_a_misspelt_dependency_is_named_with_the_nearest_extension() -> None:
    log: Log = []
    extensions = (logging(log, "test.score", ["test.arna"]), logging(log, "test.arena"))
    (fault,) = faults(World(components=(), extensions=extensions))
    assert fault.code == "extension-missing" and "Did you mean 'test.arena'?" in fault.hint
    assert log == [("declare", "test.arena"), ("configure", "test.arena")]


def test_both_phases_run_in_topological_order() -> None:
    """One order for declare and configure; of those that are free, the smallest id first."""
    needs = {"test.a": ["test.z"], "test.b": [], "test.c": ["test.a", "test.b"], "test.z": []}
    for ids in (list(needs), list(reversed(needs))):
        log: Log = []
        built(World(components=(), extensions=tuple(logging(log, name, needs[name]) for name in ids)))
        order = ["test.b", "test.z", "test.a", "test.c"]
        assert log == [*(("declare", name) for name in order), *(("configure", name) for name in order)]


def test_a_cycle_is_told_once_with_its_way() -> None:
    log: Log = []
    needs = {"test.a": ["test.b"], "test.b": ["test.c"], "test.c": ["test.a"], "test.d": []}
    extensions = tuple(logging(log, name, found) for name, found in needs.items())
    (fault,) = faults(World(components=(), extensions=extensions))
    assert fault.code == "extension-cycle"
    assert "test.a → test.b → test.c → test.a" in fault.message
    assert {name for _, name in log} == {"test.d"}


def test_the_order_in_the_manifest_has_no_meaning(tmp_path: Path) -> None:
    """Extensions that do not depend on each other go by id; the plan is the same in any order."""

    class Other(Extension):
        id = "test.other"

    plans = [
        sound(
            write(tmp_path, MANIFEST + f"extensions: [{{id: {one}}}, {{id: {two}}}]\n"),
            extensions=[Weather, Other],
        ).plan.as_dict()
        for one, two in (("test.weather", "test.other"), ("test.other", "test.weather"))
    ]
    assert plans[0] == plans[1]
    assert [each["id"] for each in plans[0]["extensions"]] == ["test.other", "test.weather"]


def test_the_builder_knows_neither_mods_nor_ros() -> None:
    """Finding extensions is the matter of a loader that the builder is given."""
    script = (
        "import sys, bxi_framework.simulation; "
        "print([name for name in sys.modules if name in ('rclpy', 'bxi_framework.ros', "
        "'bxi_framework.loading.discover', 'bxi_framework.loading.execute', 'bxi_framework.bootstrap')])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_loader_gives_what_the_manifest_names(tmp_path: Path) -> None:
    """Any loader will do; it is asked for what is named, with the config that stands there."""
    asked: list[tuple[str, Mapping[str, Any]]] = []

    class Library(Shelf):
        def load(self, extension_id: str, config: Mapping[str, Any]) -> Extension:
            asked.append((extension_id, config))
            return super().load(extension_id, config)

    class Configured(Extension):
        id = "test.configured"

        def read_config(self, config: ConfigReader) -> None:
            self.speed = config.float("speed")
            config.finish()

    class Unused(Extension):
        id = "test.unused"

    path = write(tmp_path, MANIFEST + "extensions: [{id: test.configured, config: {speed: 2}}]\n")
    scene = read_scene(path, Report())
    assert scene is not None
    assert SimulationBuilder(scene, Library(Configured, Unused), TYPES).build(Report()) is not None
    assert asked == [("test.configured", {"speed": 2})]


def test_an_extension_cannot_change_the_model() -> None:
    """Neither phase gives the model, its source, or anything that compiles."""
    offered = {name for protocol in (Declaring, Configuring) for name in dir(protocol) if name[0] != "_"}
    assert not {name for name in offered if "model" in name or "spec" in name or "overlay" in name}
    bare = built(World(components=(), extensions=()))
    full = built(World(components=(), extensions=(Weather(),)))
    for name in ("body_mass", "geom_friction", "dof_damping", "actuator_gainprm", "geom_size"):
        assert np.array_equal(getattr(bare.model, name), getattr(full.model, name))


def test_only_the_typed_overlay_varies_the_model_and_it_is_fixed_before_the_build() -> None:
    """Nominal values are those of the model file; an overlay is a part of the scene, which cannot change."""
    item = OverlayItem(OverlayTarget.BODY, "cart", Quantity.MASS, (3.0,))
    simulation = built(replace(World(components=()), settings={"overlay": (item,)}))
    (variation,) = simulation.plan.overlay
    assert (variation.item.value, variation.nominal) == ((3.0,), (1.0,))
    assert simulation.model.body("cart").mass == 3.0
    with pytest.raises(FrozenInstanceError):
        simulation.scene.overlay = ()  # type: ignore[misc]
    with pytest.raises(ValueError, match="'colour' is not a valid"):
        Quantity("colour")


def test_the_order_of_extensions_says_nothing_about_values_of_the_model() -> None:
    """A dependency orders how capabilities are composed; there is nothing that one could override."""
    log: Log = []
    item = OverlayItem(OverlayTarget.JOINT, "rail", Quantity.DAMPING, (0.7,))
    worlds = (
        (logging(log, "test.a", ["test.b"]), logging(log, "test.b")),
        (logging(log, "test.a"), logging(log, "test.b", ["test.a"])),
    )
    models = [
        built(World(components=(), extensions=each, settings={"overlay": (item,)})).model for each in worlds
    ]
    assert models[0].dof_damping[0] == models[1].dof_damping[0] == 0.7


class Unsteady(Extension):
    """Another one as soon as it has declared."""

    id = "test.unsteady"
    version = "1"

    def dependencies(self) -> Sequence[str]:
        return () if self.version == "1" else ("test.nothing",)

    def read_config(self, config: ConfigReader) -> None:
        config.value("speed")
        config.finish()

    def declare(self, declaring: Declaring) -> None:
        self.version = "2"  # type: ignore[misc]
        self.config = {"speed": 9}


def test_the_identity_is_fixed_before_declare() -> None:
    """Id, version, dependencies and the hash of the config are those from before any of its code ran."""
    changed = built(World(components=(), extensions=(Unsteady({"speed": 1}),))).plan.extensions[0]
    assert (changed.id, changed.version, changed.dependencies) == ("test.unsteady", "1", ())

    class Steady(Unsteady):
        def declare(self, declaring: Declaring) -> None:
            pass

    assert built(World(components=(), extensions=(Steady({"speed": 1}),))).plan.extensions[0] == changed


def test_the_plan_has_the_schema_2_2_and_keeps_the_identities() -> None:
    """What is inspected later holds the resolved identity of every extension."""
    plan = built(World(components=())).plan.as_dict()
    assert plan["schema"] == "2.2"
    (identity,) = plan["extensions"]
    assert identity["id"] == "test.weather" and identity["version"] == "1.0"
    assert identity["dependencies"] == [] and len(identity["config_hash"]) == 64


def test_an_extension_without_a_version_is_shown_as_unversioned() -> None:
    log: Log = []
    (identity,) = built(World(components=(), extensions=(logging(log, "test.a"),))).plan.as_dict()[
        "extensions"
    ]
    assert identity["version"] is None and identity["unversioned"] is True


class Tuned(Extension):
    """An extension with a config."""

    id = "test.tuned"
    version = "3.1"

    def read_config(self, config: ConfigReader) -> None:
        config.float("gain", 1.0)
        config.finish()


def test_the_config_hash_is_the_same_from_a_manifest_and_from_a_program(tmp_path: Path) -> None:
    named = sound(
        write(tmp_path, MANIFEST + "extensions: [{id: test.tuned, config: {gain: 2.5}}]\n"),
        extensions=[Tuned],
    )
    added = sound(write(tmp_path, MANIFEST), added=[Tuned({"gain": 2.5})])
    assert named.plan.extensions == added.plan.extensions
    assert hashes(named) == hashes(added)


def test_the_parameter_set_tells_configs_of_added_extensions_apart(tmp_path: Path) -> None:
    """One manifest with the same extension added under two configs gives two parameter sets."""
    path = write(tmp_path)
    found = {sound(path, added=[Tuned({"gain": gain})]).plan.parameter_set_hash for gain in (1.0, 2.0, 2.5)}
    assert len(found) == 3
    assert sound(path).plan.parameter_set_hash not in found


def test_a_version_makes_behaviour_traceable(tmp_path: Path) -> None:
    """Another version of an extension is another parameter set, so a replay is never taken for the same."""

    class Newer(Tuned):
        version = "3.2"

    path = write(tmp_path)
    old, new = sound(path, added=[Tuned()]).plan, sound(path, added=[Newer()]).plan
    assert old.parameter_set_hash != new.parameter_set_hash
    assert old.hash != new.hash and old.model_hash == new.model_hash
