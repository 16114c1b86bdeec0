"""Both states at once, with the weight moving from one to the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.mod_api.transition import SingleClassTransition, TransitionContext
from bxi_framework.motion.curves import CURVES
from bxi_framework.motion.needs import need_entry_frame, need_running_frame
from bxi_framework.robot import MotorFrame


class RunningBlend(SingleClassTransition):
    """All five fields of source and target mixed, ``duration`` seconds long.

    A side that is not sampled counts with one frame: the source with the last emitted one, the target with
    its entry frame. ``advance_from`` and ``advance_to`` let the own time of a sampled side move on during the
    blend.
    """

    type_name = "running_blend"

    def __init__(
        self,
        duration: float,
        curve: str = "smoothstep",
        *,
        sample_from: bool = True,
        sample_to: bool = True,
        advance_from: bool = True,
        advance_to: bool = False,
    ) -> None:
        self.duration = duration
        self.curve = curve
        self.sample_from = sample_from
        self.sample_to = sample_to
        self.advance_from = advance_from
        self.advance_to = advance_to
        self._weight = CURVES[curve]
        self._mix = np.zeros((), dtype=np.float32)
        self._entry: MotorFrame | None = None
        self._out: MotorFrame | None = None

    @classmethod
    def from_config(cls, reader: ConfigReader) -> RunningBlend:
        """Takes ``duration`` (s), ``curve``, ``sample_from``, ``sample_to``, ``advance_from``,
        ``advance_to``.
        """
        return cls(
            reader.float("duration", minimum=0.0),
            reader.literal("curve", tuple(CURVES), "smoothstep"),
            sample_from=reader.boolean("sample_from", True),
            sample_to=reader.boolean("sample_to", True),
            advance_from=reader.boolean("advance_from", True),
            advance_to=reader.boolean("advance_to", False),
        )

    def validate_states(self, source: RobotControlState, target: RobotControlState) -> None:
        """A sampled side needs a running frame, a target that is not sampled an entry frame."""
        if self.sample_from:
            need_running_frame(self.type_name, source, "sample_from")
        if self.sample_to:
            need_running_frame(self.type_name, target, "sample_to")
        else:
            need_entry_frame(self.type_name, target)

    def on_start(self, ctx: TransitionContext) -> None:
        """Take the entry frame if the target is not sampled."""
        self._entry = None if self.sample_to else ctx.entry_frame().copy()
        if self._out is None or self._out.layout is not ctx.robot_layout:
            self._out = MotorFrame(ctx.robot_layout)

    def apply(self, ctx: TransitionContext, dt: float, progress: float) -> MotorFrame:
        """The mix at ``progress``: exactly the source at 0, exactly the target at 1."""
        assert self._out is not None
        target = self._entry
        if target is None:
            target = ctx.target_frame(dt, advance=self.advance_to)
        if progress >= 1.0:
            return target
        source = ctx.source_frame(dt, advance=self.advance_from) if self.sample_from else ctx.start_frame
        start, out = source.data, self._out.data
        np.subtract(target.data, start, out)
        self._mix[()] = self._weight(progress)
        np.multiply(out, self._mix, out)
        np.add(out, start, out)
        return self._out

    def config_snapshot(self) -> Mapping[str, object]:
        """Type, duration, curve and the four options."""
        return {
            "type": self.type_name,
            "duration": self.duration,
            "curve": self.curve,
            "sample_from": self.sample_from,
            "sample_to": self.sample_to,
            "advance_from": self.advance_from,
            "advance_to": self.advance_to,
        }
