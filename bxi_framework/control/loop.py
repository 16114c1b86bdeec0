"""The thread that runs the controller at the control rate."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from threading import Event, Thread
from typing import TypeAlias

import numpy as np

from bxi_framework.control.clock import Clock
from bxi_framework.control.controller import Controller
from bxi_framework.control.inputs import InputHub
from bxi_framework.control.pacer import Pacer
from bxi_framework.control.stall import StallWatch
from bxi_framework.control.timing import TimingStatistics
from bxi_framework.diagnostics.guard import describe_error, guarded
from bxi_framework.manifest.system import ControlRuntime
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot import InputSnapshot, MotorFrame

TELL_EVERY_NS = 1_000_000_000
"""Skipped cycles are told at most once in this time."""

TickRecord: TypeAlias = Callable[[int, InputSnapshot, MotorFrame, int, int, int], None]
"""Takes (time, inputs, frame, cycles, lateness, compute) of a tick; the times are in ns."""


def _keep_nothing(*tick: object) -> None:
    """The record of a loop that has none."""


class ControlLoop:
    """Ticks on a thread of its own until stopped.

    Args:
        controller: does one tick.
        inputs: gives the snapshot.
        clock: monotonic time.
        settings: period, budget, tolerance and what is asked of the operating system.
        emit: takes each frame on the control thread; must not block.
        log: takes messages; must not block.
        record: keeps what each tick saw and made; called on the control thread after ``emit``.
        watch: looks at the ticks from outside; ``None`` if nobody does.
    """

    def __init__(
        self,
        controller: Controller,
        inputs: InputHub,
        clock: Clock,
        settings: ControlRuntime,
        emit: Callable[[MotorFrame], None],
        log: LogSink,
        record: TickRecord = _keep_nothing,
        watch: StallWatch | None = None,
    ) -> None:
        self._controller = controller
        self._inputs = inputs
        self._clock = clock
        self._settings = settings
        self._emit = emit
        self._log = log
        self._record = record
        self._watch = watch
        self._stopping = Event()
        self._thread: Thread | None = None
        budget = settings.compute_budget_sec or settings.period_sec
        self.timing = TimingStatistics(
            round(settings.period_sec * 1e9),
            round(settings.statistics_interval_sec / settings.period_sec),
            round(settings.deadline_tolerance_sec * 1e9),
            round(budget * 1e9),
        )

    @property
    def running(self) -> bool:
        """True while the thread ticks."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def thread_ident(self) -> int | None:
        """The identifier of the control thread, once it was started."""
        return None if self._thread is None else self._thread.ident

    def start(self) -> None:
        """Begin to tick.

        Raises:
            RuntimeError: the loop runs already, or did not end when it was stopped.
        """
        if self.running:
            raise RuntimeError("the control loop runs already; there is never a second one")
        self._stopping.clear()
        self._thread = Thread(target=self._main, name="control", daemon=True)
        self._thread.start()
        if self._watch is not None and self._thread.ident is not None:
            self._watch.start(self._thread.ident)

    def stop(self, timeout: float) -> bool:
        """End after the tick that is under way; False if it did not end within ``timeout`` seconds."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout)
        if self._watch is not None:
            self._watch.stop()
        return not self.running

    def _main(self) -> None:
        self._claim()
        gc.freeze()
        try:
            with np.errstate(all="ignore"):
                self._run()
        except BaseException as error:
            self._log("error", "control", f"the loop ended: {describe_error(error)}")
            unsent = guarded(self._emit, self._controller.passive()).error
            if unsent is not None:
                self._log("error", "control", f"the passive frame was not sent: {describe_error(unsent)}")
        finally:
            gc.unfreeze()

    def _run(self) -> None:
        settings, clock, timing = self._settings, self._clock, self.timing
        pacer = Pacer(clock, round(settings.period_sec * 1e9), round(settings.spin_wait_us * 1e3))
        tick, snapshot, emit, record, now_ns = (
            self._controller.tick,
            self._inputs.snapshot,
            self._emit,
            self._record,
            clock.now_ns,
        )
        skips = _Skips(self._log, clock.now_ns())
        watch = self._watch
        while not self._stopping.is_set():
            cycles, lateness = pacer.wait()
            begin = now_ns()
            inputs = snapshot()
            if watch is None:
                frame = tick(inputs, cycles)
                emit(frame)
            else:
                watch.began = begin
                frame = tick(inputs, cycles)
                with watch.lock:
                    watch.began = 0
                    if watch.stalled:
                        frame = self._after_stall(watch)
                    emit(frame)
            end = now_ns()
            record(begin, inputs, frame, cycles, lateness, end - begin)
            timing.record(lateness, end - begin, pacer.skipped)
            skips.take(begin, end, cycles)

    def _after_stall(self, watch: StallWatch) -> MotorFrame:
        """The tick is over after all, but the passive frame was sent in its place."""
        seconds, watch.stalled = watch.stalled, 0.0
        return self._controller.after_stall(watch.owner, seconds)

    def _claim(self) -> None:
        """Ask the operating system for what the settings name; a refusal is told and changes nothing."""
        settings = self._settings
        if settings.python_switch_interval_sec is not None:
            sys.setswitchinterval(settings.python_switch_interval_sec)
        if settings.cpu_affinity:
            self._try(
                f"cpu_affinity {list(settings.cpu_affinity)}",
                lambda: os.sched_setaffinity(0, settings.cpu_affinity),
            )
        if settings.realtime_priority is not None:
            priority = settings.realtime_priority
            self._try(
                f"realtime_priority {priority}",
                lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority)),
            )

    def _try(self, what: str, call: Callable[[], object]) -> None:
        try:
            call()
        except OSError as error:
            self._log("warning", "control", f"{what} was refused: {error.strerror}; the loop runs without it")


class _Skips:
    """Tells skipped cycles with the longest gap between two ticks, which shows where the time went.

    Args:
        log: takes the messages.
        now: nanoseconds; the first skipped cycle may be told at once.
    """

    def __init__(self, log: LogSink, now: int) -> None:
        self._log = log
        self._told_at = now - TELL_EVERY_NS
        self._begin = self._end = now
        self._count = 0
        self._gap = self._took = 0

    def take(self, begin: int, end: int, cycles: int) -> None:
        """Take in a tick: when it began and ended, and control periods since the last one."""
        self._count += cycles - 1
        if begin - self._begin > self._gap:
            self._gap, self._took = begin - self._begin, self._end - self._begin
        self._begin, self._end = begin, end
        if self._count and end - self._told_at >= TELL_EVERY_NS:
            self._log(
                "warning",
                "control",
                f"skipped cycles: {self._count}; the longest time from tick to tick was "
                f"{self._gap / 1e6:.1f} ms, of which the tick itself took {self._took / 1e6:.1f} ms",
            )
            self._told_at, self._count, self._gap = end, 0, 0
