"""One model from a world and several vehicles, each under its own prefix at its own place."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import mujoco

from bxi_framework.simulation.model_files import model_files
from bxi_framework.simulation.scene import ModelText
from bxi_framework.simulation.vehicles.parts import Part, parts_of
from bxi_framework.simulation.vehicles.vehicle import Vehicle

_ROOT_JOINT: Final = "root"


class WorldFaultError(ValueError):
    """A model cannot be used."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a vehicle stands at the start: m, and rad to the left from the world's x axis."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True, slots=True)
class Frame:
    """The body of a vehicle in its own model, and its joint if it moves freely."""

    body: str
    joint: str | None


def model_source(model: object, author: type) -> Path | ModelText:
    """Where a vehicle's or track's model is: a `ModelText`, or a path from the folder of the class's file.

    Raises:
        WorldFaultError: it is neither, or there is no such file.
    """
    if isinstance(model, ModelText):
        return model
    if not isinstance(model, (str, Path)):
        raise WorldFaultError(f"a model is a path or a ModelText, not a {type(model).__name__}")
    try:
        folder = Path(inspect.getfile(author)).parent
    except (TypeError, OSError):
        folder = Path()
    path = folder / model
    if not path.is_file():
        raise WorldFaultError(f"there is no model file '{path}'")
    return path


def read_model(source: Path | ModelText) -> Any:
    """The spec of a model.

    Raises:
        WorldFaultError: MuJoCo cannot read it.
    """
    try:
        if isinstance(source, ModelText):
            return mujoco.MjSpec.from_string(source.xml, assets=dict(source.assets))
        model_files(source)  # Notices what MuJoCo would wait for.
        return mujoco.MjSpec.from_file(str(source))
    except OSError as error:
        raise WorldFaultError(f"the model cannot be read: {error.filename}: {error.strerror}") from None
    except (ValueError, mujoco.FatalError) as error:
        raise WorldFaultError(f"the model cannot be used: {' '.join(str(error).split())}") from None


def vehicle_frame(spec: Any) -> Frame:
    """The one body of a vehicle's model.

    Raises:
        WorldFaultError: there is not exactly one, it has no name, or something stands beside it.
    """
    world = spec.worldbody
    bodies = list(world.bodies)
    if len(bodies) != 1:
        raise WorldFaultError(f"a vehicle has exactly one body below <worldbody>, not {len(bodies)}")
    beside = [*world.geoms, *world.sites, *world.cameras]
    if beside:
        names = ", ".join(each.name or type(each).__name__ for each in beside)
        raise WorldFaultError(
            f"a vehicle has nothing beside its body below <worldbody>, but here is: {names}"
        )
    if not bodies[0].name:
        raise WorldFaultError("the body of a vehicle must have a name")
    free = [joint for joint in bodies[0].joints if joint.type == mujoco.mjtJoint.mjJNT_FREE]
    if not free:
        return Frame(bodies[0].name, None)
    if not free[0].name:
        free[0].name = _ROOT_JOINT
    return Frame(bodies[0].name, free[0].name)


def missing_parts(spec: Any, cls: type[Vehicle]) -> Iterable[tuple[str, Part[Any], list[str]]]:
    """The parts that a class declares and its model lacks: attribute, part, and the names that are there."""
    lists = {
        "actuator": spec.actuators,
        "joint": spec.joints,
        "body": spec.bodies,
        "geom": spec.geoms,
        "site": spec.sites,
        "sensor": spec.sensors,
        "camera": spec.cameras,
    }
    for attribute, part in parts_of(cls).items():
        names = [each.name for each in lists[part.kind.value] if each.name]
        if part.name not in names:
            yield attribute, part, names


def attach(world: Any, vehicle: Any, vehicle_id: str, place: Place) -> None:
    """Put a vehicle into the world; everything of it is named ``<id>/<its name>`` there.

    Raises:
        WorldFaultError: MuJoCo cannot join the two.
    """
    for key in list(vehicle.keys):
        vehicle.delete(key)
    half = place.yaw / 2.0
    frame = world.worldbody.add_frame(
        pos=[place.x, place.y, 0.0], quat=[math.cos(half), 0.0, 0.0, math.sin(half)]
    )
    try:
        world.attach(vehicle, prefix=f"{vehicle_id}/", frame=frame)
    except (ValueError, mujoco.FatalError) as error:
        raise WorldFaultError(
            f"the model does not fit into the world: {' '.join(str(error).split())}"
        ) from None
