"""The test bench for Mod authors: the whole stack without a middleware or a clock.

``bench``   `Bench`, which boots a configuration and steps it tick by tick
"""

from __future__ import annotations

from bxi_framework.testing.bench import Bench, LogLine

__all__ = ["Bench", "LogLine"]
