"""The flight record in memory: watches the controller tick by tick and keeps the last minute of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from bxi_framework.control.controller import Controller
from bxi_framework.control.record.flight import Flight, Moment, Reason, Series
from bxi_framework.control.record.notebook import MOST, Notebook
from bxi_framework.control.record.ring import Ring
from bxi_framework.diagnostics.guard import describe_error
from bxi_framework.machine.hooks import Failure
from bxi_framework.machine.requests import AskState, Resume, SendEvent, Stop, Verdict, Wish
from bxi_framework.manifest.names import SLOT_NAMES
from bxi_framework.robot import InputSnapshot, MotorFrame, RobotModel

BEFORE_ALL: Final = -(2**62)
"""A time that lies before every other."""


class FlightRecord:
    """Keeps the last ``seconds`` of inputs, frames, timings, states and notes.

    `tick` belongs to the control thread; everything else to anyone. Nothing here waits, writes to a disk or
    grows after the start.

    Args:
        model: the robot.
        controller: what is watched.
        notebook: what was said.
        period: seconds per cycle.
        seconds: how far back it goes.
    """

    def __init__(
        self,
        model: RobotModel,
        controller: Controller,
        notebook: Notebook,
        period: float,
        seconds: float,
    ) -> None:
        self.notebook = notebook
        self.wanted: Callable[[Reason], None] | None = None
        """Called on the control thread, when a stop or a fault is a reason to write; must not block."""
        self._model = model
        self._controller = controller
        self._engine = controller.engine
        self._period = period
        self._ring = Ring(max(1, round(seconds / period)), model.layout)
        self._moments: deque[Moment] = deque(maxlen=MOST)
        self._slots: tuple[int, ...] | None = None
        self._revision = -1
        self._stop = ""
        self._fault: Failure | None = None
        self._gap_told = False

    def reserve(self) -> None:
        """Have all memory at hand before the loop begins."""
        self._ring.reserve()

    def tick(
        self, time: int, inputs: InputSnapshot, frame: MotorFrame, cycles: int, lateness: int, compute: int
    ) -> None:
        """Take in what one tick saw and made.

        Args:
            time: when it began.
            inputs: what it saw.
            frame: what was sent.
            cycles: how many cycles it stands for.
            lateness: ns after its deadline.
            compute: ns from its beginning until the frame was sent.
        """
        ring, engine = self._ring, self._engine
        try:
            ring.add(time, inputs, frame, cycles, lateness, compute)
            verdict = self._controller.verdict
            if verdict is not None and isinstance(verdict, tuple):
                ring.add_clamps(verdict)
            if inputs.slots is not self._slots:
                self._note_slots(inputs.slots)
            for name in engine.fired:
                self.notebook.add("event", "info", "remote control", name)
            if engine.revision != self._revision:
                self._look(time + compute)
        except Exception as error:
            # The robot goes on, whatever is wrong with its record.
            self._tell_gap(error)

    def post(self, wish: Wish) -> None:
        """Hand a wish to the engine and note its verdict."""
        reply = wish.reply

        def note(verdict: Verdict) -> None:
            outcome = "accepted" if verdict.ok else f"refused: {verdict.reason}"
            self.notebook.add("verdict", "info" if verdict.ok else "warning", _asked(wish), outcome)
            if reply is not None:
                reply(verdict)

        self._engine.post(replace(wish, reply=note))

    def flight(self, reason: Reason, shift: int, rest: Callable[[], object]) -> Flight:
        """A copy of the window.

        Args:
            reason: why it is wanted.
            shift: ns that are added to every time, to turn monotonic time into time since 1970.
            rest: called now and then, so that other threads get their turn.
        """
        series = self._ring.series(rest)
        ticks = series["timing"].time
        full = self._ring.count > len(ticks)
        begin = int(ticks[0]) if full and len(ticks) else BEFORE_ALL
        moments, notes = self._moments_since(begin), self.notebook.since(begin)
        return Flight(
            robot=self._model.name,
            joints=self._model.layout.names,
            period=self._period,
            reason=replace(reason, time=reason.time + shift),
            moments=tuple(replace(moment, time=moment.time + shift) for moment in moments),
            notes=tuple(replace(note, time=note.time + shift) for note in notes),
            **{name: Series(each.time + shift, each.values) for name, each in series.items()},
        )

    def _moments_since(self, begin: int) -> list[Moment]:
        """What the state machine did from ``begin`` on, and where it stood then."""
        moments = list(self._moments)
        before = [moment for moment in moments if moment.time <= begin]
        first = [replace(before[-1], time=begin)] if before else []
        return first + [moment for moment in moments if moment.time > begin]

    def _note_slots(self, slots: tuple[int, ...] | None) -> None:
        before, self._slots = self._slots, slots
        if slots is None or slots == before:
            return
        old = before or (0,) * len(slots)
        changed = (
            f"{name}={value}"
            for name, value, last in zip(SLOT_NAMES, slots, old, strict=True)
            if value != last
        )
        text = " ".join(changed)
        if text:
            self.notebook.add("slots", "info", "remote control", text)

    def _look(self, time: int) -> None:
        """The engine has changed: note where it stands, and whether that is a reason to write."""
        snapshot = self._engine.snapshot()
        self._revision = self._engine.revision
        run = snapshot.transition
        moment = Moment(
            time,
            snapshot.state,
            "" if run is None else run.target,
            "" if run is None else run.type,
            snapshot.preparing or "",
            snapshot.stop or "",
            snapshot.passive or "",
        )
        last = self._moments[-1] if self._moments else None
        if last is None or replace(last, time=time) != moment:
            self._moments.append(moment)
        stopped, self._stop = self._stop, moment.stop
        fault, self._fault = self._fault, self._engine.fault
        if self._fault is not None and self._fault is not fault:
            self._want("fault", f"{self._fault.owner}: {self._fault.reason}")
        if moment.stop and not stopped:
            self._want("stop", moment.stop)

    def _tell_gap(self, error: Exception) -> None:
        if not self._gap_told:
            self._gap_told = True
            message = f"the flight record has gaps: {describe_error(error)}; told once"
            self.notebook.log("error", "record", message)

    def _want(self, kind: str, text: str) -> None:
        self.notebook.add("record", "warning", kind, text)
        if self.wanted is not None:
            self.wanted(Reason(self.notebook.now_ns(), kind, text))


def _asked(wish: Wish) -> str:
    """The wish as an operator would name it."""
    if isinstance(wish, SendEvent | AskState):
        return f"{'event' if isinstance(wish, SendEvent) else 'state'} {wish.name}"
    if isinstance(wish, Stop):
        return f"stop ({wish.reason})"
    assert isinstance(wish, Resume)
    return "resume"
