"""The thread that runs the controller at the control rate."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Event, Thread
from typing import TypeAlias

import numpy as np

from bxi_framework.control.claims import Claims
from bxi_framework.control.clock import Clock
from bxi_framework.control.controller import Controller
from bxi_framework.control.inputs import InputHub
from bxi_framework.control.lapses import MOST, Lapse
from bxi_framework.control.pacer import Pacer
from bxi_framework.control.stall import StallWatch
from bxi_framework.control.sweeping import Sweeper
from bxi_framework.control.timing import TimingStatistics
from bxi_framework.diagnostics.guard import describe_error, guarded
from bxi_framework.manifest.system import ControlRuntime
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot import InputSnapshot, MotorFrame

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
        self._period = round(settings.period_sec * 1e9)
        self.budget_ns = round((settings.compute_budget_sec or settings.period_sec) * 1e9)
        """What a tick may take."""
        self.timing = TimingStatistics(
            self._period,
            round(settings.statistics_interval_sec / settings.period_sec),
            round(settings.deadline_tolerance_sec * 1e9),
            self.budget_ns,
        )
        self.lapses: deque[Lapse] = deque(maxlen=MOST)
        """Ticks that came late or took too long, for whoever tells of them."""
        self._slow = self._held_by = ""
        self.claims = Claims(settings, log)
        self.sweeper = Sweeper(clock, self._period)

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
        try:
            with self.claims, self.sweeper, np.errstate(all="ignore"):
                self._run()
        except BaseException as error:
            self._log("error", "control", f"the loop ended: {describe_error(error)}")
            unsent = guarded(self._emit, self._controller.passive()).error
            if unsent is not None:
                self._log("error", "control", f"the passive frame was not sent: {describe_error(unsent)}")

    def _run(self) -> None:
        clock, timing, period = self._clock, self.timing, self._period
        notable = min(period, self.budget_ns)
        pacer = Pacer(clock, period, round(self._settings.spin_wait_us * 1e3))
        tick, snapshot, emit, record, offer, now_ns = (
            self._controller.tick,
            self._inputs.snapshot,
            self._emit,
            self._record,
            self.sweeper.offer,
            clock.now_ns,
        )
        last_begin = last_end = now_ns()
        last_gap = last_before = 0
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
            compute = end - begin
            record(begin, inputs, frame, cycles, lateness, compute)
            timing.record(lateness, compute, pacer.skipped)
            gap = begin - last_begin
            if cycles > 1 or compute > notable:
                # Cycles are skipped after a late tick as well as after a long one.
                longest = max((gap, last_end - last_begin), (last_gap, last_before))
                self._note_lapse(compute, cycles, *longest)
            last_gap, last_before = gap, last_end - last_begin
            last_begin, last_end = begin, end
            offer(begin - lateness + period)

    def _note_lapse(self, compute: int, cycles: int, gap: int, before: int) -> None:
        owner, before_owner = self._held_by or self._controller.engine.owner, self._slow
        # A tick that was long enough to make the next one late has a name when that one is noted.
        self._slow, self._held_by = owner, ""
        over = compute > self.budget_ns
        if over or cycles > 1:
            self.lapses.append(Lapse(owner, compute, over, cycles - 1, gap, before, before_owner))

    def _after_stall(self, watch: StallWatch) -> MotorFrame:
        """The tick is over after all, but the passive frame was sent in its place."""
        seconds, watch.stalled = watch.stalled, 0.0
        self._held_by = watch.owner
        return self._controller.after_stall(watch.owner, seconds, watch.place)
