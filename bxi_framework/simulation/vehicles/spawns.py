"""How the vehicles of a scene stand at the start: none may touch another one, or stand deep in the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import mujoco

from bxi_framework.diagnostics import Diagnostic, Report, Severity
from bxi_framework.simulation.vehicles.checked_vehicle import CheckedVehicle

_DEEP: Final = 0.01
"""From this depth on, in m, a vehicle is in the world rather than on it."""


def check_spawns(model: Any, vehicles: Sequence[CheckedVehicle], report: Report) -> None:
    """Report vehicles that overlap where the scene places them, and warn of those within the world."""
    if not vehicles:
        return
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    owners = _owners(model, vehicles)
    pairs: set[tuple[str, str]] = set()
    deepest: dict[str, tuple[float, str]] = {}
    for contact in data.contact[: data.ncon]:
        bodies = [int(model.body_rootid[model.geom_bodyid[geom]]) for geom in contact.geom]
        first, second = (owners.get(body) for body in bodies)
        if first is not None and second is not None and first != second and contact.dist < 0.0:
            pairs.add((min(first, second), max(first, second)))
        elif (first is None) != (second is None) and contact.dist < -_DEEP:
            vehicle, other = (first, 1) if first is not None else (second, 0)
            name = model.geom(contact.geom[other]).name or "a geom without a name"
            known = deepest.get(vehicle or "", (0.0, ""))
            deepest[vehicle or ""] = min(known, (float(contact.dist), name))
    by_id = {vehicle.entry.id: vehicle for vehicle in vehicles}
    for first, second in sorted(pairs):
        report.add(
            by_id[second]
            .origin.below("at")
            .diagnostic(
                "vehicles-overlap",
                f"The vehicles '{first}' and '{second}' overlap where they stand at the start.",
                "Place one of them farther away.",
                subject=second,
            )
        )
    for vehicle, (depth, name) in sorted(deepest.items()):
        report.add(_in_world(by_id[vehicle], -depth, name))


def _owners(model: Any, vehicles: Sequence[CheckedVehicle]) -> dict[int, str]:
    """Whose root each body is."""
    return {
        int(model.body(f"{vehicle.entry.id}/{vehicle.entry.frame.body}").id): vehicle.entry.id
        for vehicle in vehicles
    }


def _in_world(vehicle: CheckedVehicle, depth: float, name: str) -> Diagnostic:
    fault = vehicle.origin.below("at").diagnostic(
        "vehicle-in-world",
        f"The vehicle '{vehicle.entry.id}' stands {depth * 1000.0:.0f} mm deep in '{name}' at the start.",
        "Place it elsewhere, or lift the body in its model.",
        subject=vehicle.entry.id,
    )
    return replace(fault, severity=Severity.WARNING)
