"""`Track`: the base class of worlds that are made from parameters."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, final

from bxi_framework.simulation.scene import ModelText
from bxi_framework.simulation.vehicles.descriptor import TrackDescriptor
from bxi_framework.simulation.vehicles.states import Vector

Pose = tuple[float, float, float, float, float, float, float]


class Track(ABC):
    """A world. An object is made with its parameters, which fit the schema and are complete with defaults;
    `make_model` is the one method to write.

    What stands in the world is fixed by its model, before the simulation is built. During runs a track moves
    only the mocap bodies that `movable` names, and only in `reset_track`.
    """

    descriptor: ClassVar[TrackDescriptor]
    id: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.id = getattr(getattr(cls, "descriptor", None), "id", "")

    @classmethod
    def create(cls, config: Mapping[str, Any]) -> type[Track]:
        """The class itself: what a Mod offers under its id. For loaders."""
        return cls

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self.parameters = dict(parameters)
        self._poses: dict[str, Pose] = {}
        self._resetting = False

    @abstractmethod
    def make_model(self) -> str | Path | ModelText:
        """The MJCF of the world for `parameters`: a path from the folder of the class's file, or a
        `ModelText`. The same parameters give the same model.
        """

    def movable(self) -> Sequence[str]:
        """The mocap bodies of the model that `reset_track` may move. By default none."""
        return ()

    def reset_track(self, seed: int) -> None:  # noqa: B027
        """Move what is movable at the start of a run, drawing from ``seed`` alone. What is not moved stands
        where the model puts it. By default nothing moves.
        """

    @final
    def placed(self, seed: int) -> Mapping[str, Pose]:
        """Reset, and give where everything was put: (x, y, z, w, qx, qy, qz) by body. For the framework."""
        self._poses = {}
        self._resetting = True
        try:
            self.reset_track(seed)
        finally:
            self._resetting = False
        return self._poses

    @final
    def place(self, body: str, position: Vector, yaw: float = 0.0) -> None:
        """Put a movable body somewhere in the world (m, rad around the upward axis); in reset_track.

        Raises:
            ValueError: the body is not movable, or a number is not finite.
            RuntimeError: reset_track does not run.
        """
        if not self._resetting:
            raise RuntimeError(f"'{body}' can be placed in reset_track alone")
        if body not in self.movable():
            names = ", ".join(self.movable()) or "nothing"
            raise ValueError(f"'{body}' is not movable; movable() names {names}")
        x, y, z = (float(value) for value in position)
        if not all(math.isfinite(value) for value in (x, y, z, yaw)):
            raise ValueError(f"the place of '{body}' must be finite, not {position}, {yaw}")
        self._poses[body] = (x, y, z, math.cos(yaw / 2.0), 0.0, 0.0, math.sin(yaw / 2.0))
