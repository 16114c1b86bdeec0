"""What every way to the car offers, and the newest command with its expiry."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeAlias

from .command import STOP, CarCommand
from .readings import CarReadings, Part

COMMAND_LIMIT: Final = 0.2
"""Seconds after which a command that no newer one has followed counts as a stop."""

Log: TypeAlias = Callable[[str, str], None]
"""Takes (level, message) from any thread; level is ``info``, ``warning`` or ``error``."""


class Transport(Protocol):
    """A way to the car. Whatever happens, the car is stopped: when the way opens, when commands stay away,
    and before it closes.
    """

    @property
    def sensors(self) -> frozenset[str]:
        """Ids of the sensors that can be read this way."""

    @property
    def actuators(self) -> frozenset[str]:
        """Ids of the channels of control that can be reached this way."""

    @property
    def in_touch(self) -> bool:
        """True while the car is known to take commands."""

    def open(self) -> None:
        """Stop the car and begin. Returns at once; a car that is not there yet is tried again and again.

        Raises:
            OSError: something of this machine is missing or taken; nothing is left open.
        """

    def command(self, command: CarCommand) -> None:
        """The newest command; it replaces the one before and holds for `COMMAND_LIMIT` seconds."""

    def show(self, pattern: str) -> None:
        """Show a pattern on the LED matrix, by the kit's names."""

    def tone(self, frequency: float) -> None:
        """Sound a tone in Hz, 0 is silence; nothing where no buzzer can be reached."""

    def readings(self) -> CarReadings:
        """The newest of everything."""

    def parts(self) -> Sequence[Part]:
        """How each part does."""

    def check(self) -> None:
        """Raises: RuntimeError: a thread has failed, so the car cannot be driven any more and all of it must
        be made anew.
        """

    def close(self) -> bool:
        """Stop the car and end; True if the stop is known to have arrived. May be called again."""


class CommandBox:
    """The newest command, put in by one thread and taken out by another.

    A stop is never passed over: once it was put in, `take` gives it out before any newer motion.

    Args:
        now: monotonic seconds.
        limit: seconds that a command holds.
    """

    def __init__(self, now: Callable[[], float], limit: float = COMMAND_LIMIT) -> None:
        self._now = now
        self._limit = limit
        self._changed = threading.Condition()
        self._command = STOP
        self._at = -float("inf")
        self._stop_due = False

    def put(self, command: CarCommand) -> None:
        """Replace the command."""
        with self._changed:
            self._command = command
            self._at = self._now()
            self._stop_due = self._stop_due or command.stopped
            self._changed.notify_all()

    def take(self) -> CarCommand:
        """What the car is to do now: the newest command, without its motion if it is too old or if a stop has
        come since the last call.
        """
        with self._changed:
            command, due = self._command, self._stop_due
            fresh = self._now() - self._at <= self._limit
            self._stop_due = False
        if fresh and not due:
            return command
        # Without newer commands the servos stay, but nothing is asked of them any more.
        return still(command) if fresh else STOP

    def wait(self, seconds: float) -> None:
        """Wait until a command comes, at most ``seconds``."""
        with self._changed:
            self._changed.wait(seconds)


def still(command: CarCommand) -> CarCommand:
    """The same command without motion of the wheels."""
    return CarCommand(0.0, 0.0, command.brake, command.ultrasonic, command.tilt, command.pan)
