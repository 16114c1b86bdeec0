"""Notices inputs that are too old, and inputs that are back; what follows is up to the controller."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bxi_framework.manifest.watchdogs import POLICY, WatchdogDecl
from bxi_framework.robot import InputAges
from bxi_framework.robot.topic_age import TopicAge

FIRST_WAIT: Final = 5.0
"""Seconds after the first tick in which a required input must be heard for the first time."""


@dataclass(frozen=True, slots=True)
class Change:
    """An input that was lost, or that is back; ``age`` (s) is infinite for one that was never heard.
    ``topic`` is that of a policy's input.
    """

    watchdog: WatchdogDecl
    lost: bool
    age: float
    topic: TopicAge | None = None

    @property
    def sentence(self) -> str:
        """What happened, for the log and as the reason of a stop."""
        if self.topic is not None:
            return f"the policy's input is lost: {self.topic.sentence}"
        name, limit = self.watchdog.input, self.watchdog.limit
        if name == POLICY:
            return "no input of the policy is missing any more"
        if not self.lost:
            return f"{name} is heard again"
        if math.isinf(self.age):
            return f"{name} was never heard, though it is required"
        return f"{name} was last heard {self.age:.3g} s ago, which is more than {limit:g} s"


class Watchdogs:
    """Looks at the ages of the inputs every tick; ``lost`` holds the watchdogs whose input is lost now."""

    def __init__(self, watchdogs: Sequence[WatchdogDecl]) -> None:
        self._watchdogs = tuple(
            (each, InputAges._fields.index(each.input)) for each in watchdogs if each.input != POLICY
        )
        self._policy = next((each for each in watchdogs if each.input == POLICY), None)
        self._waited = 0.0
        self.lost: dict[str, WatchdogDecl] = {}

    def look(self, ages: InputAges, dt: float, topics: Sequence[TopicAge] = ()) -> list[Change]:
        """What has changed; ``dt`` is in seconds since the last look, ``topics`` are those that the state in
        control cannot do without.
        """
        self._waited += dt
        changes = [] if self._policy is None else self._look_at_topics(self._policy, topics)
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

    def _look_at_topics(self, watchdog: WatchdogDecl, topics: Sequence[TopicAge]) -> list[Change]:
        bounded = (replace(each, limit=min(each.limit, watchdog.limit)) for each in topics)
        late = next((each for each in bounded if each.lost), None)
        if (late is not None) == (POLICY in self.lost):
            return []
        if late is None:
            del self.lost[POLICY]
            return [Change(watchdog, False, 0.0)]
        self.lost[POLICY] = watchdog
        return [Change(watchdog, True, late.age, late)]
