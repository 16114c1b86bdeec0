"""What the joints are told last: the configured safe ending, then the frame that asks for nothing."""

from __future__ import annotations

from collections.abc import Callable

from bxi_framework.control.clock import Clock
from bxi_framework.control.controller import Controller
from bxi_framework.control.loop import ControlLoop
from bxi_framework.control.stall import Stall
from bxi_framework.machine.engine import Engine
from bxi_framework.machine.requests import AskState, Verdict
from bxi_framework.manifest.system import SafeEnding
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot import MotorFrame
from bxi_framework.ros.frames import FrameOutput
from bxi_framework.ros.leaving import end_process, last_words
from bxi_framework.ros.signals import FORCED

LONGEST_PAUSE = 0.02
"""Seconds between two last frames, however slow the loop is."""

LAST_FRAMES = 5
"""The last frame goes out this often, a period apart, so that a listener which misses one has another."""

PATIENCE = 1.0
"""Seconds that the tick under way may take to end."""


def park(ending: SafeEnding, engine: Engine, clock: Clock, wait: Callable[[], None], log: LogSink) -> None:
    """Bring the robot to the state in which it may lose its torque, or give up after the ending's timeout.

    Args:
        ending: names the state and the time.
        engine: is asked for the state while the loop runs.
        clock: monotonic time.
        wait: lets some time pass in which everything else goes on.
        log: told how it went.
    """
    if ending.mode != "park" or ending.state is None:
        return
    refused: list[str] = []

    def reply(verdict: Verdict) -> None:
        if not verdict.ok:
            refused.append(verdict.reason)

    deadline = clock.now_ns() + round(ending.timeout * 1e9)
    if not _reached(engine, ending.state):
        engine.post(AskState(ending.state, "safe ending", reply=reply))
    while not _reached(engine, ending.state):
        if refused:
            log("warning", "ending", f"not parked in '{ending.state}': {refused[0]}")
            return
        if clock.now_ns() > deadline:
            log("warning", "ending", f"'{ending.state}' was not reached within {ending.timeout:g} s")
            return
        wait()
    log("info", "ending", f"parked in '{ending.state}'")


def end_stalled(stall: Stall, stack: str) -> None:
    """End the process at once, since code of a Mod does not return; the passive frame was sent already."""
    said = f"has held the control loop for {stall.seconds:.1f} s; the process ends"
    last_words(f"{stall.owner}: {said}\n{stack}")
    end_process(FORCED)


def _reached(engine: Engine, state: str) -> bool:
    snapshot = engine.snapshot()
    return snapshot.state == state and snapshot.transition is None and snapshot.pending is None


def stop_loop(
    loop: ControlLoop,
    controller: Controller,
    frames: FrameOutput,
    clock: Clock,
    period: float,
    log: LogSink,
    *,
    cut: bool,
) -> bool:
    """End the loop and send the last frame: all zero if ``cut``, else the passive one.

    Returns:
        False if the tick under way did not end, because code of a Mod does not return.
    """
    ended = loop.stop(PATIENCE)
    if not ended:
        log("error", "ending", f"the tick under way did not end within {PATIENCE:g} s")
    frame = controller.passive()
    if cut:
        frame = MotorFrame.empty(frame.layout)
    for _ in range(LAST_FRAMES):
        frames.publish(frame)
        clock.sleep_until(clock.now_ns() + round(min(period, LONGEST_PAUSE) * 1e9))
    frames.flush(0.1)
    log(
        "info",
        "ending",
        "no torque: all commands are zero" if cut else "passive damping: the joints are free to move",
    )
    return ended
