"""Fits the parts to the compiled model: requests are resolved once, and each part may refuse the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bxi_framework.diagnostics import Report, did_you_mean
from bxi_framework.simulation.bindings import Binding, BindingRequest, Bindings
from bxi_framework.simulation.calls import Caller
from bxi_framework.simulation.capabilities import CapabilityFactory
from bxi_framework.simulation.model_names import ModelNames
from bxi_framework.simulation.registry import CapabilityRegistry, Registered


@dataclass(frozen=True, slots=True)
class Fitted:
    """A capability with what it asked for."""

    registered: Registered[Any]
    bindings: Bindings


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
                    f"The {registered} of {owner} cannot work with the model: {objection.rstrip('.')}.",
                    "Change the model or the config.",
                    subject=registered.id,
                )
            )


def _objections(part: CapabilityFactory[Any], model: Any, bindings: Bindings) -> list[str]:
    return [str(sentence) for sentence in part.validate_model(model, bindings)]
