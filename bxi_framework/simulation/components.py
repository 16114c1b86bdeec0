"""Components: reusable units of a simulation, declared in the manifest by type."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.capabilities import (
    DeviceFactory,
    DriverFactory,
    InteractionFactory,
    PrescribedStateFactory,
)
from bxi_framework.simulation.descriptors import EndpointDescriptor, InputDescriptor


@dataclass(frozen=True, slots=True)
class ComponentContributions:
    """Everything that one component brings, by role. A new role is a new field here, never a method of a
    component.
    """

    devices: tuple[DeviceFactory, ...] = ()
    endpoints: tuple[EndpointDescriptor, ...] = ()
    drivers: tuple[DriverFactory, ...] = ()
    inputs: tuple[InputDescriptor, ...] = ()
    prescribed_states: tuple[PrescribedStateFactory, ...] = ()
    interactions: tuple[InteractionFactory, ...] = ()

    def ids(self) -> Iterator[str]:
        """The id of every contribution."""
        for role in (
            self.devices,
            self.endpoints,
            self.drivers,
            self.inputs,
            self.prescribed_states,
            self.interactions,
        ):
            for each in role:
                yield each.id


@dataclass(frozen=True, slots=True)
class ComponentDefinition:
    """One instance of a component as a value: its id, its type and all that it contributes. It holds no
    numbers of MuJoCo and no live objects.
    """

    id: str
    type: str
    contributions: ComponentContributions


class ComponentFactory(ABC):
    """Makes the instances of one component type; here ends all that is particular to the type."""

    @property
    @abstractmethod
    def type(self) -> str:
        """The type as manifests write it, ``<namespace>/<name>``, such as ``bxi/rangefinder``."""

    @abstractmethod
    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        """Read and check the raw config, then give the instance with all its contributions.

        Raises:
            ParameterError: the config does not fit; its field path leads to the place in the manifest.
        """


class DuplicateTypeError(ValueError):
    """A component type was registered twice."""


class ComponentRegistry:
    """The component types of one build."""

    def __init__(self) -> None:
        self._factories: dict[str, ComponentFactory] = {}

    def __contains__(self, type_name: str) -> bool:
        return type_name in self._factories

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._factories))

    def add(self, factory: ComponentFactory) -> None:
        """Offer a type.

        Raises:
            DuplicateTypeError: another factory has this type.
        """
        if factory.type in self._factories:
            raise DuplicateTypeError(f"the component type '{factory.type}' is registered twice")
        self._factories[factory.type] = factory

    def factory(self, type_name: str) -> ComponentFactory:
        """The factory of a type; KeyError if there is none."""
        return self._factories[type_name]
