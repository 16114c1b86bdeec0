"""Plans: hashes differ exactly when they must, whatever the order and whoever wrote the declarations."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from simulation.cart import AHEAD, MJCF, PUSH, RAIL, Weather, World, built
from simulation.manifests import hashes, sound, write

from bxi_framework.simulation import (
    ComponentDecl,
    Extension,
    OverlayItem,
    OverlayTarget,
    Quantity,
    Simulation,
)
from bxi_framework.simulation.canonical import NotPlainError, canonical, canonical_hash

MASS = OverlayItem(OverlayTarget.BODY, "cart", Quantity.MASS, (1.5,))
DAMPING = OverlayItem(OverlayTarget.JOINT, "rail", Quantity.DAMPING, (0.2,))
BASE = World(settings={"overlay": (MASS, DAMPING)})


class Newer(Weather):
    version = "1.1"


class Configured(Weather):
    def read_config(self, config: Any) -> None:
        config.value("strength")
        config.finish()


def with_settings(**settings: Any) -> World:
    return replace(BASE, settings={**BASE.settings, **settings})


def with_front(config: dict[str, object]) -> World:
    return replace(BASE, components=(PUSH, ComponentDecl("front", "test/meter", config), RAIL))


DIFFERENT: dict[str, World] = {
    "a value of a config": with_front({"sensor": "ahead", "period_s": 0.008}),
    "a config value that is left out": replace(
        BASE, components=(PUSH, AHEAD, replace(RAIL, config={"sensor": "rail_pos"}))
    ),
    "one component less": replace(BASE, components=(PUSH, AHEAD)),
    "another id": replace(BASE, components=(PUSH, replace(AHEAD, id="nose"), RAIL)),
    "a value of the overlay": with_settings(overlay=(replace(MASS, value=(1.6,)), DAMPING)),
    "one item less": with_settings(overlay=(MASS,)),
    "another thing varied": with_settings(overlay=(MASS, replace(DAMPING, name="hinge"))),
    "the version of an extension": replace(BASE, extensions=(Newer(),)),
    "the config of an extension": replace(BASE, extensions=(Configured({"strength": 2}),)),
    "no extension": replace(BASE, extensions=()),
    "the control period": with_settings(control_period=0.04),
    "the timestep": with_settings(timestep=0.001),
}


@pytest.mark.parametrize("change", DIFFERENT)
def test_what_is_configured_otherwise_has_another_hash(change: str) -> None:
    before, after = hashes(built(BASE)), hashes(built(DIFFERENT[change]))
    assert before["parameter_set"] != after["parameter_set"]
    assert before["plan"] != after["plan"]
    assert before["model"] == after["model"]


def test_every_one_of_these_plans_has_a_hash_of_its_own() -> None:
    found = [hashes(built(world))["parameter_set"] for world in (BASE, *DIFFERENT.values())]
    assert len(set(found)) == len(found)


SAME: dict[str, World] = {
    "components in another order": replace(BASE, components=(RAIL, PUSH, AHEAD)),
    "overlay items in another order": with_settings(overlay=(DAMPING, MASS)),
    "keys of a config in another order": with_front({"period_s": 0.006, "sensor": "ahead"}),
    "a list in place of a tuple, a whole number in place of a float": replace(
        BASE, settings={"overlay": (replace(MASS, value=(1.5,)), DAMPING), "control_period": 0.02}
    ),
}


@pytest.mark.parametrize("change", SAME)
def test_what_is_only_written_otherwise_is_the_same_plan(change: str) -> None:
    assert built(BASE).plan.as_dict() == built(SAME[change]).plan.as_dict()


def test_the_order_of_extensions_changes_no_hash() -> None:
    class Other(Extension):
        id = "test.other"

    one = built(replace(BASE, extensions=(Weather(), Other())))
    two = built(replace(BASE, extensions=(Other(), Weather())))
    assert one.plan.as_dict() == two.plan.as_dict()


def test_the_seed_is_in_the_plan_and_not_in_the_parameter_set() -> None:
    one, two = hashes(built(BASE)), hashes(built(with_settings(seed=9)))
    assert one["parameter_set"] == two["parameter_set"]
    assert one["plan"] != two["plan"]


def test_a_plan_does_not_depend_on_where_its_files_lie(tmp_path: Path) -> None:
    plans = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        plans.append(sound(write(tmp_path / name)).plan.as_dict())
    assert plans[0] == plans[1]
    assert str(tmp_path) not in json.dumps(plans[0])


TRIANGLES = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
INCLUDING = MJCF.replace(
    "<worldbody>",
    '<compiler meshdir="."/><asset><mesh name="tip" file="tip.obj"/></asset>'
    '<include file="more.xml"/><worldbody>',
    1,
)
MORE = '<mujoco><worldbody><geom name="block" type="mesh" mesh="tip" pos="4 0 0"/></worldbody></mujoco>'


def change_model(files: dict[str, str]) -> None:
    files["model"] = files["model"].replace('mass="1"', 'mass="1.1"')


def change_include(files: dict[str, str]) -> None:
    files["more_xml"] = files["more_xml"].replace("4 0 0", "5 0 0")


def change_mesh(files: dict[str, str]) -> None:
    files["tip_obj"] = files["tip_obj"].replace("v 1 0 0", "v 2 0 0")


@pytest.mark.parametrize("change", [change_model, change_include, change_mesh])
def test_the_hash_of_the_model_covers_every_file_of_it(
    tmp_path: Path, change: Callable[[dict[str, str]], None]
) -> None:
    files = {"model": INCLUDING, "more_xml": MORE, "tip_obj": TRIANGLES}
    before = sound(write(tmp_path, **files))
    assert [name for name, _ in before.plan.files.hashes] == ["cart.xml", "more.xml", "tip.obj"]
    assert hashes(before) == hashes(sound(write(tmp_path, **files)))
    change(files)
    after = sound(write(tmp_path, **files))
    assert hashes(before)["model"] != hashes(after)["model"]
    assert hashes(before)["parameter_set"] == hashes(after)["parameter_set"]
    assert hashes(before)["plan"] != hashes(after)["plan"]


def test_a_plan_is_plain_data_with_everything_that_was_resolved() -> None:
    plan = json.loads(json.dumps(built(BASE).plan.as_dict()))
    assert set(plan) == {
        "schema",
        "mujoco",
        "seed",
        "model",
        "extensions",
        "components",
        "capabilities",
        "bindings",
        "schedule",
        "authorities",
        "overlay",
        "hashes",
    }
    assert plan["schedule"]["each_period"] == [
        {"phase": "prescribe", "id": "gate"},
        {"phase": "act", "id": "wind"},
        {"phase": "drive", "id": "push.driver"},
    ]
    assert plan["schedule"]["beats"] == [
        {"phase": "sample", "id": "front", "steps": 3},
        {"phase": "sample", "id": "odometer", "steps": 25},
    ]
    assert plan["authorities"] == [
        {"kind": "actuator", "name": "push", "holder": "push.driver"},
        {"kind": "body", "name": "gate", "holder": "gate"},
    ]
    assert {"capability": "odometer", "role": "sensor", "kind": "sensor", "name": "rail_pos"}.items() <= next(
        each for each in plan["bindings"] if each["capability"] == "odometer"
    ).items()
    assert plan["overlay"][0] == {
        "target": "body",
        "name": "cart",
        "quantity": "mass",
        "value": [1.5],
        "nominal": [1.0],
    }


def test_one_plan_and_one_seed_give_one_run() -> None:
    """Two builds from the same declarations are the same plan, and run the same way."""
    runs: list[Any] = []
    simulations: list[Simulation] = [built(BASE), built(SAME["components in another order"])]
    assert simulations[0].plan.hash == simulations[1].plan.hash
    for simulation in simulations:
        with simulation.open(5) as run:
            run.command("push", [1.0])
            run.step(40)
            runs.append((run.physics.data.qpos.tobytes(), run.reading("front").channels["value"].tobytes()))
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (0.0, -0.0),
        ([1, 2], (1.0, 2.0)),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}),
        (1e3, 1000),
        ("\u00e9", "é"),
    ],
)
def test_equal_data_have_one_hash(one: object, other: object) -> None:
    assert canonical(one) == canonical(other)
    assert canonical_hash(one) == canonical_hash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        (0, None),
        ("1", 1),
        (0.1, 0.1 + 2**-56),
        (1e300, 1.0000000000000002e300),
        (2**53, 2**53 + 1),
        ([], {}),
        ([1, 2], [2, 1]),
        ([[1], 2], [1, [2]]),
        ({"a": None}, {}),
        ("a", "A"),
    ],
)
def test_different_data_have_different_hashes(one: object, other: object) -> None:
    assert canonical(one) != canonical(other)


def test_floats_are_written_as_python_shows_them() -> None:
    assert canonical({"b": [0.1, 1e-7, 2.5], "a": True}) == '{"a":true,"b":[0.1,1e-07,2.5]}'


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (float("nan"), ""),
        ({"a": [0, float("inf")]}, "a[1]"),
        ({"a": {"b": object()}}, "a.b"),
        ({"a": {3: 1}}, "a"),
        ({"a": b"x"}, "a"),
        ({1, 2}, ""),
    ],
)
def test_what_is_no_plain_data_has_no_hash(value: object, path: str) -> None:
    with pytest.raises(NotPlainError) as caught:
        canonical_hash(value)
    assert caught.value.path == path
