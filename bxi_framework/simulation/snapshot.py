"""All that changes in a run, at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Made and taken back by an instance; it can be restored any number of times, also into another instance
    of the same simulation. ``time`` and ``seed`` are those of the run.
    """

    time: float
    seed: int
    origin: object
    data: Any
    count: int
    parts: Mapping[str, Mapping[str, Any]]
    beats: Any
    slots: Mapping[str, Any]
