"""How often values of frames were cut, by who made the frame, joint and field."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bxi_framework.safety import Clamp

WORST: Final = 8
"""How many are listed."""

MOST: Final = 4096
"""How many are told apart; what comes after counts in the total alone."""


@dataclass(frozen=True, slots=True)
class ClampCount:
    """How often ``field`` of ``joint`` was cut in the frames of ``owner``, and the last cut, in the unit of
    the field.
    """

    owner: str
    joint: str
    field: str
    count: int
    wanted: float
    sent: float

    def as_dict(self) -> dict[str, object]:
        """The public JSON form; a number that JSON lacks is null."""
        return {
            "owner": self.owner,
            "joint": self.joint,
            "field": self.field,
            "count": self.count,
            "wanted": round(self.wanted, 6) if math.isfinite(self.wanted) else None,
            "sent": round(self.sent, 6) if math.isfinite(self.sent) else None,
        }


class ClampCounts:
    """Written by the control thread when something was cut, read by anyone."""

    def __init__(self) -> None:
        self.total = 0
        """Cuts since the start."""
        self._cuts: dict[tuple[str, str, str], tuple[int, Clamp]] = {}

    def add(self, owner: str, clamps: Iterable[Clamp]) -> None:
        """Count the cuts in a frame of ``owner``."""
        cuts = self._cuts
        for clamp in clamps:
            self.total += 1
            key = (owner, clamp.joint, clamp.field)
            known = cuts.get(key)
            if known is not None:
                cuts[key] = (known[0] + 1, clamp)
            elif len(cuts) < MOST:
                cuts[key] = (1, clamp)

    @property
    def worst(self) -> tuple[ClampCount, ...]:
        """The most frequent, at most `WORST`."""
        # A copy is made in one step, whatever the control thread does.
        cuts = self._cuts.copy()
        often = sorted(cuts.items(), key=lambda item: (-item[1][0], item[0]))[:WORST]
        return tuple(ClampCount(*key, count, clamp.wanted, clamp.sent) for key, (count, clamp) in often)

    def as_dict(self) -> dict[str, object]:
        """The public JSON form."""
        return {"total": self.total, "worst": [each.as_dict() for each in self.worst]}
