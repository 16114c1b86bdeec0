"""What the parts of a gamepad mean, as immutable data: names, chords, velocity and the stop."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

LONGEST_HOLD: Final = 10.0
"""Seconds after which a velocity that stays the same to the bit counts as a dead link, if nothing else is
said.
"""


@dataclass(frozen=True, slots=True)
class Trigger:
    """An axis that also counts as a button.

    ``rest`` and ``pressed`` are its values when let go and when fully pressed; from ``threshold`` of the way
    on it counts as a pressed button.
    """

    axis: int
    rest: float = 1.0
    pressed: float = -1.0
    threshold: float = 0.5

    def travel(self, value: float) -> float:
        """How far it is pressed, 0 to 1."""
        return min(max((value - self.rest) / (self.pressed - self.rest), 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Shaping:
    """How the deflection of ``axis`` (an axis or trigger by name) becomes a component of the velocity."""

    axis: str
    scale: float = 1.0
    expo: float = 0.0
    dead_zone: float = 0.0

    def apply(self, value: float) -> float:
        """The component for a deflection from -1 to 1; it begins with 0 at the edge of the dead zone."""
        beyond = abs(value) - self.dead_zone
        if beyond <= 0.0:
            return 0.0
        x = min(beyond / (1.0 - self.dead_zone), 1.0)
        return math.copysign((1.0 - self.expo) * x + self.expo * x**3, value) * self.scale


@dataclass(frozen=True, slots=True)
class Chord:
    """Buttons and triggers that, pressed together, give a slot a value."""

    press: frozenset[str]
    slot: str
    value: int


@dataclass(frozen=True, slots=True)
class GamepadMapping:
    """A gamepad: names to indices of the message, chords, components of the velocity, the stop buttons.

    Where ``hold_to_run`` names buttons or triggers, the velocity counts only while all of them are held. A
    velocity that stays the same to the bit for ``longest_hold`` seconds counts as a dead link.
    """

    buttons: Mapping[str, int] = field(default_factory=dict)
    axes: Mapping[str, int] = field(default_factory=dict)
    triggers: Mapping[str, Trigger] = field(default_factory=dict)
    chords: tuple[Chord, ...] = ()
    vx: Shaping | None = None
    vy: Shaping | None = None
    yaw: Shaping | None = None
    stop: frozenset[str] = frozenset()
    hold_to_run: frozenset[str] = frozenset()
    longest_hold: float = LONGEST_HOLD

    def outputs(self) -> dict[str, frozenset[int]]:
        """The values that each slot can take besides 0; slots that no chord sets are left out."""
        values: dict[str, set[int]] = {}
        for chord in self.chords:
            values.setdefault(chord.slot, set()).add(chord.value)
        return {slot: frozenset(found) for slot, found in values.items()}
