"""The flight record: the last minute in memory, and on disk after a stop, a fault or a request.

``flight``    a window of time as data
``ring``      the numbers of the last ticks; ``notebook`` what happened in words
``live``      the record in memory, fed by the loop
``channels``  what the topics of a file are called and how their messages are laid out
``write``     a window becomes an MCAP file; ``read`` the way back
``folder``    a bounded number of files, each written whole or not at all
``recorder``  the thread that writes
``summary``   what a window says about rate, gaps and joints
"""

from __future__ import annotations

from bxi_framework.control.record.flight import Flight, Moment, Note, Reason, Series
from bxi_framework.control.record.live import FlightRecord
from bxi_framework.control.record.notebook import Notebook

__all__ = ["Flight", "FlightRecord", "Moment", "Note", "Notebook", "Reason", "Series"]
