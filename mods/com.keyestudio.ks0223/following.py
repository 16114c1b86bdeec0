"""Follows a black line, as the kit's lessons do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from bxi_framework.mod_api import StateContext

from .states import CarParams, CarState

LINE: Final = "line_tracker/front_norm"
BLACK: Final = 0.5
"""From this value on a sensor sees the line."""


@dataclass(frozen=True)
class LineParams(CarParams):
    """``speed`` m/s straight on and ``turn`` rad/s beside the line; ``lost`` seconds that it goes on turning
    the way it last went when no sensor sees the line; ``stale`` seconds after which a reading counts for
    nothing.
    """

    speed: float = 0.08
    curve: float = 0.04
    turn: float = 0.5
    lost: float = 1.0
    stale: float = 0.5


class LineFollow(CarState[LineParams]):
    """Middle black: straight on. Left black and right not: to the left; the mirror: to the right. Otherwise
    it stops, after it has turned a moment longer the way it last went, since the line may just have
    slipped between two sensors.
    """

    Params = LineParams
    listens: ClassVar[Mapping[str, str]] = {LINE: "std_msgs/msg/Float32MultiArray"}

    def __init__(self, name: str, state_id: int, params: LineParams) -> None:
        super().__init__(name, state_id, params)
        self._way = 0.0
        self._unseen = 0.0

    def on_enter(self, ctx: StateContext) -> None:
        """Nothing was seen yet."""
        self._way, self._unseen = 0.0, self.params.lost

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Steer by the newest reading."""
        params = self.params
        heard = ctx.heard(LINE)
        if heard is None or heard.age > params.stale or len(heard.message.data) != 3:
            self.logger.warning("no line sensor reading: it stands", throttle_duration_sec=5.0)
            ctx.set_motor_target(self.drive_frame(ctx, 0.0, 0.0, look=0.0))
            return
        left, middle, right = (value >= BLACK for value in heard.message.data)
        speed, turn = 0.0, 0.0
        if middle:
            speed, self._unseen = params.speed, 0.0
        elif left != right:
            self._way, self._unseen = (1.0 if left else -1.0), 0.0
            speed, turn = params.curve, self._way * params.turn
        elif not left and self._unseen < params.lost:
            self._unseen += dt
            turn = self._way * params.turn
        ctx.set_motor_target(self.drive_frame(ctx, speed, turn, look=0.0))
