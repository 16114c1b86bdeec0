"""Fits the parts to the compiled model: requests are resolved once, and each part may refuse the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import mujoco

from bxi_framework.diagnostics import Report, did_you_mean
from bxi_framework.simulation.bindings import Binding, BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.calls import Caller
from bxi_framework.simulation.capabilities import CapabilityFactory
from bxi_framework.simulation.registry import CapabilityRegistry, Registered

_OBJECTS: Final = {
    BindingKind.JOINT: (mujoco.mjtObj.mjOBJ_JOINT, "njnt"),
    BindingKind.ACTUATOR: (mujoco.mjtObj.mjOBJ_ACTUATOR, "nu"),
    BindingKind.SENSOR: (mujoco.mjtObj.mjOBJ_SENSOR, "nsensor"),
    BindingKind.SITE: (mujoco.mjtObj.mjOBJ_SITE, "nsite"),
    BindingKind.BODY: (mujoco.mjtObj.mjOBJ_BODY, "nbody"),
    BindingKind.GEOM: (mujoco.mjtObj.mjOBJ_GEOM, "ngeom"),
    BindingKind.CAMERA: (mujoco.mjtObj.mjOBJ_CAMERA, "ncam"),
}
_QPOS_SIZE: Final = (7, 4, 1, 1)
"""The values of a free, ball, slide and hinge joint in ``qpos``, in the order of ``mjtJoint``."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A capability with what it asked for."""

    registered: Registered[Any]
    bindings: Bindings


class ModelNames:
    """The named things of a compiled model."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._names: dict[BindingKind, dict[str, int]] = {}

    def of(self, kind: BindingKind) -> Mapping[str, int]:
        """The names of a kind and their ids."""
        if kind not in self._names:
            obj, count = _OBJECTS[kind]
            names = (mujoco.mj_id2name(self._model, obj, i) for i in range(getattr(self._model, count)))
            self._names[kind] = {name: index for index, name in enumerate(names) if name}
        return self._names[kind]

    def resolve(self, request: BindingRequest) -> Binding | None:
        """What a request names; None if the model lacks it."""
        index = self.of(request.kind).get(request.name)
        return None if index is None else _binding(self._model, request, index)


def _binding(model: Any, request: BindingRequest, index: int) -> Binding:
    if request.kind is BindingKind.JOINT:
        size = _QPOS_SIZE[int(model.jnt_type[index])]
        return Binding(request, index, int(model.jnt_qposadr[index]), size, int(model.jnt_dofadr[index]))
    if request.kind is BindingKind.SENSOR:
        return Binding(request, index, int(model.sensor_adr[index]), int(model.sensor_dim[index]))
    return Binding(request, index, index, 1)


def resolve_all(names: ModelNames, registry: CapabilityRegistry, report: Report) -> list[Fitted]:
    """Every capability with its bindings; names that the model lacks are reported together, and the parts
    that asked for them left out.
    """
    fitted = []
    for registered in registry:
        found: dict[str, Binding] = {}
        for role, request in registered.requests.items():
            binding = names.resolve(request)
            if binding is None:
                _report_missing(names, registered, request, report)
            else:
                found[role] = binding
        if len(found) == len(registered.requests):
            fitted.append(Fitted(registered, Bindings(found)))
    return fitted


def _report_missing(
    names: ModelNames, registered: Registered[Any], request: BindingRequest, report: Report
) -> None:
    origin = registered.owner.origin
    report.add(
        (origin.below(f"config.{request.field}") if request.field else origin).diagnostic(
            "model-name-missing",
            f"The model has no {request}, which the {registered} needs.",
            did_you_mean(request.name, names.of(request.kind)),
            subject=request.name,
        )
    )


def validate_all(caller: Caller, model: Any, fitted: list[Fitted]) -> None:
    """Let every part check the model; what it says against it goes into the report."""
    for each in fitted:
        registered = each.registered
        if not isinstance(registered.part, CapabilityFactory):
            continue
        owner = registered.owner
        outcome = caller.call(owner, "validate_model", _objections, registered.part, model, each.bindings)
        for objection in outcome.value or ():
            caller.report.add(
                owner.origin.diagnostic(
                    "model-unfit",
                    f"The {registered} of {owner} cannot work with the model: {objection}",
                    "Change the model or the config.",
                    subject=registered.id,
                )
            )


def _objections(part: CapabilityFactory[Any], model: Any, bindings: Bindings) -> list[str]:
    return [str(sentence) for sentence in part.validate_model(model, bindings)]
