"""Looking left, ahead and right with the distance sensor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from bxi_framework.mod_api import StateContext

from .states import CarParams, CarState

LEFT, AHEAD, RIGHT = "ultrasonic/left", "ultrasonic/front", "ultrasonic/right"
ANGLES: Final[Mapping[str, float]] = {LEFT: math.radians(60.0), AHEAD: 0.0, RIGHT: math.radians(-60.0)}
"""Where the sensor points for each topic, in rad to the left."""

RANGE: Final = "sensor_msgs/msg/Range"


@dataclass(frozen=True)
class Sight:
    """What the sensor said of one direction. ``known`` is False if no fresh reading came at all; ``distance``
    is in metres, ``None`` without an echo, which means neither free nor blocked.
    """

    known: bool
    distance: float | None

    def __str__(self) -> str:
        if self.distance is not None:
            return f"{self.distance:.2f} m"
        return "no echo" if self.known else "no reading"


def sight(ctx: StateContext, topic: str, limit: float) -> Sight:
    """What was seen in a direction within the last ``limit`` seconds."""
    heard = ctx.heard(topic)
    if heard is None or heard.age > limit:
        return Sight(False, None)
    distance = float(heard.message.range)
    return Sight(True, distance if math.isfinite(distance) else None)


class Sweep:
    """Points the sensor to one direction after the other and takes what it says there.

    Args:
        order: topics, in the order of the look.
        patience: seconds to wait for a reading of one direction.
    """

    def __init__(self, order: tuple[str, ...], patience: float) -> None:
        self._order = order
        self._patience = patience
        self._step = 0
        self._waited = 0.0
        self.seen: dict[str, Sight] = {}

    @property
    def done(self) -> bool:
        """True once all directions were looked at."""
        return self._step >= len(self._order)

    @property
    def look(self) -> float:
        """Where to point the sensor now, rad to the left."""
        return 0.0 if self.done else ANGLES[self._order[self._step]]

    def advance(self, ctx: StateContext, dt: float) -> None:
        """Let ``dt`` seconds pass. A reading counts if it was made after the look in its direction began."""
        if self.done:
            return
        topic = self._order[self._step]
        self._waited += dt
        found = sight(ctx, topic, self._waited)
        if found.known or self._waited >= self._patience:
            self.seen[topic] = found
            self._step += 1
            self._waited = 0.0


@dataclass(frozen=True)
class LookParams(CarParams):
    """``pause`` seconds between two sweeps; ``patience`` seconds for one direction."""

    pause: float = 1.0
    patience: float = 2.0


class LookAround(CarState[LookParams]):
    """Stands still and looks left, ahead and right, again and again. The bridge publishes what is seen there
    as ``ultrasonic/left``, ``ultrasonic/front`` and ``ultrasonic/right``.
    """

    Params = LookParams
    listens: ClassVar[Mapping[str, str]] = dict.fromkeys(ANGLES, RANGE)

    def __init__(self, name: str, state_id: int, params: LookParams) -> None:
        super().__init__(name, state_id, params)
        self._sweep = self._new_sweep()
        self._pause = 0.0
        self.seen: Mapping[str, Sight] = {}
        """What the last whole sweep saw, by topic."""

    def on_enter(self, ctx: StateContext) -> None:
        """Begin a sweep."""
        self._sweep, self._pause = self._new_sweep(), 0.0

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Go on with the sweep, or wait for the next one."""
        if self._sweep.done:
            self._pause -= dt
            if self._pause <= 0.0:
                self._sweep = self._new_sweep()
        else:
            self._sweep.advance(ctx, dt)
            if self._sweep.done:
                self._finish()
        ctx.set_motor_target(self.drive_frame(ctx, 0.0, 0.0, look=self._sweep.look))

    def _finish(self) -> None:
        self.seen = dict(self._sweep.seen)
        self._pause = self.params.pause
        left, ahead, right = (self.seen[topic] for topic in (LEFT, AHEAD, RIGHT))
        self.logger.info(f"left {left}, ahead {ahead}, right {right}")

    def _new_sweep(self) -> Sweep:
        return Sweep((LEFT, AHEAD, RIGHT), self.params.patience)
