"""A Raspberry Pi that is not there, with the car's parts on its pins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPWMPin
from gpiozero.pins.pi import PiPin
from ks0223.parts import car

Edges = list[tuple[float, bool]]


class TriggerPin(MockPWMPin):
    """Calls ``on_fall`` when it goes from high to low."""

    on_fall: Callable[[], None] | None = None

    def _change_state(self, value: float) -> bool:
        before = self._state
        changed = bool(super()._change_state(value))
        if changed and before and not value and self.on_fall is not None:
            self.on_fall()
        return changed


class Board:
    """The pins; ``echo`` gives the edges that follow a trigger, as (seconds, level)."""

    def __init__(self) -> None:
        self.table = car("bridge.pins.table")
        self.factory = MockFactory(pin_class=MockPWMPin)
        self.trigger = self.factory.pin(f"GPIO{self.table.TRIGGER}", pin_class=TriggerPin)
        self.trigger.on_fall = self._answer
        self.echo: Callable[[], Edges] = list
        self._time = 100.0

    def close(self) -> None:
        self.factory.close()

    def pin(self, number: int) -> Any:
        return self.factory.pin(f"GPIO{number}")

    def sees(self, distance: float | None) -> None:
        """Echoes come back from this far; ``None`` for no answer."""
        width = None if distance is None else 2.0 * distance / 343.0
        self.echo = list if width is None else lambda: [(0.0005, True), (0.0005 + width, False)]

    def stands_on(self, levels: dict[int, int]) -> None:
        """The levels of the line sensors by pin."""
        for number, level in levels.items():
            pin = self.pin(number)
            pin.drive_high() if level else pin.drive_low()

    def edge(self, number: int, at: float, level: bool) -> None:
        """An edge with the time at which the kernel saw it."""
        PiPin._call_when_changed(self.pin(number), at, int(level))

    def motor(self, pins: Any) -> tuple[float, bool, bool]:
        """Duty and both direction levels."""
        return (
            float(self.pin(pins.speed).state),
            bool(self.pin(pins.first).state),
            bool(self.pin(pins.second).state),
        )

    def side(self, motors: tuple[Any, ...]) -> float:
        """The duty of a side, negative for back; both motors agree."""
        duties = []
        for pins in motors:
            duty, first, second = self.motor(pins)
            if duty == 0.0 or first == second:
                duties.append(0.0)
            else:
                duties.append(duty if (first, second) == pins.forward else -duty)
        assert len(set(duties)) == 1, duties
        return duties[0]

    def angle(self, number: int) -> float:
        """The angle that a servo's pulse asks for, in degrees."""
        return (float(self.pin(number).state) * 20000.0 - 500.0) / 11.0

    def _answer(self) -> None:
        self._time += 1.0
        for after, level in self.echo():
            self.edge(self.table.ECHO, self._time + after, level)
