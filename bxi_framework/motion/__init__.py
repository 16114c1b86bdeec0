"""The motion along a route: built-in transition types and the curves they follow.

``curves``      how progress becomes weight
``hold``        `Instant` and `Hold`
``gain_ramp``   `EntryGainRamp`
``blend``       `RunningBlend`
``sequence``    `Sequence`, one type after the other
``types``       the registry that builds a transition from its configuration
"""

from __future__ import annotations

from bxi_framework.motion.blend import RunningBlend
from bxi_framework.motion.curves import CURVES
from bxi_framework.motion.gain_ramp import EntryGainRamp
from bxi_framework.motion.hold import Hold, Instant
from bxi_framework.motion.sequence import Sequence
from bxi_framework.motion.types import BUILT_IN, TransitionTypes

__all__ = [
    "BUILT_IN",
    "CURVES",
    "EntryGainRamp",
    "Hold",
    "Instant",
    "RunningBlend",
    "Sequence",
    "TransitionTypes",
]
