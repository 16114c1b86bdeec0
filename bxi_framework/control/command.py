"""Who commands the velocity: one source at a time, by a written priority."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from bxi_framework.robot import FloatArray

PRIORITY: Final = ("gamepad", "topic")
"""The sources; an earlier one takes over from a later one as soon as it asks for motion."""

ZERO: Final[FloatArray] = np.zeros(3, dtype=np.float32)
ZERO.setflags(write=False)


class _Source:
    """The newest wish of one source."""

    def __init__(self) -> None:
        self.velocity: FloatArray = ZERO
        self.asks = False
        self.heard_ns: int | None = None
        self.changed_ns = 0


class CommandArbiter:
    """Gives the velocity command to one source and keeps it there until that source lets go.

    A source asks while it is heard and its wish is not zero. The one that commands lets go when it has not
    asked for ``timeout``; until then, and while it rests, the command is its own or zero, so that a source
    that falls silent leaves a robot that stands. An earlier source in `PRIORITY` takes over at once.

    Args:
        timeout_ns: how long (ns) a wish holds without a newer one.
        longest_ns: how long (ns) the gamepad's wish may stay the same to the bit; a radio link that died may
            repeat its last message for ever.
        warn: takes one sentence when a gamepad's wish was the same for too long.
    """

    def __init__(self, timeout_ns: int, longest_ns: int, warn: Callable[[str], None]) -> None:
        self._timeout = timeout_ns
        self._longest = longest_ns
        self._warn = warn
        self._sources = {name: _Source() for name in PRIORITY}
        self._anybody = False
        """True if the newest wish of some source is a motion."""
        self._asked_ns = 0
        self._frozen = False
        self.owner = "none"
        """The source that commands, or ``none``."""

    def hear(self, name: str, velocity: tuple[float, float, float], now_ns: int) -> None:
        """Take a source's wish: vx (m/s), vy (m/s), yaw (rad/s), or for a gamepad parts of the scale."""
        source = self._sources[name]
        wish = np.array(velocity, dtype=np.float32)
        wish.setflags(write=False)
        if source.heard_ns is None or wish.tobytes() != source.velocity.tobytes():
            source.changed_ns = now_ns
            if name == "gamepad":
                self._frozen = False
        source.velocity, source.asks, source.heard_ns = wish, any(velocity), now_ns
        self._anybody = any(each.asks for each in self._sources.values())

    def heard_ns(self, name: str) -> int | None:
        """When a source was last heard (ns); None if never."""
        return self._sources[name].heard_ns

    def decide(self, now_ns: Callable[[], int]) -> FloatArray:
        """The command of this tick, shape (3,). The time is looked at only if somebody wants to move."""
        if self.owner == "none" and not self._anybody:
            return ZERO
        now = now_ns()
        if self.owner != "none" and self._asks(self.owner, now):
            self._asked_ns = now
        elif now - self._asked_ns >= self._timeout:
            self.owner = "none"
        for name in PRIORITY:
            if self._asks(name, now):
                if name != self.owner and self._lower(name):
                    self.owner, self._asked_ns = name, now
                break
        if self.owner == "none" or not self._asks(self.owner, now):
            return ZERO
        return self._sources[self.owner].velocity

    def _lower(self, name: str) -> bool:
        """True if ``name`` may take over from the owner."""
        return self.owner == "none" or PRIORITY.index(name) < PRIORITY.index(self.owner)

    def _asks(self, name: str, now: int) -> bool:
        source = self._sources[name]
        if not source.asks or source.heard_ns is None or now - source.heard_ns >= self._timeout:
            return False
        if name == "gamepad" and now - source.changed_ns >= self._longest:
            if not self._frozen:
                self._frozen = True
                seconds = self._longest / 1e9
                self._warn(
                    f"the sticks have not moved for {seconds:g} s; their velocity is zero until they do"
                )
            return False
        return True
