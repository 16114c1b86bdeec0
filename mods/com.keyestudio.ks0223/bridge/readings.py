"""What the car says, each reading with the monotonic time at which it was made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Stamped(Generic[T]):
    """A reading; ``at`` is in monotonic seconds."""

    value: T
    at: float


@dataclass(frozen=True)
class Echo:
    """What the distance sensor said: metres, or ``None`` with the reason. ``angle`` is that of its servo in
    degrees, 90 is straight ahead and more is left.
    """

    distance: float | None
    reason: str
    angle: float


@dataclass(frozen=True)
class CarReadings:
    """The newest of everything; ``None`` while nothing was heard.

    ``line`` is left, centre and right, 1 for black; ``picture`` is a whole JPEG; ``infrared`` the last code
    of a remote control; ``servos`` the angles (degrees) at which ultrasonic pan, camera tilt and camera pan
    are believed to be.
    """

    echo: Stamped[Echo] | None = None
    line: Stamped[tuple[int, int, int]] | None = None
    picture: Stamped[bytes] | None = None
    infrared: Stamped[int] | None = None
    servos: tuple[float, float, float] = (90.0, 90.0, 90.0)


@dataclass(frozen=True)
class Part:
    """How one part of a transport does. ``level`` is ``ok``, ``warn`` or ``error``; ``values`` are figures
    for people.
    """

    name: str
    level: str
    message: str
    values: dict[str, str] = field(default_factory=dict)
