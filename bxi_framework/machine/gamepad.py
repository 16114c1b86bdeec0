"""A gamepad's messages as slot values, a velocity wish and the stop; `events` then finds the edges.

Whatever arrives, nothing here raises: an input that the message lacks, or that is no number, counts as let go
and is named once. An input counts only after it was seen at rest, because before its first touch a trigger
reports the middle of its range and a button may be stuck.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from bxi_framework.machine.gamepad_mapping import Chord, GamepadMapping, Shaping
from bxi_framework.manifest.names import SLOT_NAMES

AT_REST: Final = 0.1
"""A deflection up to this part of the full one is rest: worn sticks do not return to their exact middle."""

HYSTERESIS: Final = 0.1
"""A trigger lets go this much below the threshold at which it was pressed."""

LARGEST_AXIS: Final = 100.0
"""Axes are from -1 to 1. A little more is a driver's rounding or scale; beyond this it is no reading."""

Velocity = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class GamepadState:
    """What one message means.

    ``slots`` are the values in the order of `SLOT_NAMES`, 0 at rest; ``velocity`` is the wish (forward, left,
    turn left), each from -1 to 1 times its scale; ``stop`` is true while the stop buttons are held.
    """

    slots: tuple[int, ...]
    velocity: Velocity
    stop: bool


@dataclass(slots=True)
class _Hold:
    """A chord until all its buttons are let go; ``sounding`` while all of them are pressed."""

    chord: Chord
    sounding: bool = True


class Gamepad:
    """Follows one gamepad from message to message.

    A chord sounds when the pressed buttons are exactly its own and one of them has just been pressed. From
    then on its buttons take part in no other chord until all of them are let go; the slot keeps the value
    while all are held.

    Args:
        mapping: what the buttons and axes mean.
        warn: takes one sentence about each input that is missing or not a number, once.
    """

    def __init__(self, mapping: GamepadMapping, warn: Callable[[str], None]) -> None:
        self._mapping = mapping
        self._warn = warn
        self._warned: set[str] = set()
        self._chords = {chord.press: chord for chord in mapping.chords}
        self.reset()

    @property
    def mapping(self) -> GamepadMapping:
        """What the buttons and axes mean."""
        return self._mapping

    def reset(self) -> None:
        """Forget everything about the inputs, as after a reconnect: each must be seen at rest again."""
        self._rested: set[str] = set()
        self._pressed: set[str] = set()
        self._holds: list[_Hold] = []

    def update(self, axes: Sequence[float], buttons: Sequence[int]) -> GamepadState:
        """Take in one message.

        Args:
            axes: deflections, from -1 to 1.
            buttons: 0 for let go, anything else for pressed.
        """
        if self._says_nothing(axes):
            self._rested -= self._mapping.triggers.keys()
        deflection = self._deflections(axes)
        down = {name for name, index in self._mapping.buttons.items() if self._button(name, index, buttons)}
        rested = self._rested
        rested.update(self._mapping.buttons.keys() - down - self._missing(buttons))
        pulled = self._pulled(deflection)
        pressed = (down & rested) | pulled
        mapping = self._mapping
        runs = mapping.hold_to_run <= pressed
        self._follow_chords(pressed - mapping.hold_to_run)
        self._pressed = pressed
        parts = (mapping.vx, mapping.vy, mapping.yaw)
        vx, vy, yaw = (self._component(part, deflection) if runs else 0.0 for part in parts)
        return GamepadState(
            self._slots(), (vx, vy, yaw), bool(mapping.stop) and mapping.stop <= down | pulled
        )

    # Inputs

    def _deflections(self, axes: Sequence[float]) -> dict[str, float]:
        """How far each axis and trigger is from rest; what was never seen at rest is 0."""
        found = {}
        for name, index in self._mapping.axes.items():
            value = self._axis(name, index, axes)
            found[name] = 0.0 if value is None else self._once_rested(name, min(max(value, -1.0), 1.0))
        for name, trigger in self._mapping.triggers.items():
            value = self._axis(name, trigger.axis, axes)
            found[name] = 0.0 if value is None else self._once_rested(name, trigger.travel(value))
        return found

    def _says_nothing(self, axes: Sequence[float]) -> bool:
        """True if all axes are exactly zero, though triggers that are let go report something else: a driver
        that has not heard from its pad, or has lost it, fills its messages so. A single trigger may well be
        half pressed.
        """
        half_pressed = [each for each in self._mapping.triggers.values() if each.travel(0.0) > AT_REST]
        return len(half_pressed) > 1 and not any(axes)

    def _once_rested(self, name: str, deflection: float) -> float:
        if abs(deflection) <= AT_REST:
            self._rested.add(name)
        return deflection if name in self._rested else 0.0

    def _pulled(self, deflection: dict[str, float]) -> set[str]:
        found = set()
        for name, trigger in self._mapping.triggers.items():
            margin = HYSTERESIS if name in self._pressed else 0.0
            if deflection[name] >= trigger.threshold - margin:
                found.add(name)
        return found

    def _axis(self, name: str, index: int, axes: Sequence[float]) -> float | None:
        if index >= len(axes):
            self._once(f"the gamepad has no axis {index} ({name}): its messages have {len(axes)} axes")
            return None
        value = float(axes[index])
        if math.isfinite(value) and abs(value) > LARGEST_AXIS:
            self._once(f"axis {index} ({name}) of the gamepad is at {value:g}; it counts as let go")
            return None
        if not math.isfinite(value):
            self._once(f"axis {index} ({name}) of the gamepad is not a finite number; it counts as let go")
            return None
        return value

    def _button(self, name: str, index: int, buttons: Sequence[int]) -> bool:
        if index >= len(buttons):
            self._once(
                f"the gamepad has no button {index} ({name}): its messages have {len(buttons)} buttons"
            )
            return False
        return bool(buttons[index])

    def _missing(self, buttons: Sequence[int]) -> set[str]:
        count = len(buttons)
        return {name for name, index in self._mapping.buttons.items() if index >= count}

    def _once(self, message: str) -> None:
        key = message.partition(":")[0]
        if key not in self._warned:
            self._warned.add(key)
            self._warn(message)

    # Outputs

    def _follow_chords(self, pressed: set[str]) -> None:
        self._holds = [hold for hold in self._holds if hold.chord.press & pressed]
        busy: set[str] = set()
        for hold in self._holds:
            hold.sounding = hold.sounding and hold.chord.press <= pressed
            busy |= hold.chord.press
        free = pressed - busy
        if free <= self._pressed:
            return
        chord = self._chords.get(frozenset(free))
        if chord is None:
            return
        for hold in self._holds:
            if hold.chord.slot == chord.slot:
                hold.sounding = False
        self._holds.append(_Hold(chord))

    def _slots(self) -> tuple[int, ...]:
        values = {hold.chord.slot: hold.chord.value for hold in self._holds if hold.sounding}
        return tuple(values.get(name, 0) for name in SLOT_NAMES)

    @staticmethod
    def _component(shaping: Shaping | None, deflection: dict[str, float]) -> float:
        return 0.0 if shaping is None else shaping.apply(deflection[shaping.axis])
