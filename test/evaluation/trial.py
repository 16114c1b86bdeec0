"""A task that a robot is given again and again with other seeds, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """What one seed came to; ``failure`` is the reason, empty for a success."""

    seed: int
    failure: str
    figures: Mapping[str, float]


@dataclass(frozen=True)
class Trial:
    """A task: ``needed`` of the seeds must succeed."""

    name: str
    what: str
    run: Callable[[int], Outcome]
    seeds: tuple[int, ...]
    needed: int
