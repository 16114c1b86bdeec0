"""What the states of the KS0223 car achieve by themselves on the virtual car, seed by seed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from ks0223.parts import virtual

from bxi_framework.testing import Bench

from .rehearsal import Rehearsal
from .trial import Outcome, Trial

CONFIG: Final = Path(__file__).parents[2] / "config" / "ks0223.yaml"
LAPS: Final = 3.0
AVOID_TIME: Final = 120.0
LAP_LIMIT: Final = 200.0
"""Seconds that a lap may take."""

BESIDE: Final = 0.06
"""Metres from the middle of the line to the middle of its sensors, from which on the line is lost."""

TURN_SPREAD: Final = 0.3
HALF_LENGTH, HALF_WIDTH = 0.125, 0.075
ABOUT: Final = (
    "The car is the one of `kinematic_car.py`: no physics, 150 ms late, a turn up to 30 % weaker or stronger by the seed, "
    "in a room of 4 × 3 m without boxes, with a round line of 0.9 m radius. A walk through the states on the bench, the "
    "bridge's words and the kit's programs, in virtual time."
)


class SeededCar:
    """The virtual car with its own time; each seed turns and answers differently."""

    def __init__(self, seed: int) -> None:
        chance = np.random.default_rng(seed)
        module = virtual("kinematic_car")
        self.time = 0.0
        self.room = module.Room()
        width = module.CarBuild.track_width / (1.0 + TURN_SPREAD * chance.uniform(-1.0, 1.0))
        build = module.CarBuild(track_width=float(width), response=float(chance.uniform(0.06, 0.1)))
        self.hardware: Any = module.KinematicCar(build, self.room, lambda: self.time)

    def advance(self, seconds: float) -> None:
        """Let time pass; the car plays it when it is looked at."""
        self.time += seconds

    @property
    def touching(self) -> bool:
        """True if a corner of the hull is in a wall."""
        pose = self.hardware.pose
        along, aside = math.cos(pose.heading), math.sin(pose.heading)
        for forward in (HALF_LENGTH, -HALF_LENGTH):
            for left in (HALF_WIDTH, -HALF_WIDTH):
                x, y = pose.x + forward * along - left * aside, pose.y + forward * aside + left * along
                if abs(x) > self.room.length / 2.0 or abs(y) > self.room.width / 2.0:
                    return True
        return False

    @property
    def beside(self) -> float:
        """Metres from the middle of the line to the middle of the line sensors."""
        pose, reach = self.hardware.pose, 0.1
        x, y = pose.x + reach * math.cos(pose.heading), pose.y + reach * math.sin(pose.heading)
        return float(abs(math.hypot(x, y) - self.room.line_radius))

    @property
    def bearing(self) -> float:
        """Rad around the middle of the room."""
        pose = self.hardware.pose
        return math.atan2(pose.y, pose.x)


@dataclass(frozen=True)
class Run:
    """One state in control of one car."""

    bench: Bench
    driven: SeededCar
    loop: Rehearsal


def started(state: str, seed: int) -> Iterator[Run]:
    """A run whose state is in control; each further item is one tick later."""
    with Bench(CONFIG, actuators=None) as bench:
        run = Run(bench, driven := SeededCar(seed), Rehearsal(bench, driven))
        run.loop.tick()
        bench.send_event(f"com.keyestudio.ks0223/{state}")
        for _ in range(10):
            run.loop.tick()
        assert bench.state == f"com.keyestudio.ks0223/{state}", bench.state
        while True:
            run.loop.tick()
            yield run


def follow_line(seed: int, laps: float = LAPS) -> Outcome:
    """Some laps on the round line."""
    turned, before, farthest = 0.0, None, 0.0
    for run in started("line_follow", seed):
        bearing = run.driven.bearing
        turned += 0.0 if before is None else math.remainder(bearing - before, 2.0 * math.pi)
        before, done = bearing, turned / (2.0 * math.pi)
        farthest = max(farthest, run.driven.beside)
        figures = {
            "laps": round(done, 2),
            "seconds": round(run.driven.time, 1),
            "farthest_m": round(farthest, 3),
        }
        if farthest > BESIDE:
            return Outcome(seed, f"left the line by {farthest:.3f} m after {done:.2f} laps", figures)
        if done >= laps:
            return Outcome(seed, "", figures)
        if run.driven.time > laps * LAP_LIMIT:
            return Outcome(
                seed, f"{done:.2f} laps in {run.driven.time:.0f} s; it stands or is too slow", figures
            )
    raise AssertionError("a run goes on until it is judged")


def avoid(seed: int, seconds: float = AVOID_TIME) -> Outcome:
    """Some time among walls without touching them, on the way."""
    for run in started("avoid", seed):
        pose = run.driven.hardware.pose
        figures = {"seconds": round(run.driven.time, 1), "metres": round(pose.path, 2)}
        if run.driven.touching:
            return Outcome(
                seed, f"touched a wall at {pose.x:.2f}, {pose.y:.2f} after {run.driven.time:.1f} s", figures
            )
        if run.driven.time >= seconds:
            lazy = pose.path < 0.02 * seconds
            return Outcome(seed, f"drove only {pose.path:.2f} m" if lazy else "", figures)
    raise AssertionError("a run goes on until it is judged")


def trials() -> tuple[Trial, ...]:
    """What is evaluated, with the seeds and how many of them must succeed."""
    return tuple(
        Trial(name, what, run, tuple(range(1, seeds + 1)), needed)
        for name, what, run, seeds, needed in (
            (
                "line_follow",
                f"{LAPS:g} laps, sensors never {BESIDE * 100:g} cm beside the line",
                follow_line,
                5,
                5,
            ),
            ("avoid", f"{AVOID_TIME:g} s without touching a wall", avoid, 20, 18),
        )
    )
