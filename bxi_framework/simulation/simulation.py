"""A simulation that was built: compiled, checked and frozen; every run begins here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bxi_framework.simulation.authority import Authority
from bxi_framework.simulation.descriptors import DeviceDescriptor, EndpointDescriptor, InputDescriptor
from bxi_framework.simulation.fitting import Fitted
from bxi_framework.simulation.instance import SimulationInstance
from bxi_framework.simulation.plan import Plan
from bxi_framework.simulation.registry import Role
from bxi_framework.simulation.scene import Scene
from bxi_framework.simulation.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Simulation:
    """``model`` is the compiled model with the overlay in it; nobody writes to it, each run has a copy.
    ``capabilities`` holds everything that was composed, with its bindings, by id.
    """

    scene: Scene
    model: Any
    capabilities: Mapping[str, Fitted]
    schedule: Schedule
    authorities: tuple[Authority, ...]
    plan: Plan

    def open(self, seed: int | None = None, *, check: bool = False) -> SimulationInstance:
        """Begin a run; ``seed`` is the scene's if none is given.

        With ``check`` every call of a part is followed by a look at the whole state, and a part that wrote
        what it has not claimed is named (`ClaimError`); this is slow and meant for tests.

        Raises:
            PartError: a part could not be made, or not be read.
            ReadingError: a device gave something else than its descriptor promises.
        """
        return SimulationInstance(
            self.model,
            self.capabilities,
            self.schedule,
            self.authorities,
            self.scene.seed if seed is None else seed,
            check=check,
        )

    @property
    def devices(self) -> Mapping[str, DeviceDescriptor]:
        """The devices by id."""
        return {each.registered.id: each.registered.part.descriptor for each in self._of(Role.DEVICE)}

    @property
    def endpoints(self) -> Mapping[str, EndpointDescriptor]:
        """The endpoints by id."""
        return {each.registered.id: each.registered.part for each in self._of(Role.ENDPOINT)}

    @property
    def inputs(self) -> Mapping[str, InputDescriptor]:
        """The external inputs by id."""
        return {each.registered.id: each.registered.part for each in self._of(Role.INPUT)}

    def _of(self, role: Role) -> list[Fitted]:
        return [each for each in self.capabilities.values() if each.registered.role is role]
