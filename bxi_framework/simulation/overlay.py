"""The parameter overlay: variations of physical values of declared things, fixed before the build.

Structure and nominal values belong to the MJCF file; nothing else may change the model before a run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final


class OverlayTarget(str, Enum):
    """What an overlay item may vary."""

    BODY = "body"
    GEOM = "geom"
    JOINT = "joint"
    ACTUATOR = "actuator"


class Quantity(str, Enum):
    """The physical values that may be varied, in the units of MJCF.

    ``inertia`` is diagonal, in the body's inertial frame. ``friction`` of a geom is sliding, torsional and
    rolling, of which the last ones may be left out; that of a joint is its dry friction. ``gain`` is the
    first gain parameter of an actuator; the bias of a position or velocity servo follows it.
    """

    MASS = "mass"
    INERTIA = "inertia"
    FRICTION = "friction"
    DAMPING = "damping"
    ARMATURE = "armature"
    GAIN = "gain"
    SIZE = "size"


@dataclass(frozen=True, slots=True)
class OverlayItem:
    """One variation: a quantity of a named thing and its value."""

    target: OverlayTarget
    name: str
    quantity: Quantity
    value: tuple[float, ...]

    def __str__(self) -> str:
        return f"the {self.quantity.value} of the {self.target.value} '{self.name}'"


@dataclass(frozen=True, slots=True)
class Variation:
    """An item as it was applied, with the value that the model file gives."""

    item: OverlayItem
    nominal: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """How many numbers a quantity takes (0: as many as the geom's shape has), and which."""

    fewest: int
    most: int
    low: float = 0.0
    positive: bool = False


RULES: Final[Mapping[OverlayTarget, Mapping[Quantity, Rule]]] = {
    OverlayTarget.BODY: {
        Quantity.MASS: Rule(1, 1, positive=True),
        Quantity.INERTIA: Rule(3, 3, positive=True),
    },
    OverlayTarget.GEOM: {Quantity.FRICTION: Rule(1, 3), Quantity.SIZE: Rule(0, 0)},
    OverlayTarget.JOINT: {
        Quantity.FRICTION: Rule(1, 1),
        Quantity.DAMPING: Rule(1, 1),
        Quantity.ARMATURE: Rule(1, 1),
    },
    OverlayTarget.ACTUATOR: {Quantity.GAIN: Rule(1, 1, low=-math.inf)},
}


def trouble(item: OverlayItem, numbers: int) -> str:
    """What is wrong with an item by itself, as a sentence; empty if nothing is. ``numbers`` is how many a
    geom's shape has.
    """
    rule = RULES[item.target].get(item.quantity)
    if rule is None:
        known = ", ".join(quantity.value for quantity in RULES[item.target])
        return f"A {item.target.value} has no {item.quantity.value}; it has {known}."
    fewest, most = (rule.fewest, rule.most) if rule.most else (numbers, numbers)
    if not fewest <= len(item.value) <= most:
        wanted = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        noun = "number" if most == 1 else "numbers"
        return f"{_said(item)} takes {wanted} {noun}, not {len(item.value)}."
    for value in item.value:
        if not math.isfinite(value):
            return f"{_said(item)} must be finite, not {value}."
        if value < rule.low or (rule.positive and value <= 0.0):
            return (
                f"{_said(item)} must be {'greater than 0' if rule.positive else 'at least 0'}, not {value}."
            )
    if item.quantity is Quantity.INERTIA and 2.0 * max(item.value) > sum(item.value):
        return f"{_said(item)} is that of no real body: one moment is greater than the sum of the others."
    return ""


def _said(item: OverlayItem) -> str:
    said = str(item)
    return said[:1].upper() + said[1:]
