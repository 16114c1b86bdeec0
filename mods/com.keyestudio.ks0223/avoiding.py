"""Drives about without touching anything: stops before an obstacle, looks, and turns to the freer side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from bxi_framework.mod_api import StateContext

from .looking import AHEAD, ANGLES, LEFT, RANGE, RIGHT, Sight, Sweep, sight
from .states import CarParams, CarState


@dataclass(frozen=True)
class AvoidParams(CarParams):
    """Metres, m/s, rad, rad/s and seconds.

    It stops below ``stop_distance`` and drives at ``slow`` below ``slow_distance``. Without an echo it drives
    at ``slow``, and after ``blind`` seconds it stops and looks. It also looks every ``look_every`` seconds,
    and turns away from a side that is nearer than ``side_distance``. A reading older than ``stale`` stops it
    at once.
    """

    speed: float = 0.18
    slow: float = 0.12
    stop_distance: float = 0.2
    slow_distance: float = 0.5
    turn: float = 1.6
    turn_angle: float = 1.2
    blind: float = 1.0
    stale: float = 0.6
    look_every: float = 1.6
    side_distance: float = 0.4
    patience: float = 2.0


class Phase(Enum):
    """What it is at."""

    DRIVE = "drive"
    LOOK = "look"
    TURN = "turn"


class Avoid(CarState[AvoidParams]):
    """An echo that is missing means neither free nor blocked: it slows down, then stops and looks around. A
    side of which nothing is known is chosen only if the other one is blocked, and then it turns half as
    far.
    """

    Params = AvoidParams
    listens: ClassVar[Mapping[str, str]] = dict.fromkeys(ANGLES, RANGE)

    def __init__(self, name: str, state_id: int, params: AvoidParams) -> None:
        super().__init__(name, state_id, params)
        self.phase = Phase.DRIVE
        self._blind = 0.0
        self._driven = 0.0
        self._way = 0.0
        self._turning = 0.0
        self._sweep = self._new_sweep()

    def on_enter(self, ctx: StateContext) -> None:
        """Look first, then drive."""
        self._begin_look()

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Drive, look or turn."""
        if self.phase is Phase.LOOK:
            self._sweep.advance(ctx, dt)
            speed, turn, look = 0.0, 0.0, self._sweep.look
            if self._sweep.done:
                self._decide()
        elif self.phase is Phase.TURN:
            self._turning -= dt
            speed, turn, look = 0.0, self._way * self.params.turn, 0.0
            if self._turning <= 0.0:
                turn = 0.0
                self._begin_look((AHEAD,))
        else:
            self._driven += dt
            speed, turn, look = self._speed(sight(ctx, AHEAD, self.params.stale), dt), 0.0, 0.0
            if self._driven >= self.params.look_every and self.phase is Phase.DRIVE:
                self._begin_look()
        ctx.set_motor_target(self.drive_frame(ctx, speed, turn, look=look))

    def _speed(self, ahead: Sight, dt: float) -> float:
        params = self.params
        if not ahead.known:
            self.logger.warning("no distance reading: it stands", throttle_duration_sec=5.0)
            return 0.0
        if ahead.distance is None:
            self._blind += dt
            if self._blind >= params.blind:
                self._begin_look()
                return 0.0
            return params.slow
        self._blind = 0.0
        if ahead.distance < params.stop_distance:
            self._begin_look()
            return 0.0
        return params.slow if ahead.distance < params.slow_distance else params.speed

    def _decide(self) -> None:
        """After a look: on, or to the freer side."""
        params = self.params
        ahead = self._sweep.seen.get(AHEAD, Sight(False, None))
        if ahead.distance is not None and ahead.distance >= params.slow_distance:
            self._way = self._away_from_a_side()
            if self._way != 0.0:
                self.phase, self._turning = Phase.TURN, 0.5 * params.turn_angle / params.turn
                return
            self._blind = self._driven = 0.0
            self.phase = Phase.DRIVE
            return
        if LEFT not in self._sweep.seen:
            self._begin_look()
            return
        left, right = self._sweep.seen[LEFT], self._sweep.seen[RIGHT]
        self._way, share = _freer(left, right, params.slow_distance)
        if self._way == 0.0:
            self.logger.warning("nothing is known of either side: it stands", throttle_duration_sec=5.0)
            self._begin_look()
            return
        self.phase, self._turning = Phase.TURN, share * params.turn_angle / params.turn

    def _away_from_a_side(self) -> float:
        """1 for left, -1 for right, 0 if no side is too near or both are: the beam ahead does not see a wall
        that the car closes in on from the side.
        """
        near = {
            topic: seen.distance is not None and seen.distance < self.params.side_distance
            for topic, seen in self._sweep.seen.items()
        }
        return float(near.get(RIGHT, False)) - float(near.get(LEFT, False))

    def _begin_look(self, order: tuple[str, ...] = (LEFT, RIGHT, AHEAD)) -> None:
        self.phase, self._blind = Phase.LOOK, 0.0
        self._sweep = self._new_sweep(order)

    def _new_sweep(self, order: tuple[str, ...] = (LEFT, RIGHT, AHEAD)) -> Sweep:
        return Sweep(order, self.params.patience)


def _freer(left: Sight, right: Sight, free: float) -> tuple[float, float]:
    """1 for left, -1 for right, 0 for neither; and the share of the full turn to make."""
    if left.distance is not None and right.distance is not None:
        return (1.0 if left.distance >= right.distance else -1.0), 1.0
    known, way = (left, 1.0) if left.distance is not None else (right, -1.0)
    if known.distance is None:
        return 0.0, 0.0
    return (way, 1.0) if known.distance >= free else (-way, 0.5)
