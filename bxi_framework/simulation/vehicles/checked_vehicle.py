"""The vehicles of a scene, each checked as far as it can be without the whole model."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bxi_framework.mod_api.contract_rules import VEHICLE_ID_RULE, vehicle_major
from bxi_framework.simulation.calls import Caller
from bxi_framework.simulation.origin import Origin
from bxi_framework.simulation.scene import ModelText, Scene, VehicleDecl
from bxi_framework.simulation.vehicles.checking import class_fault, model_faults, vehicle_class_faults
from bxi_framework.simulation.vehicles.offers import Offers
from bxi_framework.simulation.vehicles.schema import ValueSchema
from bxi_framework.simulation.vehicles.vehicle import Vehicle
from bxi_framework.simulation.vehicles.vehicle_component import VehicleEntry
from bxi_framework.simulation.vehicles.world import (
    Place,
    WorldFaultError,
    model_source,
    read_model,
    vehicle_frame,
)

_ID: Final = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class CheckedVehicle:
    """A vehicle of a scene: its entry, where it stands and was declared, and its own model."""

    entry: VehicleEntry
    place: Place
    origin: Origin
    spec: Any
    source: Path | ModelText


def checked_vehicles(caller: Caller, scene: Scene, offers: Offers) -> Iterator[CheckedVehicle]:
    """The sound vehicles by id; what is wrong with the others goes into the report."""
    seen: set[str] = set()
    for index, decl in sorted(enumerate(scene.vehicles), key=lambda each: (each[1].id, each[0])):
        origin = scene.origin(f"vehicles[{index}]")
        if decl.id in seen:
            caller.report.add(
                origin.below("id").diagnostic(
                    "vehicle-twice",
                    f"Two vehicles have the id '{decl.id}'.",
                    "Give one of them another id.",
                    subject=decl.id,
                )
            )
            continue
        seen.add(decl.id)
        vehicle = _checked(caller, decl, origin, offers, scene.timestep)
        if vehicle is not None:
            yield vehicle


def _checked(
    caller: Caller, decl: VehicleDecl, origin: Origin, offers: Offers, timestep: float
) -> CheckedVehicle | None:
    before = len(caller.report)
    _check_id(caller, decl, origin)
    _check_place(caller, decl, origin)
    cls = _vehicle_class(caller, decl, origin, offers)
    if cls is None:
        return None
    config = checked_values(caller, origin, "config", decl.config, cls.config_schema)
    try:
        source = model_source(cls.model, cls)
        spec = read_model(source)
        frame = vehicle_frame(spec)
    except WorldFaultError as error:
        caller.report.add(class_fault("vehicle-unsound", cls, cls.id, f"{error}.", origin.below("vehicle")))
        return None
    for fault in model_faults(cls, spec):
        caller.report.add(class_fault("vehicle-unsound", cls, cls.id, fault, origin.below("vehicle")))
    if len(caller.report) != before:
        return None
    x, y, yaw = (float(value) for value in decl.at)
    return CheckedVehicle(
        VehicleEntry(cls, decl.id, frame, config, timestep),
        Place(x, y, yaw),
        origin,
        spec,
        source,
    )


def _check_id(caller: Caller, decl: VehicleDecl, origin: Origin) -> None:
    if not _ID.fullmatch(decl.id):
        caller.report.add(
            origin.below("id").diagnostic(
                "bad-name",
                f"'{decl.id}' is not a valid id of a vehicle.",
                "It begins with a lower-case letter and goes on with lower-case letters, digits and '_'.",
                subject=decl.id,
            )
        )


def _check_place(caller: Caller, decl: VehicleDecl, origin: Origin) -> None:
    numbers = [value for value in decl.at if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if len(decl.at) != 3 or len(numbers) != 3 or not all(math.isfinite(value) for value in numbers):
        caller.report.add(
            origin.below("at").diagnostic(
                "vehicle-place",
                f"'at' must be three finite numbers, x and y in m and yaw in rad, not {list(decl.at)}.",
                "Write for example 'at: [0.0, 0.0, 0.0]'.",
            )
        )


def _vehicle_class(caller: Caller, decl: VehicleDecl, origin: Origin, offers: Offers) -> type[Vehicle] | None:
    place = origin.below("vehicle")
    rule = VEHICLE_ID_RULE if vehicle_major(decl.vehicle) is None else None
    cls = offers.get("vehicle", decl.vehicle, place, rule)
    if cls is None:
        return None
    faults = list(vehicle_class_faults(cls))
    for fault in faults:
        caller.report.add(class_fault("vehicle-unsound", cls, decl.vehicle, fault, place))
    return None if faults else cls


def checked_values(
    caller: Caller, origin: Origin, key: str, values: Mapping[str, object], schema: Mapping[str, object] | str
) -> Mapping[str, Any]:
    """The values at ``key`` with defaults; what the schema has against them goes into the report."""
    complete, faults = ValueSchema(schema).check(values)
    for fault in faults:
        place = origin.below(f"{key}.{fault.field}" if fault.field else key)
        subject = f"'{fault.field}'" if fault.field else f"'{key}'"
        caller.report.add(
            place.diagnostic("config-invalid", f"{subject} {fault.message}.", fault.hint, subject=fault.field)
        )
    return complete
