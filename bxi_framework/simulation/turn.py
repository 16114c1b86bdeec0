"""One call at a time works on a run: neither a second thread nor a part may step what is being stepped."""

from __future__ import annotations

import threading
from types import TracebackType

from bxi_framework.simulation.errors import BusyError


class Turn:
    """A context that is entered by one at a time; it never waits.

    Raises:
        BusyError: somebody is in it.
    """

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise BusyError(
                "another call of this simulation is under way; a part must not step, reset, restore or "
                "close the run that calls it, and threads must take turns"
            )

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
