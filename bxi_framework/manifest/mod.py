"""A Mod's manifest as typed, immutable data. All names in it are full names (``<mod id>/<local>``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bxi_framework.manifest.node_decl import NodeDecl
from bxi_framework.manifest.versions import Constraint, Version
from bxi_framework.mod_api.speed import SpeedProfile

__all__ = [
    "ActionDecl",
    "EventDecl",
    "ModManifest",
    "NodeDecl",
    "Requirement",
    "RouteDecl",
    "RuntimeProfileDecl",
    "SpeedProfileDecl",
    "StateDecl",
    "StateLook",
    "TransitionProfileDecl",
    "TransitionRef",
]


@dataclass(frozen=True, slots=True)
class Requirement:
    """Another Mod that this one builds on; ``constraint`` is None for any version."""

    id: str
    constraint: Constraint | None
    optional: bool
    field: str


@dataclass(frozen=True, slots=True)
class EventDecl:
    """An input that routes and actions can name: ``slot`` changing to ``value`` (None: to any value but
    zero).
    """

    name: str
    slot: str
    value: int | None
    field: str


@dataclass(frozen=True, slots=True)
class StateLook:
    """How a state appears to an operator; ``index`` is a fixed place in the list, usually None."""

    label: str = ""
    priority: int = 0
    index: int | None = None
    group: str = ""
    icon: str = ""
    confirm: bool = False
    confirm_message: str = ""


@dataclass(frozen=True, slots=True)
class StateDecl:
    """A state: ``factory`` is ``module:Class`` or None when the entry plugin builds it; ``params`` is plain
    data.
    """

    name: str
    local: str
    factory: str | None
    id: int | None
    speed_profile: str | None
    params: Mapping[str, object]
    look: StateLook
    field: str


@dataclass(frozen=True, slots=True)
class TransitionRef:
    """Which transition a route uses: a profile by name with overrides, or (``profile`` None) an inline
    ``type``.
    """

    profile: str | None
    config: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RouteDecl:
    """An edge of the state graph, taken on ``event`` or ``after`` seconds in ``source``; exactly one of the
    two is set.
    """

    source: str
    event: str | None
    after: float | None
    target: str
    transition: TransitionRef | None
    delay: float
    field: str


@dataclass(frozen=True, slots=True)
class ActionDecl:
    """What a state is asked to do on an event without being left."""

    source: str
    event: str
    action: str
    label: str
    ui: bool
    field: str


@dataclass(frozen=True, slots=True)
class TransitionProfileDecl:
    """A named transition; ``config`` is plain data with a ``type``."""

    name: str
    config: Mapping[str, object]
    field: str


@dataclass(frozen=True, slots=True)
class SpeedProfileDecl:
    """A named speed profile."""

    name: str
    profile: SpeedProfile
    field: str


@dataclass(frozen=True, slots=True)
class RuntimeProfileDecl:
    """A named environment for process nodes; ``candidates`` are folders of the Mod, for the mode ``portable``
    only.
    """

    name: str
    mode: str
    candidates: tuple[str, ...]
    field: str


@dataclass(frozen=True, slots=True)
class ModManifest:
    """Everything ``mod.yaml`` says. ``text`` is kept so that a field path can be located when something is
    wrong later.
    """

    path: Path
    text: str
    id: str
    name: str
    version: Version
    api: Constraint
    enable: bool
    entrypoint: str | None
    visibility: str
    requires: tuple[Requirement, ...]
    conflicts: tuple[str, ...]
    python_exports: tuple[str, ...]
    required_imports: tuple[str, ...]
    required_packages: tuple[str, ...]
    required_libraries: tuple[str, ...]
    events: tuple[EventDecl, ...] = ()
    states: tuple[StateDecl, ...] = ()
    routes: tuple[RouteDecl, ...] = ()
    actions: tuple[ActionDecl, ...] = ()
    speed_profiles: tuple[SpeedProfileDecl, ...] = ()
    transition_profiles: tuple[TransitionProfileDecl, ...] = ()
    nodes: tuple[NodeDecl, ...] = ()
    runtime_profiles: tuple[RuntimeProfileDecl, ...] = ()

    @property
    def root(self) -> Path:
        """The Mod's folder."""
        return self.path.parent
