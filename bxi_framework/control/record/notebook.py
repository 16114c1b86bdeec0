"""What happened, in words: bounded lists that any thread may add to without waiting."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from bxi_framework.control.record.flight import Note
from bxi_framework.mod_api.logger import LogSink

MOST: Final = 4000
"""Notes of a kind of their own, and likewise lines of the log, beyond this number push out the oldest."""

LONGEST: Final = 400
"""Characters of a note; the rest is cut off."""


class Notebook:
    """Takes notes with their time.

    Args:
        now_ns: monotonic time.
        log: takes every line of the log, after it was noted.
    """

    def __init__(self, now_ns: Callable[[], int], log: LogSink) -> None:
        self.now_ns = now_ns
        self._sink = log
        self._notes: deque[Note] = deque(maxlen=MOST)
        # Apart, so that a Mod that talks much cannot push out what an operator did.
        self._lines: deque[Note] = deque(maxlen=MOST)

    def add(self, kind: str, level: str, source: str, text: str) -> None:
        """Take one note."""
        self._notes.append(self._note(kind, level, source, text))

    def log(self, level: str, source: str, message: str) -> None:
        """A log sink: notes the line, unless it is for debugging, and passes it on."""
        if level != "debug":
            self._lines.append(self._note("log", level, source, message))
        self._sink(level, source, message)

    def since(self, time: int) -> tuple[Note, ...]:
        """The notes from ``time`` (ns) on, in order."""
        found = [note for notes in (self._notes, self._lines) for note in list(notes) if note.time >= time]
        return tuple(sorted(found, key=lambda note: note.time))

    def _note(self, kind: str, level: str, source: str, text: str) -> Note:
        cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        return Note(self.now_ns(), kind, level, source, cut)
