"""Who alone may write what, derived from the claims of the parts that enforce them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bxi_framework.diagnostics import Report, did_you_mean
from bxi_framework.simulation.bindings import BindingKind
from bxi_framework.simulation.descriptors import ClaimKind, StateClaim
from bxi_framework.simulation.model_names import ModelNames
from bxi_framework.simulation.origin import Origin
from bxi_framework.simulation.registry import CapabilityRegistry, Registered, Role

_KINDS: Final[Mapping[ClaimKind, BindingKind]] = {
    ClaimKind.JOINT: BindingKind.JOINT,
    ClaimKind.BODY: BindingKind.BODY,
    ClaimKind.ACTUATOR: BindingKind.ACTUATOR,
}


@dataclass(frozen=True, slots=True)
class Authority:
    """One claim and the capability that holds it."""

    claim: StateClaim
    holder: str


def authorities(registry: CapabilityRegistry, report: Report) -> tuple[Authority, ...]:
    """Every claim with its holder, by kind and name. A second claim on the same thing, and a part of a role
    that writes state without any claim, go into the report.
    """
    holders: dict[StateClaim, Registered[Any]] = {}
    for registered in _writers(registry):
        if not registered.claims:
            report.add(
                registered.owner.origin.diagnostic(
                    "claim-missing",
                    f"The {registered} of {registered.owner} claims nothing, so it could write nothing.",
                    "Let 'claims()' name the joints, bodies or actuators that it writes.",
                    subject=registered.id,
                )
            )
        for claim in registered.claims:
            other = holders.setdefault(claim, registered)
            if other is not registered:
                report.add(
                    _place(registered, claim).diagnostic(
                        "claim-twice",
                        f"The {claim} is claimed by the {other} of {other.owner} and by the {registered} of "
                        f"{registered.owner}.",
                        "One part alone may write it; remove the other or give it another one.",
                        subject=claim.name,
                    )
                )
    found = sorted(holders.items(), key=lambda item: (item[0].kind.value, item[0].name))
    return tuple(Authority(claim, registered.id) for claim, registered in found)


def check_claims(model: Any, names: ModelNames, registry: CapabilityRegistry, report: Report) -> None:
    """Report claims on what the model lacks, and on bodies that nobody can set."""
    for registered in _writers(registry):
        for claim in registered.claims:
            known = names.of(_KINDS[claim.kind])
            index = known.get(claim.name)
            if index is None:
                if any(request.name == claim.name for request in registered.requests.values()):
                    continue
                report.add(
                    registered.owner.origin.diagnostic(
                        "model-name-missing",
                        f"The model has no {claim}, which the {registered} claims.",
                        did_you_mean(claim.name, known),
                        subject=claim.name,
                    )
                )
            elif claim.kind is ClaimKind.BODY and model.body_mocapid[index] < 0:
                report.add(
                    _place(registered, claim).diagnostic(
                        "claim-not-mocap",
                        f"The {registered} claims the {claim}, whose pose follows from its joints.",
                        'Claim its joints, or give the body mocap="true" in the model.',
                        subject=claim.name,
                    )
                )


def _place(registered: Registered[Any], claim: StateClaim) -> Origin:
    """Where the claimed thing was named, or else its part."""
    origin = registered.owner.origin
    for request in registered.requests.values():
        if request.name == claim.name and request.kind is _KINDS[claim.kind] and request.field:
            return origin.below(f"config.{request.field}")
    return origin


def _writers(registry: CapabilityRegistry) -> Iterable[Registered[Any]]:
    return (each for each in registry if each.role in (Role.DRIVER, Role.PRESCRIBED_STATE))
