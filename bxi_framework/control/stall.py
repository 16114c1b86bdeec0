"""Watches the tick from outside: a Mod that holds the loop costs the robot its stiffness, then the process.

Time is counted in looks rather than read once, so that a machine that slept does not count as a stall.
"""

from __future__ import annotations

import faulthandler
import sys
import sysconfig
import traceback
from collections.abc import Callable
from threading import Event, Lock, Thread
from types import FrameType
from typing import Final, NamedTuple

from bxi_framework.control.clock import Clock

PASSIVE_AFTER: Final = 0.05
"""Seconds that a tick may take before the passive frame is sent in its place."""

END_AFTER: Final = 0.7
"""Seconds that a tick may take before the end of the process begins, which is over by the first second."""

END_HELD_AFTER: Final = 1.0
"""Seconds after which the process ends if the interpreter itself is held."""

_LOOK: Final = 0.01
_LOOK_NS: Final = round(_LOOK * 1e9)
_ARM_EVERY: Final = 25
_LIBRARY: Final = (sysconfig.get_path("stdlib") + "/", "<")


class Stall(NamedTuple):
    """A tick that takes too long: whose code is in it, where (``file:line``) it was when it was noticed, and
    how long (s) it has taken.
    """

    owner: str
    place: str
    seconds: float


class StallWatch:
    """Looks at the tick under way every 10 ms, on a thread of its own.

    The control thread sets ``began`` (ns) when a tick begins and 0 when it has ended, and sends its frame
    while it holds ``lock``. ``stalled`` is how long (s) the tick has taken if the watch has sent frames in
    its place, else 0; the control thread then drops its own frame and sets it back.

    Code that holds the interpreter lock holds this thread as well: for that case a timer outside of Python
    ends the process, with the stack of every thread on standard error.

    Args:
        clock: monotonic time.
        period: seconds between two frames.
        owner: says whose code runs.
        passive: sends the passive frame.
        begun: told when the watch takes over.
        over: told when the control thread has its turn again.
        end: ends the process; takes the stack of the control thread too.
    """

    def __init__(
        self,
        clock: Clock,
        period: float,
        owner: Callable[[], str],
        passive: Callable[[], None],
        begun: Callable[[Stall], None],
        over: Callable[[Stall], None],
        end: Callable[[Stall, str], None],
    ) -> None:
        self.began = 0
        self.stalled = 0.0
        self.owner = ""
        """Whose code held the loop, once ``stalled`` is set."""
        self.place = ""
        """Where it was then: ``file:line``."""
        self.lock = Lock()
        self._clock = clock
        self._every = max(1, round(period / _LOOK))
        self._owner = owner
        self._passive = passive
        self._begun = begun
        self._over = over
        self._end = end
        self._seen: Stall | None = None
        self._stopping = Event()
        self._thread: Thread | None = None
        self._watched: int | None = None

    def start(self, thread_ident: int) -> None:
        """Watch the ticks of a thread."""
        self._stopping.clear()
        self._watched = thread_ident
        self._thread = Thread(target=self._main, name="stall-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Watch no longer."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _main(self) -> None:
        seen, looks, turn = 0, 0, 0
        try:
            while not self._stopping.is_set():
                # No timeout of a lock: on Python 3.10 those follow the wall clock.
                self._clock.sleep_until(self._clock.now_ns() + _LOOK_NS)
                if turn % _ARM_EVERY == 0:
                    faulthandler.dump_traceback_later(END_HELD_AFTER + _ARM_EVERY * _LOOK, exit=True)
                turn += 1
                began = self.began
                looks = looks + 1 if began and began == seen else 0
                seen = began
                if not looks and self._seen is not None:
                    stall, self._seen = self._seen, None
                    self._over(stall)
                if looks:
                    self._look(began, looks)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _look(self, began: int, looks: int) -> None:
        seconds = min((self._clock.now_ns() - began) / 1e9, (looks + 1) * 2 * _LOOK)
        if seconds < PASSIVE_AFTER:
            return
        with self.lock:
            if self.began != began:
                return
            first = not self.stalled
            self.stalled = seconds
            if first:
                self.owner, self.place = self._owner(), self._place()
            if first or looks % self._every == 0:
                self._passive()
        stall = self._seen = Stall(self.owner, self.place, seconds)
        if first:
            self._begun(stall)
        if seconds >= END_AFTER:
            self._end(stall, "".join(traceback.format_stack(self._frame())))

    def _frame(self) -> FrameType | None:
        return sys._current_frames().get(self._watched or 0)

    def _place(self) -> str:
        """Where the thread is; if that is in Python's own library, where it was called from."""
        innermost = frame = self._frame()
        while frame is not None and frame.f_code.co_filename.startswith(_LIBRARY):
            frame = frame.f_back
        frame = frame or innermost
        return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "an unknown place"
