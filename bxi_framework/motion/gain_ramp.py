"""The target's position at once, with gains that grow into it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.mod_api.transition import SingleClassTransition, TransitionContext
from bxi_framework.motion.needs import need_entry_frame
from bxi_framework.robot import FloatArray, MotorFrame

GAIN_ORIGINS = ("current", "zero", "target")
_GAINS = slice(2, 4)


class EntryGainRamp(SingleClassTransition):
    """Position, velocity and torque of the target's entry frame, gains linear from an origin to the target's.

    ``kp_from`` and ``kd_from`` are ``current`` (the last emitted frame's gains), ``zero`` or ``target`` (no
    ramp).
    """

    type_name = "entry_gain_ramp"

    def __init__(self, duration: float, kp_from: str = "current", kd_from: str = "target") -> None:
        self.duration = duration
        self.kp_from = kp_from
        self.kd_from = kd_from
        self._entry: MotorFrame | None = None
        self._out: MotorFrame | None = None
        self._origin: FloatArray | None = None
        self._span: FloatArray | None = None

    @classmethod
    def from_config(cls, reader: ConfigReader) -> EntryGainRamp:
        """Takes ``duration`` (s), ``kp_from``, ``kd_from``."""
        return cls(
            reader.float("duration", minimum=0.0),
            reader.literal("kp_from", GAIN_ORIGINS, "current"),
            reader.literal("kd_from", GAIN_ORIGINS, "target"),
        )

    def validate_states(self, source: RobotControlState, target: RobotControlState) -> None:
        """The target needs an entry frame."""
        need_entry_frame(self.type_name, target)

    def on_start(self, ctx: TransitionContext) -> None:
        """Take the entry frame and the two gain rows to ramp between."""
        self._entry = entry = ctx.entry_frame().copy()
        self._out = entry.copy()
        self._origin = entry.data[_GAINS].copy()
        for row, origin in enumerate((self.kp_from, self.kd_from)):
            if origin == "current":
                self._origin[row] = ctx.start_frame.data[_GAINS][row]
            elif origin == "zero":
                self._origin[row] = 0.0
        self._span = entry.data[_GAINS] - self._origin

    def apply(self, ctx: TransitionContext, dt: float, progress: float) -> MotorFrame:
        """The entry frame with gains at ``progress`` of the way; exactly the entry frame at 1."""
        assert self._entry is not None and self._out is not None
        assert self._origin is not None and self._span is not None
        if progress >= 1.0:
            return self._entry
        gains = self._out.data[_GAINS]
        np.multiply(self._span, progress, gains)
        np.add(gains, self._origin, gains)
        return self._out

    def config_snapshot(self) -> Mapping[str, object]:
        """Type, duration and origins."""
        return {
            "type": self.type_name,
            "duration": self.duration,
            "kp_from": self.kp_from,
            "kd_from": self.kd_from,
        }
