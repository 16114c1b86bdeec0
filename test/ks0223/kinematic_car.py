"""A car without physics: skid steer on a flat floor inside four walls, with the delays of the real one."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

STEP: Final = 0.005
"""Seconds of one step of the integration."""

LONGEST_GAP: Final = 1.0
"""Seconds; what lies further back when nobody has looked is not played."""

HIGHEST_ECHO: Final = math.radians(70.0)
"""Rad between the beam and the wall's normal, from which on no echo comes back."""


@dataclass(frozen=True)
class CarBuild:
    """What the car is like: metres, seconds, metres per second; ``dead_zone`` and ``full_duty`` are PWM
    duties.

    ``track_width`` is that of an ideal car which turns as fast as the skidding one.
    """

    top_speed: float = 0.73
    track_width: float = 0.22
    full_duty: float = 0.8
    dead_zone: float = 0.25
    latency: float = 0.15
    response: float = 0.08
    sensor_forward: float = 0.1


@dataclass(frozen=True)
class Room:
    """A rectangle around the origin, and a black ring on its floor; metres."""

    length: float = 4.0
    width: float = 3.0
    line_radius: float = 0.9
    line_width: float = 0.025


@dataclass(frozen=True)
class Pose:
    """Place (m), heading (rad), forward speed (m/s), turn rate (rad/s), path driven (m)."""

    x: float
    y: float
    heading: float
    speed: float
    turn: float
    path: float


class KinematicCar:
    """Implements the kit's `CarHardware`; time passes by the clock, whoever asks.

    Args:
        build: the car.
        room: where it is.
        now: monotonic seconds.
        picture: what the camera sees, if it works.
    """

    def __init__(
        self,
        build: CarBuild = CarBuild(),
        room: Room = Room(),
        now: Callable[[], float] = time.monotonic,
        picture: bytes | None = None,
    ) -> None:
        self._build, self._room, self._now = build, room, now
        self._lock = threading.Lock()
        self._orders: deque[tuple[float, float, float]] = deque()
        self._duty = (0.0, 0.0)
        self._speeds = [0.0, 0.0]
        self._at = now()
        self._place = [0.0, -room.line_radius, 0.0]
        self._path = 0.0
        self.ultrasonic_angle = 90.0
        self.camera_angles = (90.0, 90.0)
        self.picture = picture
        self.ordered = (0.0, 0.0)
        """The duties of both sides that were asked for last."""

    def drive(self, left: float, right: float) -> None:
        with self._lock:
            self._advance()
            self.ordered = (left, right)
            self._orders.append((self._at + self._build.latency, left, right))

    def point_camera(self, tilt: float, pan: float) -> None:
        self.camera_angles = (tilt, pan)

    def point_ultrasonic(self, angle: float) -> None:
        self.ultrasonic_angle = angle

    def image(self) -> bytes | None:
        return self.picture

    def distance(self) -> float | None:
        pose = self.pose
        beam = pose.heading + math.radians(self.ultrasonic_angle - 90.0)
        reach = self._build.sensor_forward
        x, y = pose.x + reach * math.cos(pose.heading), pose.y + reach * math.sin(pose.heading)
        hits = []
        for place, direction, half in (
            (x, math.cos(beam), self._room.length / 2.0),
            (y, math.sin(beam), self._room.width / 2.0),
        ):
            if abs(direction) > 1e-9:
                hits.append(((math.copysign(half, direction) - place) / direction, abs(direction)))
        nearest, straightness = min(hits)
        return nearest if nearest > 0.0 and straightness >= math.cos(HIGHEST_ECHO) else None

    def line(self) -> tuple[int, int, int]:
        pose = self.pose
        reach = self._build.sensor_forward
        found = []
        for offset in (0.012, 0.0, -0.012):
            x = pose.x + reach * math.cos(pose.heading) - offset * math.sin(pose.heading)
            y = pose.y + reach * math.sin(pose.heading) + offset * math.cos(pose.heading)
            found.append(int(abs(math.hypot(x, y) - self._room.line_radius) <= self._room.line_width / 2.0))
        return found[0], found[1], found[2]

    @property
    def pose(self) -> Pose:
        """Where it is now and how it moves."""
        with self._lock:
            self._advance()
            left, right = self._speeds
            x, y, heading = self._place
            turn = (right - left) / self._build.track_width
            return Pose(x, y, heading, (left + right) / 2.0, turn, self._path)

    def _advance(self) -> None:
        now = self._now()
        self._at = max(self._at, now - LONGEST_GAP)
        while self._at + STEP <= now:
            self._at += STEP
            while self._orders and self._orders[0][0] <= self._at:
                _, left, right = self._orders.popleft()
                self._duty = (left, right)
            self._step()

    def _step(self) -> None:
        build = self._build
        share = 1.0 - math.exp(-STEP / build.response)
        for side, duty in enumerate(self._duty):
            wanted = 0.0 if abs(duty) < build.dead_zone else build.top_speed * duty / build.full_duty
            self._speeds[side] += share * (wanted - self._speeds[side])
        left, right = self._speeds
        speed, turn = (left + right) / 2.0, (right - left) / build.track_width
        x, y, heading = self._place
        heading += turn * STEP
        half_x, half_y = self._room.length / 2.0 - 0.12, self._room.width / 2.0 - 0.12
        self._place[0] = min(max(x + speed * STEP * math.cos(heading), -half_x), half_x)
        self._place[1] = min(max(y + speed * STEP * math.sin(heading), -half_y), half_y)
        self._place[2] = heading
        self._path += abs(speed) * STEP
