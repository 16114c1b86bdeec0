"""Notices inputs that are too old, and inputs that are back; what follows is up to the controller."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bxi_framework.manifest.watchdogs import WatchdogDecl
from bxi_framework.robot import InputAges

FIRST_WAIT: Final = 5.0
"""Seconds after the first tick in which a required input must be heard for the first time."""


@dataclass(frozen=True, slots=True)
class Change:
    """An input that was lost, or that is back; ``age`` (s) is infinite for one that was never heard."""

    watchdog: WatchdogDecl
    lost: bool
    age: float

    @property
    def sentence(self) -> str:
        """What happened, for the log and as the reason of a stop."""
        name, limit = self.watchdog.input, self.watchdog.limit
        if not self.lost:
            return f"{name} is heard again"
        if math.isinf(self.age):
            return f"{name} was never heard, though it is required"
        return f"{name} was last heard {self.age:.3g} s ago, which is more than {limit:g} s"


class Watchdogs:
    """Looks at the ages of the inputs every tick; ``lost`` holds the watchdogs whose input is lost now."""

    def __init__(self, watchdogs: Sequence[WatchdogDecl]) -> None:
        self._watchdogs = tuple((each, InputAges._fields.index(each.input)) for each in watchdogs)
        self._waited = 0.0
        self.lost: dict[str, WatchdogDecl] = {}

    def look(self, ages: InputAges, dt: float) -> list[Change]:
        """What has changed; ``dt`` is in seconds since the last look."""
        self._waited += dt
        changes = []
        for watchdog, index in self._watchdogs:
            age = ages[index]
            lost = age > watchdog.limit
            if math.isinf(age):
                lost = watchdog.required and self._waited > FIRST_WAIT
            if lost == (watchdog.input in self.lost):
                continue
            if lost:
                self.lost[watchdog.input] = watchdog
            else:
                del self.lost[watchdog.input]
            changes.append(Change(watchdog, lost, age))
        return changes
