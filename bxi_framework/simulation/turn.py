"""One call at a time works on a run: neither a second thread nor a part may step what is being stepped."""

from __future__ import annotations

import threading
from types import TracebackType

from bxi_framework.simulation.errors import BusyError


class Turn:
    """A context that is entered by one at a time, or taken and given back; it never waits.

    Raises:
        BusyError: somebody is in it.
    """

    __slots__ = ("_acquire", "give")

    def __init__(self) -> None:
        lock = threading.Lock()
        self._acquire = lock.acquire
        self.give = lock.release

    def take(self) -> None:
        """Enter; `give` leaves."""
        if not self._acquire(False):
            raise BusyError(
                "another call of this simulation is under way; a part must not step, reset, restore or "
                "close the run that calls it, and threads must take turns"
            )

    def __enter__(self) -> None:
        self.take()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.give()
