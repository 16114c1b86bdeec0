"""The one place where every capability of a build is registered, whoever brought it.

Components and extensions add to the same registry, ordered by id, so nothing is merged later; what a part
says of itself is read once, here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from bxi_framework.simulation.bindings import BindingRequest
from bxi_framework.simulation.capabilities import (
    CapabilityFactory,
    DeviceFactory,
    DomainStateFactory,
    DriverFactory,
    InteractionFactory,
    ObserverFactory,
    PrescribedStateFactory,
)
from bxi_framework.simulation.descriptors import (
    DeviceDescriptor,
    EndpointDescriptor,
    InputDescriptor,
    StateClaim,
)
from bxi_framework.simulation.origin import Origin

T_co = TypeVar("T_co", covariant=True)


class Role(str, Enum):
    """What a capability is in a run."""

    DEVICE = "device"
    ENDPOINT = "endpoint"
    DRIVER = "driver"
    INPUT = "input"
    PRESCRIBED_STATE = "prescribed state"
    INTERACTION = "interaction"
    OBSERVER = "observer"
    DOMAIN_STATE = "domain state"


@dataclass(frozen=True, slots=True)
class Owner:
    """Who brought a capability: a component or an extension, where it was declared, and the folder of its
    code.
    """

    kind: str
    id: str
    origin: Origin
    code: Path

    def __str__(self) -> str:
        return f"{self.kind} '{self.id}'"


@dataclass(frozen=True, slots=True)
class Registered(Generic[T_co]):
    """One capability with all that it says of itself. ``period_s`` is given for devices and observers."""

    id: str
    role: Role
    part: T_co
    owner: Owner
    requests: Mapping[str, BindingRequest] = field(default_factory=dict)
    claims: tuple[StateClaim, ...] = ()
    period_s: float | None = None
    device: DeviceDescriptor | None = None
    endpoint: str | None = None

    def __str__(self) -> str:
        return f"{self.role.value} '{self.id}'"


class DuplicateCapabilityError(ValueError):
    """Two capabilities have one id."""

    def __init__(self, new: Registered[Any], known: Registered[Any]) -> None:
        super().__init__(f"the id '{new.id}' is taken by the {known.role.value} of {known.owner}")
        self.new = new
        self.known = known


class CapabilityRegistry:
    """All capabilities of a build; ids are unique among all of them."""

    def __init__(self) -> None:
        self._known: dict[str, Registered[Any]] = {}

    def __iter__(self) -> Iterator[Registered[Any]]:
        return iter(sorted(self._known.values(), key=lambda each: each.id))

    def __contains__(self, capability_id: str) -> bool:
        return capability_id in self._known

    def __getitem__(self, capability_id: str) -> Registered[Any]:
        return self._known[capability_id]

    def add(self, role: Role, part: Any, owner: Owner) -> Registered[Any]:
        """Take in a capability, and read what it says of itself.

        Raises:
            DuplicateCapabilityError: its id is taken.
            TypeError: it is nothing of its role.
        """
        registered = describe(role, part, owner)
        known = self._known.get(registered.id)
        if known is not None:
            raise DuplicateCapabilityError(registered, known)
        self._known[registered.id] = registered
        return registered

    def of(self, role: Role) -> tuple[Registered[Any], ...]:
        """The capabilities of a role, by id."""
        return tuple(each for each in self if each.role is role)

    def devices(self) -> dict[str, DeviceDescriptor]:
        """The devices so far, by id."""
        return {each.id: each.device for each in self.of(Role.DEVICE) if each.device is not None}


_ID: Final = re.compile(r"[A-Za-z0-9_./-]+", re.ASCII)
_KINDS: Mapping[Role, type] = {
    Role.DEVICE: DeviceFactory,
    Role.ENDPOINT: EndpointDescriptor,
    Role.DRIVER: DriverFactory,
    Role.INPUT: InputDescriptor,
    Role.PRESCRIBED_STATE: PrescribedStateFactory,
    Role.INTERACTION: InteractionFactory,
    Role.OBSERVER: ObserverFactory,
    Role.DOMAIN_STATE: DomainStateFactory,
}


def describe(role: Role, part: Any, owner: Owner) -> Registered[Any]:
    """Everything that a part says of itself, read once.

    Raises:
        TypeError: it is nothing of its role.
        ValueError: its id is no name.
    """
    kind = _KINDS[role]
    if not isinstance(part, kind):
        raise TypeError(f"a {role.value} must be a {kind.__name__}, not a {type(part).__name__}")
    capability: Any = part
    if not isinstance(capability.id, str) or not _ID.fullmatch(capability.id):
        raise ValueError(
            f"{capability.id!r} is no id of this {role.value}; write letters, digits, '_', '-', '.' and '/'"
        )
    requests: dict[str, BindingRequest] = {}
    claims: tuple[StateClaim, ...] = ()
    period: float | None = None
    if isinstance(part, CapabilityFactory):
        requests = dict(part.requests())
    if isinstance(part, (DriverFactory, PrescribedStateFactory)):
        claims = tuple(part.claims())
    if isinstance(part, DeviceFactory):
        period = part.descriptor.period_s
    elif isinstance(part, ObserverFactory):
        period = part.period_s
    return Registered(
        capability.id,
        role,
        capability,
        owner,
        requests,
        claims,
        period,
        device=part.descriptor if isinstance(part, DeviceFactory) else None,
        endpoint=part.endpoint if isinstance(part, DriverFactory) else None,
    )
