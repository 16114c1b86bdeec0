"""How the progress of a transition, 0 to 1, becomes the weight of the target, 0 to 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

Curve: TypeAlias = Callable[[float], float]


def linear(p: float) -> float:
    """Constant speed; its speed jumps at both ends."""
    return p


def smoothstep(p: float) -> float:
    """3p² - 2p³: speed is zero at both ends."""
    return p * p * (3.0 - 2.0 * p)


def smootherstep(p: float) -> float:
    """6p⁵ - 15p⁴ + 10p³: speed and acceleration are zero at both ends."""
    return p * p * p * (p * (6.0 * p - 15.0) + 10.0)


CURVES: Final[Mapping[str, Curve]] = MappingProxyType(
    {"linear": linear, "smoothstep": smoothstep, "smootherstep": smootherstep}
)
