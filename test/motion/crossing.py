"""One route between two states, run through the real engine: the frames of its transition, tick by tick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from machine.rigs import Rig, rig, route

from bxi_framework.mod_api.definition import StateFactory
from bxi_framework.robot import MotorFrame

Motion = Mapping[str, object]


def crossing(
    source: StateFactory,
    target: StateFactory,
    motion: Motion,
    plugins: Sequence[type] = (),
    period: float = 0.02,
) -> Rig:
    """``source`` in control for one tick; ``btn_1`` leads to ``target``, ``btn_2`` back at once."""
    built = rig(
        {"idle": source, "goal": target},
        routes=[route("idle", "go", "goal", motion), route("goal", "back", "idle", "instant")],
        events={"go": ("btn_1", 1), "back": ("btn_2", 1)},
        plugins=plugins,
        period=period,
    )
    built.tick()
    return built


def go(crossed: Rig, ticks: int) -> list[MotorFrame]:
    """The frames from the tick of the event on."""
    crossed.press("btn_1")
    return crossed.ticks(ticks)


def values(frames: Sequence[MotorFrame], field: str) -> list[float]:
    """A field of the first joint; the states here command all joints alike."""
    rows = np.array([getattr(frame, field) for frame in frames])
    assert (rows == rows[:, :1]).all()
    return [float(value) for value in rows[:, 0]]
