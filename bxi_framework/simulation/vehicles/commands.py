"""How a vehicle is driven: throttle, steer and brake."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

CONTROL_LIMITS: Final[Mapping[str, tuple[float, float]]] = {
    "throttle": (-1.0, 1.0),
    "steer": (-1.0, 1.0),
    "brake": (0.0, 1.0),
}
"""The channels of a command in their order, each with its least and greatest value."""


@dataclass(frozen=True, slots=True)
class ControlCommand:
    """One command: ``throttle`` from -1 (full speed back) to 1 (full speed ahead), ``steer`` from -1 (right)
    to 1 (left), ``brake`` from 0 to 1. Written by hand, a number that is not finite or outside its range is
    refused with a ValueError; `clamped` brings the second into the range. Vehicles get clamped commands.
    """

    throttle: float = 0.0
    steer: float = 0.0
    brake: float = 0.0

    def __post_init__(self) -> None:
        for name, (low, high) in CONTROL_LIMITS.items():
            value = getattr(self, name)
            if not math.isfinite(value):
                raise ValueError(f"{name} must be a finite number, not {value}")
            if not low <= value <= high:
                raise ValueError(f"{name} must be from {low:g} to {high:g}, not {value:g}")

    @classmethod
    def clamped(cls, throttle: float, steer: float, brake: float) -> ControlCommand:
        """The command with each number brought into its range.

        Raises:
            ValueError: a number is not finite.
        """
        values = (throttle, steer, brake)
        pairs = zip(values, CONTROL_LIMITS.values(), strict=True)
        return cls(*(value if math.isnan(value) else clamp(value, low, high) for value, (low, high) in pairs))


def clamp(value: float, low: float, high: float) -> float:
    """The number of the range that is nearest to a finite value; an infinite one comes back as it is."""
    return min(max(value, low), high) if math.isfinite(value) else value
