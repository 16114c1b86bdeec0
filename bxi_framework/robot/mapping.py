"""A frame in one layout carried over to another by joint name."""

from __future__ import annotations

import numpy as np

from bxi_framework.robot.frame import MotorFrame
from bxi_framework.robot.layout import JointLayout


class FrameMapping:
    """Copies frames of ``source`` into frames like ``defaults``, joint by joint.

    Joints that ``source`` lacks keep the command of ``defaults``; joints that only ``source`` has are dropped
    and listed in ``dropped``.
    """

    def __init__(self, source: JointLayout, defaults: MotorFrame) -> None:
        target = defaults.layout
        shared = [name for name in source.names if name in target]
        self.source = source
        self.dropped = tuple(name for name in source.names if name not in target)
        self._defaults = defaults.copy()
        self._from = np.array([source.index(name) for name in shared], dtype=np.intp)
        self._to = np.array([target.index(name) for name in shared], dtype=np.intp)

    def apply(self, frame: MotorFrame, output: MotorFrame) -> None:
        """Write ``frame`` (in the source layout) into ``output`` (in the target layout)."""
        output.copy_from(self._defaults)
        output.data[:, self._to] = frame.data[:, self._from]
