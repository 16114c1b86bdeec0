"""When everything happens, counted in time steps and derived from what parts say of themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from bxi_framework.diagnostics import Report
from bxi_framework.simulation.origin import Origin
from bxi_framework.simulation.registry import CapabilityRegistry, Registered, Role
from bxi_framework.simulation.scene import Scene

_TOLERANCE: Final = 1e-6
"""How far from a whole number of steps a period may be, as a part of one step: the rounding of decimals."""
_MOST_STEPS: Final = 10**9


@dataclass(frozen=True, slots=True)
class Beat:
    """What is read or looked at every ``steps`` time steps, from the start on."""

    id: str
    role: Role
    steps: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """The order within a control period, by id (drivers by endpoint), and the beats between."""

    timestep: float
    substeps: int
    prescribed_states: tuple[str, ...]
    interactions: tuple[str, ...]
    drivers: tuple[str, ...]
    beats: tuple[Beat, ...]


def schedule(scene: Scene, registry: CapabilityRegistry, report: Report) -> Schedule | None:
    """The schedule; None if a period does not fit, which is then in the report."""
    if not (math.isfinite(scene.timestep) and 0.0 < scene.timestep <= 1.0):
        report.add(
            scene.origin("timestep").diagnostic(
                "timestep-invalid",
                f"'timestep' must be greater than 0 and at most 1 s, not {scene.timestep}.",
                "Write seconds, such as 0.002.",
            )
        )
        return None
    substeps = _steps(scene, scene.control_period, "'control_period'", scene.origin("control_period"), report)
    beats = []
    for each in registry:
        if each.period_s is not None:
            origin = each.owner.origin
            place = origin.below("config.period_s") if each.owner.kind == "component" else origin
            steps = _steps(scene, each.period_s, f"the period of the {each}", place, report)
            beats.append(None if steps is None else Beat(each.id, each.role, steps))
    _check_endpoints(registry, report)
    if substeps is None or None in beats:
        return None
    drivers: list[Registered[Any]] = sorted(registry.of(Role.DRIVER), key=lambda each: each.endpoint or "")
    return Schedule(
        scene.timestep,
        substeps,
        tuple(each.id for each in registry.of(Role.PRESCRIBED_STATE)),
        tuple(each.id for each in registry.of(Role.INTERACTION)),
        tuple(each.id for each in drivers),
        tuple(beat for beat in beats if beat is not None),
    )


def _steps(scene: Scene, period: Any, what: str, origin: Origin, report: Report) -> int | None:
    """The number of time steps in a period."""
    sound = isinstance(period, (int, float)) and math.isfinite(period) and period > 0.0
    ratio = period / scene.timestep if sound else 0.0
    steps = round(ratio) if ratio < _MOST_STEPS else 0
    if steps >= 1 and abs(ratio - steps) <= _TOLERANCE:
        return steps
    lower = max(1, math.floor(ratio)) * scene.timestep if steps else scene.timestep
    report.add(
        origin.diagnostic(
            "period-not-multiple",
            f"{what[:1].upper()}{what[1:]} must be a whole multiple of the timestep of {scene.timestep:g} s, "
            f"not {period} s.",
            f"Write for example {lower:g} or {lower + scene.timestep:g}.",
        )
    )
    return None


def _check_endpoints(registry: CapabilityRegistry, report: Report) -> None:
    """Each endpoint has one driver, and each driver its endpoint."""
    driven: dict[str, Registered[Any]] = {}
    for driver in registry.of(Role.DRIVER):
        target = driver.endpoint or ""
        if target not in registry or registry[target].role is not Role.ENDPOINT:
            report.add(
                driver.owner.origin.diagnostic(
                    "endpoint-missing",
                    f"The {driver} of {driver.owner} drives the endpoint '{target}', which is not there.",
                    "Let the component contribute the endpoint too.",
                    subject=target,
                )
            )
        elif target in driven:
            report.add(
                driver.owner.origin.diagnostic(
                    "endpoint-driven-twice",
                    f"The endpoint '{target}' is driven by '{driven[target].id}' and by '{driver.id}'.",
                    "Keep one driver for each endpoint.",
                    subject=target,
                )
            )
        else:
            driven[target] = driver
    for endpoint in registry.of(Role.ENDPOINT):
        if endpoint.id not in driven:
            report.add(
                endpoint.owner.origin.diagnostic(
                    "endpoint-without-driver",
                    f"Nothing drives the endpoint '{endpoint.id}' of {endpoint.owner}.",
                    "Let the component contribute a driver for it.",
                    subject=endpoint.id,
                )
            )
