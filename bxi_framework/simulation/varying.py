"""Applies the parameter overlay to a model, sizes before it is compiled and all else after."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any, Final

import mujoco

from bxi_framework.diagnostics import Report, did_you_mean
from bxi_framework.simulation.bindings import BindingKind
from bxi_framework.simulation.model_names import ModelNames
from bxi_framework.simulation.origin import Origin
from bxi_framework.simulation.overlay import OverlayItem, OverlayTarget, Quantity, Variation, trouble
from bxi_framework.simulation.scene import Scene

_SIZES: Final = {
    mujoco.mjtGeom.mjGEOM_PLANE: 3,
    mujoco.mjtGeom.mjGEOM_SPHERE: 1,
    mujoco.mjtGeom.mjGEOM_CAPSULE: 2,
    mujoco.mjtGeom.mjGEOM_ELLIPSOID: 3,
    mujoco.mjtGeom.mjGEOM_CYLINDER: 2,
    mujoco.mjtGeom.mjGEOM_BOX: 3,
}
_ARRAYS: Final = {
    (OverlayTarget.BODY, Quantity.MASS): "body_mass",
    (OverlayTarget.BODY, Quantity.INERTIA): "body_inertia",
    (OverlayTarget.GEOM, Quantity.FRICTION): "geom_friction",
    (OverlayTarget.GEOM, Quantity.SIZE): "geom_size",
    (OverlayTarget.JOINT, Quantity.FRICTION): "dof_frictionloss",
    (OverlayTarget.JOINT, Quantity.DAMPING): "dof_damping",
    (OverlayTarget.JOINT, Quantity.ARMATURE): "dof_armature",
    (OverlayTarget.ACTUATOR, Quantity.GAIN): "actuator_gainprm",
}


def vary(scene: Scene, spec: Any, nominal: Any, report: Report) -> tuple[Any, tuple[Variation, ...]]:
    """The model with the overlay of the scene, and what was varied.

    Args:
        scene: whose overlay is applied.
        spec: the model before it is compiled; sizes are written into it.
        nominal: the model as the file gives it; it is not changed.
        report: takes every item that does not fit.

    Raises:
        ValueError: MuJoCo refuses the model with the new sizes.
    """
    items = _sound_items(scene, spec, nominal, report)
    if not items:
        return nominal, ()
    sizes = [item for item in items if item.quantity is Quantity.SIZE]
    names = ModelNames(nominal)
    variations = tuple(
        Variation(item, tuple(float(value) for value in _values(nominal, names, item)[: len(item.value)]))
        for item in items
    )
    for item in sizes:
        geom = spec.geom(item.name)
        size = geom.size.copy()
        size[: len(item.value)] = item.value
        geom.size = size
    model = spec.compile() if sizes else copy.copy(nominal)
    for item in items:
        if item.quantity is not Quantity.SIZE:
            _write(model, names, item)
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model, variations


def _sound_items(scene: Scene, spec: Any, nominal: Any, report: Report) -> list[OverlayItem]:
    """The items that fit, in an order that does not depend on how they were written."""
    names = ModelNames(nominal)
    found: dict[tuple[OverlayTarget, str, Quantity], OverlayItem] = {}
    for index, item in enumerate(scene.overlay):
        origin = scene.origin(f"overlay[{index}]")
        known = names.of(BindingKind(item.target.value))
        key = item.target, item.name, item.quantity
        if item.name not in known:
            report.add(
                origin.below(item.target.value).diagnostic(
                    "model-name-missing",
                    f"The model has no {item.target.value} '{item.name}', which the overlay varies.",
                    did_you_mean(item.name, known),
                    subject=item.name,
                )
            )
        elif key in found:
            _refuse(origin, item, f"Two overlay items vary {item}.", "Keep one of them.", report)
        else:
            said = _trouble(item, spec, nominal, known[item.name])
            if said:
                _refuse(origin, item, said, "Correct the value, or remove the item.", report)
            else:
                found[key] = item
    return [found[key] for key in sorted(found, key=lambda key: (key[0].value, key[1], key[2].value))]


def _refuse(origin: Origin, item: OverlayItem, said: str, hint: str, report: Report) -> None:
    place = origin.below(item.quantity.value)
    report.add(place.diagnostic("overlay-invalid", said, hint, subject=item.name))


def _trouble(item: OverlayItem, spec: Any, model: Any, index: int) -> str:
    if item.quantity is not Quantity.SIZE or item.target is not OverlayTarget.GEOM:
        return trouble(item, 0)
    numbers = _SIZES.get(mujoco.mjtGeom(int(model.geom_type[index])), 0)
    if not numbers:
        return f"The geom '{item.name}' takes its shape from a file; it has no size."
    geom = spec.geom(item.name)
    if geom is None:
        return f"The geom '{item.name}' cannot be found before the model is compiled."
    # The ends of such a geom give its length.
    along = numbers == 2 and bool(geom.fromto[0] == geom.fromto[0])
    return trouble(item, 1 if along else numbers)


def _places(model: Any, names: ModelNames, item: OverlayItem) -> Iterable[Any]:
    """Where the value is in its array: at each degree of freedom of a joint, else at the index."""
    kind = BindingKind(item.target.value)
    index = names.of(kind)[item.name]
    if item.target is not OverlayTarget.JOINT:
        return (index,)
    first = int(model.jnt_dofadr[index])
    return range(first, first + sum(int(joint) == index for joint in model.dof_jntid))


def _values(model: Any, names: ModelNames, item: OverlayItem) -> Sequence[float]:
    array = getattr(model, _ARRAYS[item.target, item.quantity])
    value = array[next(iter(_places(model, names, item)))]
    return [float(value)] if array.ndim == 1 else [float(each) for each in value]


def _write(model: Any, names: ModelNames, item: OverlayItem) -> None:
    array = getattr(model, _ARRAYS[item.target, item.quantity])
    for place in _places(model, names, item):
        if item.quantity is Quantity.GAIN:
            _follow_gain(model, place, item.value[0])
        if array.ndim == 1:
            array[place] = item.value[0]
        else:
            array[place, : len(item.value)] = item.value


def _follow_gain(model: Any, actuator: int, gain: float) -> None:
    """Keep a position or velocity servo one: its bias is the negative gain."""
    before, bias = model.actuator_gainprm[actuator, 0], model.actuator_biasprm[actuator]
    servo = 1 if bias[1] == -before else 2 if bias[1] == 0.0 and bias[2] == -before else 0
    if servo and before and int(model.actuator_biastype[actuator]) == int(mujoco.mjtBias.mjBIAS_AFFINE):
        bias[servo] = -gain
