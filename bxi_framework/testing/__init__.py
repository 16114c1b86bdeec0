"""The test bench for Mod authors: the whole stack without a middleware or a clock.

``bench``      `Bench`, which boots a configuration and steps it tick by tick
``defaults``   `default_config`, the configuration that a start without one runs
"""

from __future__ import annotations

from bxi_framework.control.ending import Ended, JointEnd
from bxi_framework.testing.bench import Bench, LogLine
from bxi_framework.testing.defaults import default_config

__all__ = ["Bench", "Ended", "JointEnd", "LogLine", "default_config"]
