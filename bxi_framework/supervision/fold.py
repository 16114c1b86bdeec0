"""Folds what is said of a node again and again: a few times in full, then once in a while, with a count."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final

WHILE: Final = 10.0
"""Seconds within which the same is said a few times at most."""

FREE: Final = 3
"""How often it is said in that time."""


@dataclass(slots=True)
class _Said:
    """What was said last, since when (s), how often, and how often it was passed over."""

    what: Hashable
    since: float
    count: int = 1
    passed: int = 0


class Fold:
    """What was said last of each node. Belongs to one thread.

    Args:
        now: monotonic seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._said: dict[str, _Said] = {}

    def admits(self, name: str, what: Hashable) -> str | None:
        """None if ``what`` was said of a node often enough a moment ago; else what to add to it: how often it
        was passed over since, or nothing.
        """
        now = self._now()
        said = self._said.get(name)
        if said is None or said.what != what:
            self._said[name] = _Said(what, now)
            return ""
        if now - said.since >= WHILE:
            self._said[name] = _Said(what, now)
            return f" (and {said.passed} times more since this was said last)" if said.passed else ""
        if said.count < FREE:
            said.count += 1
            return ""
        said.passed += 1
        return None
