"""What an entry plugin returns and what it may use to get there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from bxi_framework.mod_api.build import StateBuildContext
from bxi_framework.mod_api.check import ModCheck
from bxi_framework.mod_api.resource import ResourceHandle, ResourceKey, ResourceLoader, ResourceLoading
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.mod_api.transition import SingleClassTransition

T = TypeVar("T")

StateFactory: TypeAlias = Callable[[StateBuildContext], RobotControlState]


class SimulationExtension(Protocol):
    """A part that a Mod offers to virtual robots: the class of an extension, a vehicle or a track.

    In place of the class an object with ``create(config)`` will do, which may import the simulation there and
    not before, so that the Mod also loads where none is installed; of a vehicle or track it gives the class.
    """

    @property
    def id(self) -> str:
        """Its name; not empty, and different from those of the Mod's other parts."""


@dataclass(frozen=True, slots=True)
class ModDefinition:
    """The code side of a Mod.

    ``state_factories`` holds a factory for every declared state, by local name; ``transition_plugins`` are
    own transition types; ``simulation_extensions`` are parts for virtual robots; ``checks`` are functions
    that look for trouble before a person does. What is given as lists is kept as tuples.
    """

    state_factories: Mapping[str, StateFactory] = field(default_factory=dict)
    transition_plugins: Sequence[type[SingleClassTransition]] = ()
    simulation_extensions: Sequence[SimulationExtension] = ()
    checks: Sequence[ModCheck] = ()

    def __post_init__(self) -> None:
        for name in ("transition_plugins", "simulation_extensions", "checks"):
            object.__setattr__(self, name, tuple(getattr(self, name)))


class ModLoadContext(Protocol):
    """What ``create_mod(context)`` may use."""

    @property
    def mod_id(self) -> str:
        """The Mod's id."""

    @property
    def root(self) -> Path:
        """The Mod's folder."""

    def asset(self, path: str) -> Path:
        """An existing file below ``assets/``, given from the Mod's root; see `ResourceLoadContext.asset`."""

    def register_resource(
        self,
        key: ResourceKey[T],
        loader: ResourceLoader[T],
        *,
        loading: ResourceLoading | None = None,
        policy: ResourceLoading | None = None,
    ) -> None:
        """Offer a resource under a key that begins with this Mod's id; ``loading`` (or ``policy``) defaults
        to ``lazy``.
        """

    def resource(self, key: ResourceKey[T]) -> ResourceHandle[T]:
        """A handle of a resource of this Mod or of one that it requires; nothing is loaded yet."""


ModFactory: TypeAlias = Callable[[ModLoadContext], ModDefinition]
NodeFactory: TypeAlias = Callable[[Any], Any]
