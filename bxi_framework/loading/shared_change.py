"""A change to the whole process that several runtimes share."""

from __future__ import annotations

import threading
from collections.abc import Callable


class SharedChange:
    """Made for the first who needs it, and taken back with the last.

    Args:
        make: makes the change and returns what takes it back.
    """

    def __init__(self, make: Callable[[], Callable[[], None]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._users = 0
        self._undo: Callable[[], None] | None = None

    def use(self) -> Callable[[], None]:
        """Have the change made; the returned function ends this use and may be called twice."""
        with self._lock:
            if self._users == 0:
                self._undo = self._make()
            self._users += 1
        open_uses = [self]
        return lambda: open_uses.pop()._end() if open_uses else None

    def _end(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._undo is not None:
                undo, self._undo = self._undo, None
                undo()
