"""How old the topics are that a state cannot do without."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bxi_framework.robot.inputs import InputSnapshot


@dataclass(frozen=True, slots=True)
class TopicAge:
    """A topic, how old (s) its newest message is, infinite if none came, and how old it may be."""

    topic: str
    age: float
    limit: float

    @property
    def lost(self) -> bool:
        """True if it is too old."""
        return self.age > self.limit

    @property
    def sentence(self) -> str:
        """How it stands, to follow a verb."""
        if math.isinf(self.age):
            return f"'{self.topic}', which was never heard"
        return f"'{self.topic}', last heard {self.age:.3g} s ago, which is more than {self.limit:g} s"


def topic_ages(limits: Mapping[str, float], inputs: InputSnapshot) -> list[TopicAge]:
    """The ages of the topics that have limits."""
    ages = []
    for topic, limit in limits.items():
        heard = inputs.topics.get(topic)
        age = math.inf if heard is None else (inputs.now_ns - heard[1]) / 1e9
        ages.append(TopicAge(topic, age, limit))
    return ages


def overdue(limits: Mapping[str, float], inputs: InputSnapshot) -> TopicAge | None:
    """The topic that is furthest above its limit; None if none is."""
    late = [each for each in topic_ages(limits, inputs) if each.lost] if limits else []
    return max(late, key=lambda each: each.age - each.limit, default=None)
