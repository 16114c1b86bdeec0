"""Who asked for the end: the first signal ends the run in order, the second at once."""

from __future__ import annotations

import signal
from collections.abc import Callable
from threading import Event, Thread
from types import FrameType
from typing import Any, Final

from bxi_framework.ros.leaving import end_process, last_words

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

FORCED: Final = 1
"""The exit status of an end that had to be forced."""


def _silence() -> None:
    """Nothing is to be said."""


class Signals:
    """Takes SIGINT, SIGTERM and SIGHUP while it is entered; belongs to the main thread.

    An end that has not come ``limit`` seconds after it was asked for is forced.
    """

    def __init__(self, limit: float = 10.0) -> None:
        self.requested = False
        """True once an end was asked for."""
        self.limit = limit
        self.last_word: Callable[[], None] = _silence
        """Called before an end at once."""
        self._ended = Event()
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Signals:
        for number in _ENDING:
            self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def request(self) -> None:
        """Ask for the end."""
        if not self.requested:
            self.requested = True
            Thread(target=self._force, name="bxi-limit", daemon=True).start()

    def forget_last_word(self) -> None:
        """There is nobody left who could say it."""
        self.last_word = _silence

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        if self.requested:
            self.last_word()
            last_words("ended at once, without the safe ending\n")
            end_process(128 + number)
        self.request()

    def _force(self) -> None:
        if not self._ended.wait(self.limit):
            self.last_word()
            last_words(f"the end took longer than {self.limit:g} s and is forced\n")
            end_process(FORCED)
