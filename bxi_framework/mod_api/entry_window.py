"""How far a robot may be from where a state begins, and how fast the state may take it over."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EntryWindow:
    """Limits of an entry, for the attribute ``entry_window`` of a state.

    Beyond the first two a switch to the state is refused, and the reason names the worst joint. Within them
    the frames of the transition and of the state change by no more than ``rate × period`` a tick, until each
    joint has caught up.

    Args:
        position: how far (rad) a joint may be from the state's entry frame; one number, or one for each joint
            that is to be looked at.
        gain_ratio: how many times stiffer or softer than now a joint may become; joints that are limp count
            as fitting.
        position_rate: rad/s of the target.
        kp_rate: N·m/rad per second.
        kd_rate: N·m·s/rad per second.

    Raises:
        ValueError: a value is not a number above zero, or the ratio is below 1.
    """

    position: float | Mapping[str, float]
    gain_ratio: float = 10.0
    position_rate: float = 1.0
    kp_rate: float = 200.0
    kd_rate: float = 10.0

    def __post_init__(self) -> None:
        positions = self.position.values() if isinstance(self.position, Mapping) else (self.position,)
        values = (*positions, self.gain_ratio, self.position_rate, self.kp_rate, self.kd_rate)
        if not all(math.isfinite(value) and value > 0.0 for value in values):
            raise ValueError(f"an entry window takes finite numbers above 0, not {values}")
        if self.gain_ratio < 1.0:
            raise ValueError(f"'gain_ratio' must be at least 1, not {self.gain_ratio}")

    def position_of(self, joint: str) -> float:
        """How far (rad) this joint may be away; infinite if it is not looked at."""
        if isinstance(self.position, Mapping):
            return self.position.get(joint, math.inf)
        return self.position
