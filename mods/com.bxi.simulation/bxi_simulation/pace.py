"""When the next control period is due, so that simulated time keeps a factor of real time."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_DEBT = 0.1
"""Seconds of real time that the simulation may be late before it gives up catching up."""


@dataclass(slots=True)
class Pace:
    """Deadlines on a steady clock, in seconds.

    ``factor`` is simulated seconds for each real one; 0 is as fast as it goes. A simulation that falls behind
    catches up a short delay and lets a longer one go: it never rushes for minutes because of one long pause.
    """

    period: float
    factor: float
    due: float = 0.0

    def start(self, now: float) -> None:
        """Begin anew at ``now``."""
        self.due = now

    def wait(self, now: float) -> float:
        """Seconds to sleep before the next period; moves on to the one after it."""
        if self.factor == 0.0:
            return 0.0
        self.due = max(self.due + self.period / self.factor, now - LONGEST_DEBT)
        return max(0.0, self.due - now)


@dataclass(slots=True)
class FactorMeter:
    """The factor that was reached since it was last asked."""

    real: float = 0.0
    simulated: float = 0.0
    window: float = 0.0
    """Real seconds that the last figure is over."""

    def restart(self, real: float, simulated: float) -> None:
        """Measure from here on: after a pause or a reset, what was before says nothing."""
        self.real, self.simulated = real, simulated

    def read(self, real: float, simulated: float) -> float:
        """Simulated seconds for each real one since the last call; 0 after a reset."""
        passed, moved = real - self.real, simulated - self.simulated
        self.real, self.simulated, self.window = real, simulated, passed
        return moved / passed if passed > 0.0 and moved >= 0.0 else 0.0
