"""What is to be simulated, as a value: read from a manifest or written in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as default
from pathlib import Path
from typing import Any

from bxi_framework.simulation.origin import Origin
from bxi_framework.simulation.overlay import OverlayItem


@dataclass(frozen=True, slots=True)
class ModelText:
    """A model given as MJCF text, for scenes made by code; ``assets`` are the files that it names."""

    xml: str
    assets: Mapping[str, bytes] = default(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComposedModel:
    """A model put together from several: the MuJoCo spec of all, and what it was made of, each under its
    prefix (empty for the world).
    """

    spec: Any
    sources: tuple[tuple[str, Path | ModelText], ...]


@dataclass(frozen=True, slots=True)
class TrackDecl:
    """The world by the id of its track, with the parameters that differ from its defaults."""

    id: str
    parameters: Mapping[str, object] = default(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VehicleDecl:
    """One vehicle: its id in the world, the id of its kind, where it stands (x and y in m, yaw in rad to the
    left from the x axis), and its config.
    """

    id: str
    vehicle: str
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    config: Mapping[str, object] = default(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComponentDecl:
    """One entry of ``components``."""

    id: str
    type: str
    config: Mapping[str, object] = default(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExtensionDecl:
    """One entry of ``extensions``."""

    id: str
    config: Mapping[str, object] = default(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scene:
    """What a build starts from.

    ``model`` is the path of an MJCF file, or its text; a scene with a ``track`` has none, for the track makes
    it. ``vehicles`` stand in that world, each under its id as prefix. ``timestep`` and ``control_period`` are
    seconds; the period is a whole multiple of the timestep. ``seed`` is that of a run for which none is
    given. The order of components, extensions, vehicles and overlay items has no meaning. ``path`` and
    ``text`` are those of the manifest, if the scene was read from one.
    """

    model: Path | ModelText | ComposedModel | None
    timestep: float
    control_period: float
    seed: int = 0
    components: tuple[ComponentDecl, ...] = ()
    extensions: tuple[ExtensionDecl, ...] = ()
    overlay: tuple[OverlayItem, ...] = ()
    track: TrackDecl | None = None
    vehicles: tuple[VehicleDecl, ...] = ()
    path: Path | None = None
    text: str = default(default="", repr=False)

    def origin(self, field: str) -> Origin:
        """The place of a field of this scene."""
        return Origin(field, None if self.path is None else str(self.path), self.text)
