"""Collects cyclic garbage between two ticks and never within one.

Python would collect whenever some code happens to make an object, and hold the interpreter meanwhile. Here
automatic collection is off while the loop runs; what was there before is set aside, and the rest is collected
when the time until the next tick is enough for it.
"""

from __future__ import annotations

import gc
from dataclasses import asdict, dataclass
from threading import Event, Thread
from types import TracebackType
from typing import Final

from bxi_framework.control.clock import Clock

YOUNG: Final = 700
"""New objects that make a collection worth its while; as many as Python itself waits for."""

_ROUNDS: Final = 10
"""Collections of a generation before the next older one is collected too."""

_MARGIN_NS: Final = 100_000
"""Nanoseconds before the next tick in which no collection may be under way."""

_FIRST_GUESS_NS: Final = 200.0
"""What an object costs before one was measured."""

_DOUBT: Final = 0.98
"""What an object is expected to cost falls by this factor with each cycle that had too little time: other
work may have been under way when it was measured.
"""

_ENDING: Final = 1.0
"""Seconds that the collection under way may take at the end."""


@dataclass(slots=True)
class Sweeps:
    """What was collected since the loop began, for the three generations; times in µs.

    ``postponed`` counts the cycles that had no time for a collection which was due; ``set_aside`` how often
    so much had come up that no cycle would ever have had the time, so that it is kept until the loop ends.
    """

    young: int = 0
    young_longest_us: float = 0.0
    middle: int = 0
    middle_longest_us: float = 0.0
    full: int = 0
    full_longest_us: float = 0.0
    postponed: int = 0
    set_aside: int = 0

    def as_dict(self) -> dict[str, float | int]:
        """The public form, each key with ``gc_`` before it."""
        return {
            f"gc_{key}": round(value, 1) if isinstance(value, float) else value
            for key, value in asdict(self).items()
        }


class Sweeper:
    """Has the garbage of the whole process to itself from ``with`` to its end.

    The control thread only says how much time there is. The work is done by a thread of its own, because
    finalizers of a Mod's objects run where the collection runs.

    Args:
        clock: monotonic time.
        period_ns: nanoseconds from tick to tick.
    """

    def __init__(self, clock: Clock, period_ns: int) -> None:
        self.sweeps = Sweeps()
        self._now_ns = clock.now_ns
        self._never = period_ns // 2
        self._until = 0
        self._wake = Event()
        self._ending = False
        self._thread: Thread | None = None
        self._found = (False, (0, 0, 0))
        self._rounds = [0, 0]
        """Collections of the young and of the middle objects since an older generation had its turn."""
        self._kept = [0, 0]
        """Objects that have outlived these collections."""
        self._old = 0
        """How many were left by the last full collection."""
        self._cost = self._least = _FIRST_GUESS_NS
        """Nanoseconds for an object: to be expected after what was measured, and the least that was."""

    def __enter__(self) -> Sweeper:
        self._found = (gc.isenabled(), gc.get_threshold())
        self._ending = False
        gc.collect()
        self._forget()
        self._hold()
        gc.freeze()
        self._thread = Thread(target=self._main, name="sweeper", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join(_ENDING)
        gc.unfreeze()
        enabled, thresholds = self._found
        gc.set_threshold(*thresholds)
        if enabled:
            gc.enable()

    def offer(self, until_ns: int) -> None:
        """There is time until ``until_ns``; called by the control thread after each tick."""
        if gc.get_count()[0] >= YOUNG or gc.isenabled():
            self._until = until_ns
            self._wake.set()

    def _main(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._ending:
                return
            self._hold()
            self._sweep()

    def _hold(self) -> None:
        """Keep Python from collecting by itself, also after a Mod has allowed it again."""
        gc.disable()
        # Without a threshold nothing happens even from `gc.enable()` to the next tick.
        gc.set_threshold(0)

    def _sweep(self) -> None:
        young = gc.get_count()[0]
        if young < YOUNG:
            return
        generation = self._due()
        size = young + sum(self._kept[:generation]) + (self._old if generation == 2 else 0)
        if self._cost * size <= self._until - self._now_ns() - _MARGIN_NS:
            self._collect(generation, size)
        elif self._least * size > self._never:
            self._set_aside()
        else:
            self.sweeps.postponed += 1
            self._cost *= _DOUBT

    def _due(self) -> int:
        """The oldest generation that has its turn. Old objects are looked at again only after a quarter more
        of them has come, so that the cost for each new object stays the same however many there are.
        """
        if self._rounds[0] < _ROUNDS:
            return 0
        return 2 if self._rounds[1] >= _ROUNDS and self._kept[1] * 4 >= self._old else 1

    def _collect(self, generation: int, size: int) -> None:
        begin = self._now_ns()
        freed = gc.collect(generation)
        took = self._now_ns() - begin
        left = max(0, size - freed)
        if generation == 0:
            self._rounds[0] += 1
            self._kept[0] += left
        elif generation == 1:
            self._rounds = [0, self._rounds[1] + 1]
            self._kept = [0, self._kept[1] + left]
        else:
            self._rounds, self._kept, self._old = [0, 0], [0, 0], left
        self._note(generation, took / 1e3)
        each = took / size
        self._cost = max(each, (each + self._cost) / 2)
        self._least = min(each, self._least)
        if took > self._never:
            self._set_aside()

    def _set_aside(self) -> None:
        """Look at nothing of what is there now again; this takes no time, however much it is."""
        gc.freeze()
        self.sweeps.set_aside += 1
        self._forget()

    def _forget(self) -> None:
        self._rounds = [0, 0]
        self._kept = [0, 0]
        self._old = 0
        self._cost = self._least = _FIRST_GUESS_NS

    def _note(self, generation: int, took_us: float) -> None:
        sweeps = self.sweeps
        if generation == 0:
            sweeps.young += 1
            sweeps.young_longest_us = max(sweeps.young_longest_us, took_us)
        elif generation == 1:
            sweeps.middle += 1
            sweeps.middle_longest_us = max(sweeps.middle_longest_us, took_us)
        else:
            sweeps.full += 1
            sweeps.full_longest_us = max(sweeps.full_longest_us, took_us)
