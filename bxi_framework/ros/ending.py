"""What the joints are told last over ROS: the frame of the safe ending, and the report of what it did."""

from __future__ import annotations

from bxi_framework.control.clock import Clock
from bxi_framework.control.controller import Controller
from bxi_framework.control.ending import Ended, SafeEnd, unsent
from bxi_framework.control.inputs import InputHub
from bxi_framework.control.loop import ControlLoop
from bxi_framework.control.stall import Stall
from bxi_framework.diagnostics.guard import describe_error, guarded
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.ros.frames import FrameOutput
from bxi_framework.ros.leaving import end_process, last_words
from bxi_framework.ros.signals import FORCED

LONGEST_PAUSE = 0.02
"""Seconds between two last frames, however slow the loop is."""

LAST_FRAMES = 5
"""The last frame goes out this often, a period apart, so that a listener which misses one has another."""

PATIENCE = 1.0
"""Seconds that the tick under way may take to end."""


def end_stalled(stall: Stall, stack: str, ended: Ended) -> None:
    """End the process at once, since code of a Mod does not return; the last frame was sent already."""
    said = f"has held the control loop for {stall.seconds:.1f} s; the process ends"
    last_words(f"{stall.owner}: {said}\nending: {ended}\n{stack}")
    end_process(FORCED)


class LastFrames:
    """Ends a loop and sends what the safe ending wants the joints to hear last."""

    def __init__(
        self,
        end: SafeEnd,
        controller: Controller,
        hub: InputHub,
        frames: FrameOutput,
        clock: Clock,
        period: float,
        log: LogSink,
    ) -> None:
        self._end = end
        self._controller = controller
        self._hub = hub
        self._frames = frames
        self._clock = clock
        self._pause = round(min(period, LONGEST_PAUSE) * 1e9)
        self._log = log

    def stop_loop(self, loop: ControlLoop, *, cut: bool) -> bool:
        """End the loop and send the last frame: all zero if ``cut``, else the passive one.

        Returns:
            False if the tick under way did not end, because code of a Mod does not return.
        """
        done = loop.stop(PATIENCE)
        if not done:
            self._log("error", "ending", f"the tick under way did not end within {PATIENCE:g} s")
        inputs = self._hub.snapshot()
        ended = self._end.let_go(inputs, cut=cut)
        last = self._controller.safety.emitted.copy()
        problem: str | None = None
        for turn in range(LAST_FRAMES):
            error = guarded(self._frames.publish, ended.frame).error
            if error is None:
                problem = ""
            elif turn == 0 or problem:
                problem = describe_error(error)
            self._clock.sleep_until(self._clock.now_ns() + self._pause)
        if problem:
            ended = unsent(ended, problem, last, inputs)
        else:
            self._controller.passive()
            guarded(self._frames.flush, 0.1)
        self._log("warning" if ended.missed else "info", "ending", str(ended))
        return done

    def amid_a_stall(self, stall: Stall) -> Ended:
        """What the joints hear last when code of a Mod keeps the loop; the passive frame was sent before."""
        self._end.miss(f"{stall.owner} does not return")
        ended = self._end.let_go(self._hub.snapshot())
        if not ended.frame.kd.any():
            guarded(self._frames.publish_nothing)
        return ended
