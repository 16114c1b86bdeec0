"""What a part says of itself: plain values from which schedule, authorities and the plan are derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Channel:
    """One array of numbers that goes in or out: its unit as text (``rad``, ``m``; empty for none), its shape
    (empty for a single number) and its type as numpy names it (``uint8`` for images).
    """

    name: str
    unit: str
    shape: tuple[int, ...]
    dtype: str = "float64"


@dataclass(frozen=True, slots=True)
class DeviceDescriptor:
    """A device that is read: its id (unique in the build), its kind (such as ``rangefinder``), the period of
    its readings in seconds, its channels, and properties worth showing, such as a range, of
    which it keeps a copy that nobody changes.
    """

    id: str
    kind: str
    period_s: float
    channels: tuple[Channel, ...]
    properties: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "properties", _frozen(self.properties))


def _frozen(value: object) -> object:
    if isinstance(value, Mapping):
        return MappingProxyType({key: _frozen(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(item) for item in value)
    return value


@dataclass(frozen=True, slots=True)
class EndpointDescriptor:
    """Where commands for actuators arrive: ``command`` gives the shape of one command; ``joints`` the names
    of its columns in order; ``neutral`` is the command until the first one came, as a flat tuple in
    row-major order, and again after ``timeout_s`` seconds of simulated time without a new one (None: never).
    """

    id: str
    kind: str
    command: Channel
    joints: tuple[str, ...]
    neutral: tuple[float, ...]
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class InputDescriptor:
    """A source outside the simulation: the shape of one value, the value before the first one came (flat,
    row-major), and after how many seconds of simulated time without a new one it falls back to that value
    (None: never).
    """

    id: str
    value: Channel
    neutral: tuple[float, ...]
    timeout_s: float | None = None


class ClaimKind(str, Enum):
    """What of the state or the controls of the model one part alone may write."""

    JOINT = "joint"
    BODY = "body"
    ACTUATOR = "actuator"


@dataclass(frozen=True, slots=True)
class StateClaim:
    """The right to write one thing of the model; two claims on the same thing refuse the build."""

    kind: ClaimKind
    name: str

    def __str__(self) -> str:
        return f"{self.kind.value} '{self.name}'"


@dataclass(frozen=True, slots=True)
class ComponentDescriptor:
    """A component of the build as others see it: its id, its type, the hash of its config (sha256 over
    canonical JSON), and the ids of everything that it contributes.
    """

    id: str
    type: str
    config_hash: str
    contributes: tuple[str, ...] = ()
