"""The ultrasonic sensor: a narrow beam, whose echo is lost on surfaces that it meets at a slant."""

from __future__ import annotations

import math
from typing import Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from bxi_framework.simulation import Physics

from .floors import WORLD_GROUP
from .vehicle import FARTHEST

NEAREST: Final = 0.02
STEEPEST: Final = math.radians(65.0)
"""Rad between the beam and a surface's normal, from which on the sound goes elsewhere."""

BEAM: Final = tuple(math.radians(angle) for angle in (-7.0, 0.0, 7.0))
"""Rad from the middle of the beam; the nearest echo of these rays is heard."""

SERVO_SPEED: Final = 400.0
"""Degrees per second that a small servo turns under load."""


Vector = NDArray[np.float64]


class Sonar:
    """Looks from a site along its z axis; sees the geoms of the world alone."""

    def __init__(self, model: mujoco.MjModel, site: str) -> None:
        self._site = int(model.site(site).id)
        self._groups = np.zeros(6, dtype=np.uint8)
        self._groups[WORLD_GROUP] = 1
        self._hit = np.zeros(1, dtype=np.int32)

    def distance(self, physics: Physics) -> float | None:
        """Metres to the nearest surface that sends an echo; None without one."""
        frame = physics.data.site_xmat[self._site].reshape(3, 3)
        heard = []
        for angle in BEAM:
            ray = frame @ np.array([0.0, math.sin(angle), math.cos(angle)])
            way = self._echo(physics, ray)
            if way is not None:
                heard.append(way)
        return min(heard, default=None)

    def _echo(self, physics: Physics, ray: Vector) -> float | None:
        origin = physics.data.site_xpos[self._site]
        way = mujoco.mj_ray(physics.model, physics.data, origin, ray, self._groups, True, -1, self._hit)
        if not NEAREST <= way <= FARTHEST:
            return None
        return (
            float(way) if self._straightness(physics, origin + way * ray, ray) > math.cos(STEEPEST) else None
        )

    def _straightness(self, physics: Physics, point: Vector, ray: Vector) -> float:
        """The cosine of the angle between a ray and the normal of the box, or of the floor, that it hits."""
        geom = int(self._hit[0])
        frame = physics.data.geom_xmat[geom].reshape(3, 3)
        if physics.model.geom_type[geom] != mujoco.mjtGeom.mjGEOM_BOX:
            return abs(float(frame[:, 2] @ ray))
        local = frame.T @ (point - physics.data.geom_xpos[geom])
        # The face that is hit is the one on which the point lies.
        face = int(np.argmin(np.abs(np.abs(local) - physics.model.geom_size[geom])))
        return abs(float(frame[:, face] @ ray))
