"""The parameter overlay: variations of physical values of declared things, fixed before the build.

Structure and nominal values belong to the MJCF file; nothing else may change the model before a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class OverlayTarget(str, Enum):
    """What an overlay item may vary."""

    BODY = "body"
    GEOM = "geom"
    JOINT = "joint"
    ACTUATOR = "actuator"


class Quantity(str, Enum):
    """The physical values that may be varied."""

    MASS = "mass"
    INERTIA = "inertia"
    FRICTION = "friction"
    DAMPING = "damping"
    ARMATURE = "armature"
    GAIN = "gain"
    SIZE = "size"


@dataclass(frozen=True, slots=True)
class OverlayItem:
    """One variation: a quantity of a named thing and its value, in the units of MJCF."""

    target: OverlayTarget
    name: str
    quantity: Quantity
    value: tuple[float, ...]
