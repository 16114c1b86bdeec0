"""What a part can bring into a build, one factory for each role.

A factory is a value of construction time: it states its id, what it needs of the model and what it claims,
checks the compiled model, and makes the object that lives for one run. Schedule and authority are derived
from these values alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

import mujoco

from bxi_framework.simulation.bindings import BindingRequest, Bindings
from bxi_framework.simulation.descriptors import DeviceDescriptor, StateClaim
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.runtime import (
    DeviceRuntime,
    DriverRuntime,
    InteractionRuntime,
    ObserverRuntime,
    PrescribedStateRuntime,
    Runtime,
)

R_co = TypeVar("R_co", bound=Runtime, covariant=True)


class CapabilityFactory(ABC, Generic[R_co]):
    """The base of all roles."""

    @property
    @abstractmethod
    def id(self) -> str:
        """Unique among all capabilities of the build."""

    def requests(self) -> Mapping[str, BindingRequest]:
        """What it needs of the model, by role; resolved once, before `validate_model`."""
        return {}

    def validate_model(self, model: mujoco.MjModel, bindings: Bindings) -> Iterable[str]:
        """What is wrong with the compiled model, one sentence each; nothing if it fits."""
        return ()

    @abstractmethod
    def create(self, bindings: Bindings, episode: Episode) -> R_co:
        """The object for one run, in its state at the start."""


class DeviceFactory(CapabilityFactory[DeviceRuntime]):
    """A device that is read."""

    @property
    @abstractmethod
    def descriptor(self) -> DeviceDescriptor:
        """What it gives and how often."""

    @property
    def id(self) -> str:
        return self.descriptor.id


class DriverFactory(CapabilityFactory[DriverRuntime]):
    """What turns the commands of one endpoint into controls; it is the only writer of what it claims."""

    @property
    @abstractmethod
    def endpoint(self) -> str:
        """The id of the endpoint whose commands it takes."""

    @abstractmethod
    def claims(self) -> tuple[StateClaim, ...]:
        """The actuators (or joints) that it writes; never empty."""


class PrescribedStateFactory(CapabilityFactory[PrescribedStateRuntime]):
    """State that is set, not simulated: its claims and what enforces them are one capability."""

    @abstractmethod
    def claims(self) -> tuple[StateClaim, ...]:
        """The joints or mocap bodies that it writes; never empty."""


class InteractionFactory(CapabilityFactory[InteractionRuntime]):
    """What acts between parts."""


class ObserverFactory(CapabilityFactory[ObserverRuntime]):
    """What looks at the run and changes nothing."""

    @property
    @abstractmethod
    def period_s(self) -> float:
        """Seconds between two looks."""


class DomainStateFactory(CapabilityFactory[Runtime]):
    """State of an application that is part of the run: reset, kept and restored with it; found by id from the
    extension that made it.
    """


Config = Mapping[str, Any]
"""Plain data as a manifest gives it."""
