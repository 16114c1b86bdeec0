"""A rig whose ticks are recorded, on a clock that the test turns, and a flight with everything in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from control.clocks import HandClock
from machine.rigs import Rig

from bxi_framework.control.record import Flight, FlightRecord, Moment, Note, Notebook, Reason, Series
from bxi_framework.robot import ImuReading, InputSnapshot, JointReadings, MotorFrame

PERIOD_NS = 20_000_000
START = 5_000_000_000


def no_rest() -> None:
    """Nobody else wants to run."""


class Recording:
    """Ticks a rig at 50 Hz from 5 s on; each tick is sent 0.25 ms after it began, 0.125 ms late."""

    def __init__(self, built: Rig, seconds: float = 60.0) -> None:
        self.rig = built
        self.clock = HandClock(START)
        self.lines: list[tuple[str, str, str]] = []
        self.notebook = Notebook(self.clock.now_ns, lambda *line: self.lines.append(line))
        self.record = FlightRecord(built.model, built.controller, self.notebook, 0.02, seconds)
        self.reasons: list[Reason] = []
        self.record.wanted = self.reasons.append
        self.inputs = built.inputs()

    def tick(self, cycles: int = 1) -> MotorFrame:
        """One tick that sees ``inputs``; the emitted frame."""
        inputs = self.inputs._replace(slots=tuple(self.rig.slots), slots_epoch=self.rig.epoch)
        begin = self.clock.now
        frame = self.rig.controller.tick(inputs, cycles).copy()
        self.record.tick(begin, inputs, frame, cycles, 125_000, 250_000)
        self.clock.work(cycles * PERIOD_NS)
        return frame

    def hear(self, position: float) -> None:
        """The joints and the IMU report something new."""
        names = self.rig.model.layout.names
        joints = JointReadings.zeros(names)
        joints.position[:] = position
        self.inputs = self.inputs._replace(joints=joints, imu=ImuReading())

    def flight(self, kind: str = "request", text: str = "") -> Flight:
        return self.record.flight(Reason(self.clock.now, kind, text), 0, no_rest)


def snapshots() -> Callable[[], InputSnapshot]:
    """Makes snapshots in which every input is new and has a value of its own."""
    count = 0

    def make() -> InputSnapshot:
        nonlocal count
        count += 1
        values = [np.full(2, count + share, dtype=np.float32) for share in (0.0, 0.25, 0.5)]
        imu = ImuReading(np.full(4, count, dtype=np.float32), np.full(3, -count, dtype=np.float32))
        return InputSnapshot(JointReadings(("a", "b"), *values), imu, np.full(3, count / 2, dtype=np.float32))

    return make


def sample_flight(ticks: int = 100, *, begin: int = 1_700_000_000_000_000_000) -> Flight:
    """A flight of two joints with something in every series and names that no message field may have."""
    numbers = np.random.default_rng(7)
    time = begin + np.arange(ticks) * PERIOD_NS
    some = np.arange(0, ticks, 3)

    def values(*shape: int) -> np.ndarray:
        return numbers.normal(size=shape).astype(np.float32)

    return Flight(
        robot="two",
        joints=("Left Arm", "left.arm"),
        period=0.02,
        reason=Reason(int(time[-1]), "stop", "gamepad"),
        frames=Series(time + 250_000, values(ticks, 5, 2)),
        timing=Series(time, values(ticks, 3)),
        readings=Series(time[some], values(len(some), 3, 2)),
        imu=Series(time[some], values(len(some), 7)),
        command=Series(time[:1], values(1, 3)),
        clamps=Series(time[2:4], np.array([[1, 0], [33, 2]], dtype=np.uint8)),
        moments=(
            Moment(begin, "test.mod/idle"),
            Moment(begin + 1, "test.mod/idle", "test.mod/goal", "hold", "test.mod/slow", "gamepad", "why"),
        ),
        notes=(
            Note(begin, "log", "info", "test.mod/idle", "grüße \udc80"),
            Note(begin + 7, "verdict", "warning", "event test.mod/go", "refused: a stop holds"),
        ),
    )


def same(first: Series, second: Series) -> bool:
    """True if two series hold the same, to the bit."""
    return (
        first.time.tobytes() == second.time.tobytes()
        and first.values.shape == second.values.shape
        and first.values.dtype == second.values.dtype
        and first.values.tobytes() == second.values.tobytes()
    )


SERIES = ("frames", "timing", "readings", "imu", "command", "clamps")
