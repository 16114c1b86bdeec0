"""The one word to send next: a stop before all else, then motion, then the camera."""

from __future__ import annotations

from typing import Final

from ..command import CarCommand
from .aim import CameraAim
from .words import PULSE, STOP, WordChooser

REPEAT: Final = 0.1
"""Seconds between two stops while the link is not known to be good."""

GOOD_AFTER: Final = 3.0
"""Seconds without a stall after a stop; then the link counts as good."""

HEARTBEAT: Final = 1.0
"""Seconds between two stops on a good link."""

REFRESH: Final = 0.14
"""Seconds between two equal motion words: one may have been lost between two others."""


class Talk:
    """Decides; nothing here waits or sends. Times are monotonic seconds.

    A motion goes out only on a link without a stall: there it would act late, maybe after its own stop. Stops
    always go out, since one more behind a stall costs nothing.
    """

    def __init__(self, aim: CameraAim, pulse: float = PULSE) -> None:
        self._aim = aim
        self._chooser = WordChooser(pulse)
        self._last: str | None = None
        self._sent_at = -float("inf")
        self._good_since = -float("inf")

    @property
    def last(self) -> str | None:
        """The motion word that went out last on this connection."""
        return self._last

    def connected(self) -> None:
        """A new connection: whatever the car does, the first word is a stop."""
        self._last = None
        self._chooser.stop()

    def word(self, now: float, command: CarCommand, stalled: bool) -> str | None:
        """The word that is due, if one is."""
        if command.stopped or self._last is None:
            self._chooser.stop()
            wish = STOP
        else:
            wish = self._chooser.choose(now, command.left, command.right)
        if stalled:
            self._good_since = now
        if self._motion_due(now, wish, stalled):
            return wish
        return None if stalled else self._aim.due(now, command.tilt, command.pan)

    def sent(self, now: float, word: str) -> None:
        """A word has gone out."""
        if not word.startswith("Dir"):
            self._aim.sent(now, word)
            return
        self._aim.halted(now)
        if word == STOP and self._last != STOP:
            self._good_since = now
        self._last, self._sent_at = word, now

    def _motion_due(self, now: float, wish: str, stalled: bool) -> bool:
        since = now - self._sent_at
        if wish != STOP:
            return not stalled and (wish != self._last or since >= REFRESH)
        good = now - self._good_since > GOOD_AFTER
        return self._last != STOP or since >= (HEARTBEAT if good else REPEAT)
