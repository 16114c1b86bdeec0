"""What lives for one run: made from resolved bindings and the episode, never from names."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bxi_framework.simulation.physics import Physics

Values = NDArray[np.float64]

Reading = Mapping[str, NDArray[Any]]
"""For each channel of a device an array of its shape and type."""


class Runtime(ABC):  # noqa: B024 - what is abstract differs by role
    """The base of everything that lives for one run.

    ``kept`` names the attributes that change while it runs; a snapshot copies them deeply, and a restore puts
    them back. What a part wrote into ``physics.model`` is not in the snapshot of ``data``: such a part writes
    it again in `restored`.
    """

    kept: ClassVar[tuple[str, ...]] = ()

    def snapshot(self) -> Mapping[str, Any]:
        """A copy of all that changes."""
        return {name: copy.deepcopy(getattr(self, name)) for name in self.kept}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Take back what `snapshot` gave; the snapshot stays usable."""
        for name, value in kept.items():
            setattr(self, name, copy.deepcopy(value))

    def started(self, physics: Physics) -> None:  # noqa: B027 - most parts have no state to set
        """Called once when a run begins and after every reset, with the model and the data as compiled and
        before anything is read: the place to write what the part claims. In the order of the control period:
        prescribed states, interactions, drivers, then devices and observers, each by id.
        """

    def restored(self, physics: Physics) -> None:  # noqa: B027 - most parts write nothing into the model
        """Called after every restore, once all parts and the physics are back."""

    def close(self) -> None:  # noqa: B027 - most parts hold nothing
        """Called once at the end: threads, windows and files end here."""


class DeviceRuntime(Runtime):
    """Reads one device at the period of its descriptor."""

    @abstractmethod
    def sample(self, physics: Physics) -> Reading:
        """A new reading at ``physics.data.time``. The arrays may be reused; whoever keeps a reading copies
        it.
        """


class DriverRuntime(Runtime):
    """Turns the newest command of an endpoint into controls, once each control period."""

    @abstractmethod
    def drive(self, physics: Physics, command: Values) -> None:
        """Write the controls; ``command`` has the endpoint's shape and is finite and read-only."""


class PrescribedStateRuntime(Runtime):
    """Writes the state that its factory claims, once each control period, before everything else."""

    @abstractmethod
    def prescribe(self, physics: Physics, inputs: Mapping[str, Values]) -> None:
        """Write the claimed state for ``physics.data.time``; ``inputs`` holds the newest value of every input
        of the build.
        """


class InteractionRuntime(Runtime):
    """Acts between parts, once each control period after the prescribed states: adds forces, couples inputs
    with the world.
    """

    @abstractmethod
    def act(self, physics: Physics, inputs: Mapping[str, Values]) -> None:
        """Act at ``physics.data.time``."""


class ObserverRuntime(Runtime):
    """Looks at the run at its own period and changes nothing."""

    @abstractmethod
    def observe(self, physics: Physics) -> None:
        """Take note of the state at ``physics.data.time``."""
