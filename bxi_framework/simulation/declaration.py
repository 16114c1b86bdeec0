"""What extensions get to do in their two phases."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bxi_framework.diagnostics import Report
from bxi_framework.simulation.capabilities import (
    DeviceFactory,
    DomainStateFactory,
    InteractionFactory,
    ObserverFactory,
    PrescribedStateFactory,
)
from bxi_framework.simulation.components import ComponentFactory, ComponentRegistry, DuplicateTypeError
from bxi_framework.simulation.descriptors import ComponentDescriptor, DeviceDescriptor, InputDescriptor
from bxi_framework.simulation.registry import CapabilityRegistry, DuplicateCapabilityError, Owner, Role


class Declaration:
    """The first phase: component types."""

    def __init__(self, types: ComponentRegistry, owner: Owner, report: Report) -> None:
        self._types = types
        self._owner = owner
        self._report = report
        self._over = False

    def end(self) -> None:
        """Take nothing more: the manifest is interpreted next."""
        self._over = True

    def add_component_type(self, factory: ComponentFactory) -> None:
        """See `Declaring`."""
        if self._over:
            raise RuntimeError(
                "the component type comes too late: an extension adds it in declare, not later"
            )
        if not isinstance(factory, ComponentFactory):
            raise TypeError(f"a component type must be a ComponentFactory, not a {type(factory).__name__}")
        try:
            self._types.add(factory)
        except DuplicateTypeError:
            self._report.add(
                self._owner.origin.diagnostic(
                    "component-type-twice",
                    f"The {self._owner} declares the component type '{factory.type}', which is taken.",
                    "Choose another name, '<namespace>/<name>'.",
                    subject=factory.type,
                )
            )


class Configuration:
    """The second phase: capabilities."""

    def __init__(
        self,
        registry: CapabilityRegistry,
        components: Mapping[str, ComponentDescriptor],
        owner: Owner,
        report: Report,
    ) -> None:
        self._registry = registry
        self._components = MappingProxyType(dict(components))
        self._owner = owner
        self._report = report
        self._over = False

    def end(self) -> None:
        """Take nothing more: what is added later would be in no schedule and in no plan."""
        self._over = True

    @property
    def components(self) -> Mapping[str, ComponentDescriptor]:
        """See `Configuring`."""
        return self._components

    @property
    def devices(self) -> Mapping[str, DeviceDescriptor]:
        """See `Configuring`."""
        return MappingProxyType(self._registry.devices())

    def add_device(self, factory: DeviceFactory) -> None:
        """See `Configuring`."""
        self._add(Role.DEVICE, factory)

    def add_input(self, descriptor: InputDescriptor) -> None:
        """See `Configuring`."""
        self._add(Role.INPUT, descriptor)

    def add_prescribed_state(self, factory: PrescribedStateFactory) -> None:
        """See `Configuring`."""
        self._add(Role.PRESCRIBED_STATE, factory)

    def add_domain_state(self, factory: DomainStateFactory) -> None:
        """See `Configuring`."""
        self._add(Role.DOMAIN_STATE, factory)

    def add_interaction(self, factory: InteractionFactory) -> None:
        """See `Configuring`."""
        self._add(Role.INTERACTION, factory)

    def add_observer(self, factory: ObserverFactory) -> None:
        """See `Configuring`."""
        self._add(Role.OBSERVER, factory)

    def _add(self, role: Role, part: Any) -> None:
        if self._over:
            raise RuntimeError(
                f"the {role.value} comes too late: an extension adds it in configure, not later"
            )
        register(self._registry, role, part, self._owner, self._report)


def register(registry: CapabilityRegistry, role: Role, part: Any, owner: Owner, report: Report) -> None:
    """Take a capability in; an id that is taken goes into the report.

    Raises:
        TypeError: the part is nothing of its role.
    """
    try:
        registry.add(role, part, owner)
    except DuplicateCapabilityError as error:
        report.add(
            owner.origin.diagnostic(
                "capability-twice",
                f"The {error.new} of {owner} has the id of the {error.known} of {error.known.owner}.",
                "Ids are unique among all capabilities; let them begin with the id of the instance.",
                subject=error.new.id,
            )
        )
