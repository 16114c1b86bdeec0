"""What ties a vehicle to one run: its part of the physics, and what it may do there just now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import Any, Protocol

from bxi_framework.simulation.bindings import Bindings
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.vehicles.states import CameraFrame


class Phase(str, Enum):
    """Which of its methods a vehicle is in."""

    IDLE = ""
    CONFIG = "apply_vehicle_config"
    RESET = "reset_vehicle"
    CONTROL = "apply_control"
    READ = "read_state"
    CAMERA = "try_read_camera_frame"
    PEERS = "set_peer_visibility"


class Cameras(Protocol):
    """Where the pictures of a vehicle come from."""

    def frame(self, camera: int) -> CameraFrame | None:
        """The newest picture of a camera of the model."""


class NotAllowedError(RuntimeError):
    """A vehicle did what it may not do at that time."""


class Link:
    """One vehicle in one run. ``bindings`` are the parts of its model by attribute; ``visible`` says whether
    other vehicles' cameras see it.
    """

    def __init__(self, vehicle_id: str, bindings: Bindings) -> None:
        self.vehicle_id = vehicle_id
        self.bindings = bindings
        self.phase = Phase.IDLE
        self.visible = True
        self.cameras: Cameras | None = None
        self._handles: Mapping[str, Any] = {}
        self._physics: Physics | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Link:
        """A snapshot keeps what a vehicle remembers, never the run that it is tied to."""
        return self

    @property
    def physics(self) -> Physics:
        """The run's physics.

        Raises:
            NotAllowedError: the run has not begun.
        """
        if self._physics is None:
            raise NotAllowedError(
                "the model is not there yet: parts can be used from apply_vehicle_config on, not in __init__"
            )
        return self._physics

    def connect(self, physics: Physics, handles: Callable[[Link], Mapping[str, Any]]) -> None:
        """The run begins."""
        self._physics = physics
        self._handles = handles(self)

    def handle(self, attribute: str) -> Any:
        """The handle of a part.

        Raises:
            NotAllowedError: the run has not begun.
        """
        handle = self._handles.get(attribute)
        if handle is None:
            _ = self.physics
            raise NotAllowedError(f"'{attribute}' is no part that the class declares")
        return handle

    @contextmanager
    def during(self, phase: Phase) -> Iterator[None]:
        """The vehicle is in one of its methods."""
        before, self.phase = self.phase, phase
        try:
            yield
        finally:
            self.phase = before

    def require(self, what: str, *phases: Phase) -> None:
        """Refuse what the vehicle may not do now.

        Raises:
            NotAllowedError: it is in none of the phases.
        """
        if self.phase not in phases:
            names = " and ".join(phase.value for phase in phases)
            now = "between its calls" if self.phase is Phase.IDLE else f"in {self.phase.value}"
            raise NotAllowedError(
                f"{what} of vehicle '{self.vehicle_id}' can be used in its own {names} alone, not {now}"
            )
