"""A track as a component: what it may move stands where its last reset put it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from bxi_framework.diagnostics.guard import describe_error
from bxi_framework.mod_api import ConfigReader
from bxi_framework.simulation.bindings import BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.capabilities import PrescribedStateFactory
from bxi_framework.simulation.components import ComponentContributions, ComponentDefinition, ComponentFactory
from bxi_framework.simulation.descriptors import ClaimKind, StateClaim
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import PrescribedStateRuntime, Values
from bxi_framework.simulation.vehicles.calls import VehicleCodeError
from bxi_framework.simulation.vehicles.track import Pose, Track
from bxi_framework.simulation.vehicles.vehicle_run import seed_for

TRACK = "track"
"""The id of the track's component."""


@dataclass(frozen=True)
class TrackEntry:
    """The track of a scene, checked: its class, its complete parameters, and what it may move."""

    cls: type[Track]
    parameters: Mapping[str, Any]
    movable: tuple[str, ...]

    def poses(self, seed: int) -> Mapping[str, Pose]:
        """Where a reset puts what is movable; what it leaves alone is not named.

        Raises:
            VehicleCodeError: the track's code failed.
        """
        try:
            track = self.cls(copy.deepcopy(dict(self.parameters)))
            return track.placed(seed)
        except (Exception, SystemExit) as error:
            said = f"reset_track of '{self.cls.id}' failed: {describe_error(error)}"
            raise VehicleCodeError(said) from error


class TrackComponent(ComponentFactory):
    """Gives the track of a scene as a component."""

    def __init__(self, entry: TrackEntry) -> None:
        self.author = entry.cls
        self._entry = entry

    @property
    def type(self) -> str:
        return self._entry.cls.id

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        movable = (MovableFactory(self._entry),) if self._entry.movable else ()
        return ComponentDefinition(instance_id, self.type, ComponentContributions(prescribed_states=movable))


@dataclass(frozen=True)
class MovableFactory(PrescribedStateFactory):
    """The places of all that the track may move."""

    entry: TrackEntry

    @property
    def id(self) -> str:
        return TRACK

    @property
    def author(self) -> type:
        """Whose code it runs."""
        return self.entry.cls

    def claims(self) -> tuple[StateClaim, ...]:
        return tuple(StateClaim(ClaimKind.BODY, name) for name in self.entry.movable)

    def requests(self) -> Mapping[str, BindingRequest]:
        return {name: BindingRequest(BindingKind.BODY, name) for name in self.entry.movable}

    def validate_model(self, model: mujoco.MjModel, bindings: Bindings) -> Iterable[str]:
        """Try one reset, so that what the track's code does wrong at once is found before any run."""
        self.entry.poses(0)
        return ()

    def create(self, bindings: Bindings, episode: Episode) -> Movable:
        return Movable(self.entry, bindings, seed_for(episode, TRACK))


class Movable(PrescribedStateRuntime):
    """Keeps everything movable where the reset put it."""

    def __init__(self, entry: TrackEntry, bindings: Bindings, seed: int) -> None:
        self.author = entry.cls
        self._entry = entry
        self._bindings = bindings
        self._seed = seed
        self._mocap: list[int] = []
        self._poses: Values = np.zeros((0, 7))

    def started(self, physics: Physics) -> None:
        model = physics.model
        bodies = [self._bindings[name].id for name in self._entry.movable]
        self._mocap = [int(model.body_mocapid[body]) for body in bodies]
        self._poses = np.hstack([model.body_pos[bodies], model.body_quat[bodies]])
        placed = self._entry.poses(self._seed)
        for row, name in enumerate(self._entry.movable):
            if name in placed:
                self._poses[row] = placed[name]
        self._write(physics)

    def prescribe(self, physics: Physics, inputs: Mapping[str, Values]) -> None:
        self._write(physics)

    def _write(self, physics: Physics) -> None:
        physics.data.mocap_pos[self._mocap] = self._poses[:, :3]
        physics.data.mocap_quat[self._mocap] = self._poses[:, 3:]
