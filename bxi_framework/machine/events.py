"""Events by edge: which slots have just changed, and which declared events that means."""

from __future__ import annotations

from collections.abc import Iterable

from bxi_framework.manifest.mod import EventDecl
from bxi_framework.manifest.names import SLOT_NAMES

NO_EVENTS: tuple[str, ...] = ()


class EventExtractor:
    """Turns slot values into the names of the events whose edge they show.

    The first values, and the first after each new epoch (a reconnect), are taken silently: they are where the
    slots stand, not where they went.
    """

    def __init__(self, events: Iterable[EventDecl]) -> None:
        by_value: dict[tuple[int, int], list[str]] = {}
        by_any: dict[int, list[str]] = {}
        for event in events:
            slot = SLOT_NAMES.index(event.slot)
            if event.value is None:
                by_any.setdefault(slot, []).append(event.name)
            else:
                by_value.setdefault((slot, event.value), []).append(event.name)
        self._by_value = {key: tuple(names) for key, names in by_value.items()}
        self._by_any = {slot: tuple(names) for slot, names in by_any.items()}
        self._last: tuple[int, ...] | None = None
        self._epoch = -1

    def poll(self, slots: tuple[int, ...] | None, epoch: int) -> tuple[str, ...]:
        """The events of this tick; usually none, at the price of one comparison."""
        if slots is None or (slots is self._last and epoch == self._epoch):
            return NO_EVENTS
        last, self._last = self._last, slots
        if epoch != self._epoch or last is None:
            self._epoch = epoch
            return NO_EVENTS
        if slots == last:
            return NO_EVENTS
        fired: list[str] = []
        for slot, (before, now) in enumerate(zip(last, slots, strict=True)):
            if before != now:
                fired += self._by_value.get((slot, now), NO_EVENTS)
                if now != 0:
                    fired += self._by_any.get(slot, NO_EVENTS)
        return tuple(fired)
