"""How much each source may say in a second, so that one that floods the log hides no other."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import Final, NamedTuple

PER_SECOND: Final = 100
"""Messages of one level that a source may say in a second."""

_PERIOD: Final = 1.0


class _Key(NamedTuple):
    """A source and a level."""

    source: str
    level: int


class _Count:
    """What was said in a period, and what was left out since that was told."""

    __slots__ = ("end", "left_out", "shown")

    def __init__(self) -> None:
        self.end = 0.0
        self.shown = 0
        self.left_out = 0


class Quota:
    """Counts for sources that are nodes, states or streams: those with a slash in their name. The framework's
    own parts may say what they like. May be used by any thread.
    """

    def __init__(self) -> None:
        self._counts: dict[_Key, _Count] = {}
        self._lock = Lock()

    def admits(self, source: str, level: int, now: float) -> bool:
        """True if a message may be shown; otherwise it is counted."""
        if "/" not in source:
            return True
        with self._lock:
            count = self._counts.setdefault(_Key(source, level), _Count())
            if now >= count.end and not count.left_out:
                count.end, count.shown = now + _PERIOD, 0
            if count.shown < PER_SECOND:
                count.shown += 1
                return True
            count.left_out += 1
            return False

    def next_report(self, now: float) -> float | None:
        """Seconds until there is something to report; None if there is nothing."""
        with self._lock:
            ends = [count.end for count in self._counts.values() if count.left_out]
        return max(0.001, min(ends) - now) if ends else None

    def reports(self, now: float, *, everything: bool = False) -> Iterator[tuple[str, str]]:
        """The sources of which messages were left out in a period that is over, each with one line to say."""
        found: list[tuple[str, str]] = []
        with self._lock:
            for key, count in self._counts.items():
                if count.left_out and (everything or now >= count.end):
                    said = f"{count.left_out} messages were left out; at most {PER_SECOND} a second are shown"
                    found.append((key.source, said))
                    count.left_out, count.shown, count.end = 0, 0, now + _PERIOD
        yield from found
