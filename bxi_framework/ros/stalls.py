"""Stalls of the control loop, told and put down in the flight record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bxi_framework.control.ending import Ended
from bxi_framework.control.record import Notebook, Reason
from bxi_framework.control.record.recorder import Recorder
from bxi_framework.control.stall import Stall
from bxi_framework.ros.ending import end_stalled

RECORD_PATIENCE: Final = 0.3
"""Seconds that the flight record may take before the process ends."""

_KIND: Final = "stall"


class Stalls:
    """What a stall watch calls, on its own thread.

    Args:
        notebook: takes each stall, with its place and how long it took.
        recorder: writes the record before the process ends.
        let_go: sends what the safe ending wants the joints to hear last, and says how that leaves them.
    """

    def __init__(self, notebook: Notebook, recorder: Recorder, let_go: Callable[[Stall], Ended]) -> None:
        self._notebook = notebook
        self._recorder = recorder
        self._let_go = let_go

    def begun(self, stall: Stall) -> None:
        """The joints are passive from now on."""
        said = f"holds the control loop, the joints are passive; it is at {stall.place}"
        self._notebook.log("error", stall.owner, said)
        self._notebook.add(_KIND, "error", stall.owner, said)

    def over(self, stall: Stall) -> None:
        """The loop goes on, in the fault state."""
        said = f"has held the control loop for {stall.seconds:.2f} s; it was at {stall.place}"
        self._notebook.add(_KIND, "error", stall.owner, said)

    def end(self, stall: Stall, stack: str) -> None:
        """Write the record, if that goes quickly, and end the process."""
        said = (
            f"has held the control loop for {stall.seconds:.2f} s; it is at {stall.place}; the process ends"
        )
        self._notebook.add(_KIND, "error", stall.owner, said)
        ended = self._let_go(stall)
        self._notebook.add("log", "error", "ending", str(ended))
        self._recorder.want(Reason(self._notebook.now_ns(), _KIND, f"{stall.owner}: {said}"))
        self._recorder.close(RECORD_PATIENCE)
        end_stalled(stall, stack, ended)
