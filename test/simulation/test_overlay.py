"""The parameter overlay: each quantity is in the model as if the file had said so, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest
from simulation.cart import MJCF, World, built, faults

from bxi_framework.simulation import ModelText, OverlayItem, OverlayTarget, Quantity, Simulation

ITEMS: dict[str, tuple[OverlayItem, str, str]] = {
    "mass": (
        OverlayItem(OverlayTarget.BODY, "pole", Quantity.MASS, (0.5,)),
        '<geom name="rod" type="capsule" size="0.02" fromto="0 0 0 0 0 0.4" mass="0.2"/>',
        '<geom name="rod" type="capsule" size="0.02" fromto="0 0 0 0 0 0.4" mass="0.2"/>',
    ),
    "friction of a geom": (
        OverlayItem(OverlayTarget.GEOM, "floor", Quantity.FRICTION, (0.4, 0.02)),
        'size="5 5 0.1"/>',
        'size="5 5 0.1" friction="0.4 0.02"/>',
    ),
    "size of a sphere": (
        OverlayItem(OverlayTarget.GEOM, "ball", Quantity.SIZE, (0.2,)),
        'type="sphere" size="0.1"',
        'type="sphere" size="0.2"',
    ),
    "size of a box": (
        OverlayItem(OverlayTarget.GEOM, "hull", Quantity.SIZE, (0.3, 0.2, 0.1)),
        'type="box" size="0.2 0.1 0.05"',
        'type="box" size="0.3 0.2 0.1"',
    ),
    "size of a capsule between two ends": (
        OverlayItem(OverlayTarget.GEOM, "rod", Quantity.SIZE, (0.03,)),
        'type="capsule" size="0.02"',
        'type="capsule" size="0.03"',
    ),
    "damping": (
        OverlayItem(OverlayTarget.JOINT, "rail", Quantity.DAMPING, (0.9,)),
        'damping="0.1"',
        'damping="0.9"',
    ),
    "armature": (
        OverlayItem(OverlayTarget.JOINT, "hinge", Quantity.ARMATURE, (0.01,)),
        '<joint name="hinge" type="hinge"',
        '<joint name="hinge" armature="0.01" type="hinge"',
    ),
    "friction of a joint": (
        OverlayItem(OverlayTarget.JOINT, "hinge", Quantity.FRICTION, (0.03,)),
        '<joint name="hinge" type="hinge"',
        '<joint name="hinge" frictionloss="0.03" type="hinge"',
    ),
    "gain of a servo": (
        OverlayItem(OverlayTarget.ACTUATOR, "servo", Quantity.GAIN, (5.0,)),
        'joint="hinge" kp="2"',
        'joint="hinge" kp="5"',
    ),
}


def varied(*items: OverlayItem, mjcf: str = MJCF) -> Simulation:
    return built(World(components=(), extensions=(), settings={"overlay": items, "model": ModelText(mjcf)}))


def differences(one: Any, other: Any) -> list[str]:
    """The arrays of two models that differ."""
    names = (name for name in dir(one) if not name.startswith("_"))
    arrays = [name for name in names if isinstance(getattr(one, name), np.ndarray)]
    return [
        name
        for name in arrays
        if not np.allclose(getattr(one, name), getattr(other, name), rtol=1e-12, atol=0.0, equal_nan=True)
    ]


@pytest.mark.parametrize("name", [name for name in ITEMS if name != "mass"])
def test_a_variation_is_what_the_file_would_have_said(name: str) -> None:
    item, old, new = ITEMS[name]
    assert MJCF.count(old) == 1
    expected = varied(mjcf=MJCF.replace(old, new)).model
    assert differences(varied().model, expected) != []
    assert differences(varied(item).model, expected) == []


def test_a_mass_alone_leaves_the_inertia_as_it_is() -> None:
    nominal, model = varied().model, varied(ITEMS["mass"][0]).model
    assert model.body("pole").mass == 0.5
    assert (model.body("pole").inertia == nominal.body("pole").inertia).all()
    # What follows from the mass follows.
    assert model.body("cart").subtreemass == pytest.approx(nominal.body("cart").subtreemass + 0.3)
    assert model.dof_M0[0] == pytest.approx(nominal.dof_M0[0] + 0.3)


def test_an_inertia_is_diagonal() -> None:
    item = OverlayItem(OverlayTarget.BODY, "ball", Quantity.INERTIA, (0.1, 0.2, 0.25))
    assert varied(item).model.body("ball").inertia.tolist() == [0.1, 0.2, 0.25]


def test_the_damping_of_a_free_joint_is_that_of_all_its_degrees_of_freedom() -> None:
    item = OverlayItem(OverlayTarget.JOINT, "loose", Quantity.DAMPING, (0.5,))
    assert varied(item).model.dof_damping.tolist() == [0.1, 0.0, *[0.5] * 6]


def test_the_gain_of_a_velocity_servo_takes_its_bias_along_and_that_of_a_motor_has_none() -> None:
    mjcf = MJCF.replace(
        '<position name="servo" joint="hinge" kp="2"/>', '<velocity name="servo" joint="hinge" kv="2"/>'
    )
    items = [OverlayItem(OverlayTarget.ACTUATOR, name, Quantity.GAIN, (3.0,)) for name in ("servo", "push")]
    model = varied(*items, mjcf=mjcf).model
    assert model.actuator("servo").gainprm[0] == 3.0 and model.actuator("servo").biasprm[2] == -3.0
    assert model.actuator("push").gainprm[0] == 3.0 and not model.actuator("push").biasprm.any()


def test_several_variations_are_applied_together_and_shown_with_their_nominal_values() -> None:
    items = [item for item, _, _ in ITEMS.values() if item.name != "rod"]
    simulation = varied(*items)
    shown = {
        (each.item.name, each.item.quantity.value): (each.item.value, each.nominal)
        for each in simulation.plan.overlay
    }
    assert shown["ball", "size"] == ((0.2,), (0.1,))
    assert shown["floor", "friction"] == ((0.4, 0.02), (1.0, 0.005))
    assert shown["servo", "gain"] == ((5.0,), (2.0,))
    assert simulation.model.body("pole").mass == 0.5 and simulation.model.geom("ball").size[0] == 0.2
    assert len(shown) == len(items)


def test_the_varied_model_behaves_otherwise_and_the_file_is_as_it_was() -> None:
    light, heavy = varied(), varied(OverlayItem(OverlayTarget.BODY, "cart", Quantity.MASS, (20.0,)))
    reached = []
    for simulation in (light, heavy):
        with simulation.open() as run:
            run.physics.data.ctrl[0] = 5.0
            run.step(50)
            reached.append(run.physics.data.qpos[0])
    assert reached[0] > 5 * reached[1] > 0.0
    assert light.model.body("cart").mass == 1.0


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
def test_a_value_that_cannot_be_is_refused_in_a_program_too(value: float) -> None:
    item = replace(ITEMS["damping"][0], value=(value,))
    (fault,) = faults(World(components=(), extensions=(), settings={"overlay": (item,)}))
    assert fault.code == "overlay-invalid" and fault.field == "overlay[0].damping"
    assert "The damping of the joint 'rail' must be" in fault.message


def test_a_quantity_that_a_thing_has_not_is_refused() -> None:
    item = OverlayItem(OverlayTarget.JOINT, "rail", Quantity.SIZE, (1.0,))
    (fault,) = faults(World(components=(), extensions=(), settings={"overlay": (item,)}))
    assert "A joint has no size; it has friction, damping, armature." in fault.message


def test_a_shape_from_a_file_has_no_size() -> None:
    mjcf = MJCF.replace(
        "<worldbody>", '<asset><mesh name="tip" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>', 1
    ).replace("</worldbody>", '<geom name="tip" type="mesh" mesh="tip"/></worldbody>')
    item = OverlayItem(OverlayTarget.GEOM, "tip", Quantity.SIZE, (1.0,))
    (fault,) = faults(
        World(components=(), extensions=(), settings={"overlay": (item,), "model": ModelText(mjcf)})
    )
    assert "The geom 'tip' takes its shape from a file" in fault.message


def test_a_size_that_mujoco_refuses_is_told_in_its_words() -> None:
    item = OverlayItem(OverlayTarget.GEOM, "ball", Quantity.SIZE, (0.0,))
    (fault,) = faults(World(components=(), extensions=(), settings={"overlay": (item,)}))
    assert fault.code == "model-invalid" and "size" in fault.message
    assert mujoco.__version__
