"""The table of the ELF3's links: read from ``assets/links.csv``, the right side mirrored from the left.

Metres, kilograms, radians, N·m. ``com`` and the diagonal ``inertia`` are in the link's own frame.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path

TABLE = Path(__file__).parent / "assets" / "links.csv"
MIRRORED_LIMITS = ("hip_x", "shoulder_x")
"""Joints that open outwards, so that their limits change sign from side to side."""
HEAD = ("head_z", "head_y")

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Link:
    """A link and the joint that carries it; the base has no parent, no axis and no limits."""

    name: str
    parent: str
    origin: Vector
    axis: str
    lower: float
    upper: float
    effort: float
    mass: float
    com: Vector
    inertia: Vector

    @property
    def joint(self) -> str:
        """Its joint's name."""
        return f"{self.name}_joint"

    @property
    def body(self) -> str:
        """Its name as a body."""
        return f"{self.name}_link"


def links(*, head: bool = True) -> tuple[Link, ...]:
    """All links in the order of the robot layout, the base first; 31 joints, or 29 without the head."""
    with TABLE.open(encoding="utf-8", newline="") as stream:
        table = [_link(row) for row in csv.DictReader(stream)]
    left = [each for each in table if each.name.startswith("l_")]
    legs = [each for each in left if not _of_arm(each)]
    arms = [each for each in left if _of_arm(each)]
    middle = [each for each in table if not each.name.startswith("l_") and each.name not in HEAD]
    ordered = [*middle, *legs, *map(mirrored, legs), *arms, *map(mirrored, arms)]
    if head:
        ordered += [each for each in table if each.name in HEAD]
    return tuple(ordered)


def mirrored(left: Link) -> Link:
    """The link of the right side."""
    lower, upper = left.lower, left.upper
    if left.name.removeprefix("l_") in MIRRORED_LIMITS:
        lower, upper = -upper, -lower
    parent = f"r_{left.parent[2:]}" if left.parent.startswith("l_") else left.parent
    return replace(
        left,
        name=f"r_{left.name[2:]}",
        parent=parent,
        origin=_flipped(left.origin),
        com=_flipped(left.com),
        lower=lower,
        upper=upper,
    )


def _of_arm(link: Link) -> bool:
    return any(part in link.name for part in ("shoulder", "elbow", "wrist"))


def _flipped(vector: Vector) -> Vector:
    return (vector[0], -vector[1], vector[2])


def _link(row: dict[str, str]) -> Link:
    def number(key: str) -> float:
        return float(row[key] or 0.0)

    return Link(
        row["name"],
        row["parent"],
        (number("origin_x"), number("origin_y"), number("origin_z")),
        row["axis"],
        number("lower"),
        number("upper"),
        number("effort"),
        number("mass"),
        (number("com_x"), number("com_y"), number("com_z")),
        (number("ixx"), number("iyy"), number("izz")),
    )
