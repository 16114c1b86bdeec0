"""``bxi/moving_obstacle``: a body that follows a path at a constant speed and yields to nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.bindings import BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.capabilities import PrescribedStateFactory
from bxi_framework.simulation.components import ComponentContributions, ComponentDefinition, ComponentFactory
from bxi_framework.simulation.descriptors import ClaimKind, StateClaim
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.parts.floor_patterns import CLOSEST, read_points
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import PrescribedStateRuntime, Values

FASTEST: Final = 1e4
"""Metres per second."""

AT_THE_END: Final = ("loop", "return", "stop")
"""What follows the last point: the first again in a straight line, the way back, or nothing."""


class MovingObstacleComponent(ComponentFactory):
    """The prescribed path of one mocap body of the model."""

    type = "bxi/moving_obstacle"

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        obstacle = MovingObstacleFactory(
            instance_id,
            body=config.string("body"),
            path=read_points(config, "path", 3),
            speed=config.float("speed", above=0.0, maximum=FASTEST),
            at_the_end=config.literal("at_the_end", AT_THE_END, "loop"),
            start_spread=config.float("start_spread", 0.0, minimum=0.0, maximum=1.0),
            speed_spread=config.float("speed_spread", 0.0, minimum=0.0, maximum=0.95),
        )
        config.finish()
        if obstacle.at_the_end == "loop" and math.dist(obstacle.path[0], obstacle.path[-1]) < CLOSEST:
            raise config.error(
                f"path[{len(obstacle.path) - 1}]",
                "is the first point again; leave it out, a loop leads there by itself",
            )
        return ComponentDefinition(
            instance_id, self.type, ComponentContributions(prescribed_states=(obstacle,))
        )


@dataclass(frozen=True)
class MovingObstacleFactory(PrescribedStateFactory):
    """A path (m, in the world) and a speed (m/s). An episode draws where on the path the body starts, within
    the first ``start_spread`` of one round, and its speed, within ``speed_spread`` above or below (shares).
    """

    name: str
    body: str
    path: tuple[tuple[float, ...], ...]
    speed: float
    at_the_end: str
    start_spread: float
    speed_spread: float

    @property
    def id(self) -> str:
        return self.name

    def claims(self) -> tuple[StateClaim, ...]:
        return (StateClaim(ClaimKind.BODY, self.body),)

    def requests(self) -> Mapping[str, BindingRequest]:
        return {"body": BindingRequest(BindingKind.BODY, self.body, "body")}

    def create(self, bindings: Bindings, episode: Episode) -> MovingObstacleRuntime:
        generator = episode.generator(self.name)
        start = self.start_spread * generator.uniform()
        speed = self.speed * (1.0 + self.speed_spread * generator.uniform(-1.0, 1.0))
        return MovingObstacleRuntime(
            bindings["body"].id, self._round(), start, speed, self.at_the_end == "stop"
        )

    def _round(self) -> Values:
        """The points of one whole round."""
        points = np.array(self.path)
        if self.at_the_end == "loop":
            return np.concatenate((points, points[:1]))
        if self.at_the_end == "return":
            return np.concatenate((points, points[-2::-1]))
        return points


class MovingObstacleRuntime(PrescribedStateRuntime):
    """Its place is a function of the time alone, so nothing is kept."""

    def __init__(self, body: int, points: Values, start: float, speed: float, stops: bool) -> None:
        self._body = body
        self._points = points
        # The distance from the start of the round to each point, in metres.
        self._marks = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))))
        self._start = start * self._marks[-1]
        self._speed = speed
        self._stops = stops
        self._mocap = -1

    def started(self, physics: Physics) -> None:
        self._mocap = int(physics.model.body_mocapid[self._body])
        self.prescribe(physics, {})

    def prescribe(self, physics: Physics, inputs: Mapping[str, Values]) -> None:
        along = self._start + self._speed * physics.data.time
        if not self._stops:
            along %= self._marks[-1]
        place = physics.data.mocap_pos[self._mocap]
        for axis in range(3):
            place[axis] = np.interp(along, self._marks, self._points[:, axis])
