"""What is to be simulated, as a value: read from a manifest or written in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as default
from pathlib import Path

from bxi_framework.simulation.origin import Origin
from bxi_framework.simulation.overlay import OverlayItem


@dataclass(frozen=True, slots=True)
class ModelText:
    """A model given as MJCF text, for scenes made by code; ``assets`` are the files that it names."""

    xml: str
    assets: Mapping[str, bytes] = default(default_factory=dict)


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

    ``model`` is the path of an MJCF file, or its text. ``timestep`` and ``control_period`` are seconds; the
    period is a whole multiple of the timestep. ``seed`` is that of a run for which none is given. The order
    of components, extensions and overlay items has no meaning. ``path`` and ``text`` are those of the
    manifest, if the scene was read from one.
    """

    model: Path | ModelText
    timestep: float
    control_period: float
    seed: int = 0
    components: tuple[ComponentDecl, ...] = ()
    extensions: tuple[ExtensionDecl, ...] = ()
    overlay: tuple[OverlayItem, ...] = ()
    path: Path | None = None
    text: str = default(default="", repr=False)

    def origin(self, field: str) -> Origin:
        """The place of a field of this scene."""
        return Origin(field, None if self.path is None else str(self.path), self.text)
