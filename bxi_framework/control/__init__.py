"""The control loop: read, decide, limit, emit, at the control rate on its own thread.

``clock``       the clock that the loop is given
``inputs``      the newest of everything heard, as one snapshot per tick
``controller``  one tick: snapshot, engine, safety stage
``clamps``      how often values of frames were cut, and whose
``pacer``       absolute deadlines; late cycles are skipped and counted
``timing``      what the ticks took
``loop``        the thread that joins them
``ending``      the safe ending, and how it leaves each joint
``record``      the flight record: the last minute, in memory and on disk
"""

from __future__ import annotations

from bxi_framework.control.clock import Clock
from bxi_framework.control.controller import Controller
from bxi_framework.control.inputs import InputHub
from bxi_framework.control.loop import ControlLoop
from bxi_framework.control.pacer import Pacer
from bxi_framework.control.timing import TimingStatistics, TimingSummary

__all__ = [
    "Clock",
    "ControlLoop",
    "Controller",
    "InputHub",
    "Pacer",
    "TimingStatistics",
    "TimingSummary",
]
