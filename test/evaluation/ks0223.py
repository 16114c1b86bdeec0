"""What the states of the KS0223 car achieve by themselves on the virtual car, seed by seed."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from contextlib import closing
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

IDLE_SPEED: Final = 0.02
"""m/s on average, below which the car has only stood about."""

SENSORS_AHEAD: Final = 0.1
"""Metres from the middle of the car to its line sensors."""

LINE_LOOP, ARENA = "track.line_loop.v1", "track.box_arena.v1"
ABOUT: Final = (
    "The states run on the bench, their frames go through the bridge's choice and spacing of words, the\n"
    "words into the kit's programs, and those drive the virtual car in MuJoCo, on tracks with their default\n"
    "parameters. All of it in virtual time. A seed decides the track and how strongly the car turns."
)


@dataclass(frozen=True)
class Run:
    """One state in control of one car."""

    bench: Bench
    driven: Any
    loop: Rehearsal


def started(state: str, track: str, seed: int) -> Generator[Run, None, None]:
    """A run whose state is in control; each further item is one tick later."""
    driven = virtual("car").PhysicalCar(track, seed=seed)
    with closing(driven), Bench(CONFIG, actuators=None) as bench:
        run = Run(bench, driven, Rehearsal(bench, driven))
        run.loop.tick()
        bench.send_event(f"com.keyestudio.ks0223/{state}")
        for _ in range(10):
            run.loop.tick()
        assert bench.state == f"com.keyestudio.ks0223/{state}", bench.state
        while True:
            run.loop.tick()
            yield run


def follow_line(seed: int, laps: float = LAPS) -> Outcome:
    """Some laps along the line."""
    farthest = 0.0
    with closing(started("line_follow", LINE_LOOP, seed)) as runs:
        for run in runs:
            pose, time, done = run.driven.pose, run.loop.time, run.driven.progress
            farthest = max(farthest, _beside(run.driven.centre_line(), pose))
            figures = {"laps": round(done, 2), "seconds": round(time, 1), "farthest_m": round(farthest, 3)}
            if farthest > BESIDE:
                return Outcome(seed, f"left the line by {farthest:.3f} m after {done:.2f} laps", figures)
            if done >= laps:
                return Outcome(seed, "", figures)
            if time > laps * LAP_LIMIT:
                return Outcome(seed, f"{done:.2f} laps in {time:.0f} s; it stands or is slow", figures)
    raise AssertionError("a run goes on until it is judged")


def _beside(line: Sequence[tuple[float, float]], pose: Any) -> float:
    """Metres from the middle of the line sensors to the middle of a closed line."""
    begin = np.array(line)
    way = np.roll(begin, -1, axis=0) - begin
    place = np.array((pose.x, pose.y)) + SENSORS_AHEAD * np.array(
        (math.cos(pose.heading), math.sin(pose.heading))
    )
    share = np.clip(((place - begin) * way).sum(axis=1) / (way**2).sum(axis=1), 0.0, 1.0)
    return float(np.linalg.norm(place - begin - share[:, None] * way, axis=1).min())


def avoid(seed: int, seconds: float = AVOID_TIME) -> Outcome:
    """Some time among walls and boxes without touching them, on the way."""
    with closing(started("avoid", ARENA, seed)) as runs:
        for run in runs:
            pose, time = run.driven.pose, run.loop.time
            figures = {"seconds": round(time, 1), "metres": round(pose.path, 2)}
            if run.driven.touches:
                where = f"{pose.x:.2f}, {pose.y:.2f}, heading {math.degrees(pose.heading):.0f}°"
                return Outcome(seed, f"touched something at {where} after {time:.1f} s", figures)
            if time >= seconds:
                lazy = pose.path < IDLE_SPEED * seconds
                return Outcome(seed, f"drove only {pose.path:.2f} m" if lazy else "", figures)
    raise AssertionError("a run goes on until it is judged")


def trials() -> tuple[Trial, ...]:
    """What is evaluated, with the seeds and how many of them must succeed."""
    return tuple(
        Trial(name, what, run, tuple(range(first, first + seeds)), needed)
        for name, what, run, first, seeds, needed in (
            (
                "line_follow",
                f"{LAPS:g} laps, sensors never {BESIDE * 100:g} cm beside the line",
                follow_line,
                1,
                5,
                5,
            ),
            ("avoid", f"{AVOID_TIME:g} s without touching anything", avoid, 101, 20, 18),
        )
    )
