"""The state graph: everything the engine needs to decide, resolved and immutable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bxi_framework.manifest.mod import EventDecl, StateLook
from bxi_framework.mod_api.inference import Inference
from bxi_framework.mod_api.resource import ResourceHandle
from bxi_framework.mod_api.speed import SpeedProfile
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.mod_api.transition import SingleClassTransition


@dataclass(frozen=True, slots=True)
class NamedTransition:
    """A transition that was built and checked, with the name of its profile or its type."""

    name: str
    transition: SingleClassTransition


@dataclass(frozen=True, slots=True)
class Route:
    """An edge, taken on ``event`` or ``after`` seconds; ``order`` is its place among all routes of all
    Mods.
    """

    source: str
    target: str
    event: str | None
    after: float | None
    delay: float
    motion: NamedTransition
    order: int
    mod: str


@dataclass(frozen=True, slots=True)
class Action:
    """Something a state does on an event without being left."""

    event: str
    name: str
    label: str
    ui: bool
    order: int


@dataclass(frozen=True, slots=True)
class StateNode:
    """A state with its edges indexed for the tick. ``root`` is its Mod's folder, ``prepares`` says that it
    overrides `on_prepare`, ``nodes`` are the full names of those that must run before a switch to it begins,
    ``inferences`` are the models that it asks.
    """

    name: str
    mod: str
    root: Path
    index: int
    state: RobotControlState
    look: StateLook
    handles: tuple[ResourceHandle[Any], ...]
    prepares: bool
    routes: Mapping[str, Route]
    timed: tuple[Route, ...]
    actions: Mapping[str, Action]
    nodes: tuple[str, ...] = ()
    inferences: tuple[Inference, ...] = ()

    def is_ready(self) -> bool:
        """True if a switch to this state needs no preparation."""
        return not (self.prepares or self.nodes) and all(handle.ready for handle in self.handles)


@dataclass(frozen=True, slots=True)
class StateGraph:
    """All states, events and transitions of the running set, by full name."""

    states: Mapping[str, StateNode]
    events: Mapping[str, EventDecl]
    profiles: Mapping[str, NamedTransition]
    speed_profiles: Mapping[str, SpeedProfile]
    initial: str
    stop: str
    fault: str
    fault_motion: NamedTransition
    default_motion: NamedTransition

    @property
    def routes(self) -> list[Route]:
        """All routes in their order."""
        routes = [r for node in self.states.values() for r in (*node.routes.values(), *node.timed)]
        return sorted(routes, key=lambda route: route.order)

    def resolve_state(self, name: str, mod: str) -> StateNode | None:
        """A state by its full name, or by its local name within ``mod``."""
        return self.states.get(name) or self.states.get(f"{mod}/{name}")
