"""What a part names in the model, and what the names become once the model is compiled.

A part never holds numbers of MuJoCo before the model exists: it states requests, the builder resolves all of
them once, and the run gets the bindings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum


class BindingKind(str, Enum):
    """The kinds of named things in a model that a part may ask for."""

    JOINT = "joint"
    ACTUATOR = "actuator"
    SENSOR = "sensor"
    SITE = "site"
    BODY = "body"
    GEOM = "geom"
    CAMERA = "camera"


@dataclass(frozen=True, slots=True)
class BindingRequest:
    """One named thing of the model; ``field`` is the path of the config value that named it, such as
    ``sensor`` or ``joints[2]``, so that a missing name can be shown where it was written.
    """

    kind: BindingKind
    name: str
    field: str | None = None

    def __str__(self) -> str:
        return f"{self.kind.value} '{self.name}'"


@dataclass(frozen=True, slots=True)
class Binding:
    """A resolved request.

    ``id`` is the index among the things of its kind. ``address`` is where its values begin: in ``qpos`` for a
    joint, in ``sensordata`` for a sensor, in ``ctrl`` for an actuator, else the id. ``dof`` is where a
    joint's values begin in ``qvel``, else -1. ``size`` is the number of values at ``address``.
    """

    request: BindingRequest
    id: int
    address: int
    size: int
    dof: int = -1


class Bindings(Mapping[str, Binding]):
    """The resolved requests of one part, by the role that the part gave each."""

    __slots__ = ("_found",)

    def __init__(self, found: Mapping[str, Binding]) -> None:
        self._found = dict(found)

    def __getitem__(self, role: str) -> Binding:
        return self._found[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
