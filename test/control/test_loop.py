"""The loop's thread: it ticks until it is stopped, on a clock of the test's or on the real one."""

from __future__ import annotations

import threading
import time
from itertools import cycle

import pytest
from control.clocks import HandClock, RealClock
from machine.actors import Row, Stage, fixed
from machine.rigs import MOD, Rig, rig

from bxi_framework.control import ControlLoop, InputHub
from bxi_framework.manifest.system import ControlRuntime
from bxi_framework.robot import MotorFrame

SETTINGS = ControlRuntime(period_sec=0.002, statistics_interval_sec=1.0)
PATIENCE = 20.0


class Station:
    """A loop, what it emitted, and an event that is set once ``enough`` frames have come."""

    def __init__(
        self,
        built: Rig,
        clock: HandClock | RealClock,
        settings: ControlRuntime = SETTINGS,
        enough: int = 20,
    ) -> None:
        self.frames: list[MotorFrame] = []
        self.threads: set[str] = set()
        self.done = threading.Event()
        self.enough = enough
        self.rig = built
        hub = InputHub(
            built.model, command_timeout=0.5, now_ns=clock.now_ns, gamepad=None, warn=lambda message: None
        )
        self.loop = ControlLoop(built.controller, hub, clock, settings, self.emit, self.log)
        self.clock = clock

    def emit(self, frame: MotorFrame) -> None:
        self.frames.append(frame.copy())
        self.threads.add(threading.current_thread().name)
        if len(self.frames) >= self.enough:
            self.done.set()

    def log(self, level: str, source: str, message: str) -> None:
        self.rig.log.append((level, source, message))

    def run(self) -> None:
        """Start, wait for enough frames, stop."""
        self.loop.start()
        assert self.done.wait(PATIENCE)
        assert self.loop.stop(PATIENCE)


def idle() -> Rig:
    return rig(fixed(idle=Row(0.25)), period=0.002)


def test_it_ticks_on_a_thread_of_its_own_until_it_is_stopped() -> None:
    station = Station(idle(), RealClock())
    assert not station.loop.running and station.loop.thread_ident is None
    station.run()
    assert not station.loop.running
    assert station.threads == {"control"}
    count = len(station.frames)
    assert count >= 20 and all(frame.qpos[0] == 0.25 for frame in station.frames)
    assert station.loop.timing.summary.ticks == min(count, 500)
    assert len(station.frames) == count  # nothing comes after the stop


def test_it_can_be_started_again() -> None:
    station = Station(idle(), RealClock())
    station.run()
    first = len(station.frames)
    station.done.clear()
    station.enough = first + 20
    station.run()
    assert len(station.frames) >= first + 20


def test_there_is_never_a_second_thread() -> None:
    station = Station(idle(), RealClock())
    station.loop.start()
    with pytest.raises(RuntimeError, match="runs already"):
        station.loop.start()
    assert station.loop.stop(PATIENCE)


def test_a_loop_that_was_never_started_is_stopped_already() -> None:
    assert Station(idle(), RealClock()).loop.stop(0.0)


def test_a_tick_that_blocks_is_not_waited_for_longer_than_asked() -> None:
    block, blocked = threading.Event(), threading.Event()
    stage = Stage()
    stage.does["idle.on_update"] = lambda ctx: (blocked.set(), block.wait(PATIENCE))
    station = Station(rig(stage.actors(idle=0.0), period=0.002), RealClock())
    station.loop.start()
    assert blocked.wait(PATIENCE)
    assert not station.loop.stop(0.01)
    assert station.loop.running
    block.set()
    assert station.loop.stop(PATIENCE)


class Busy(HandClock):
    """A clock on which each sleep ends in time, but the tick after the tenth takes seven periods."""

    def sleep_until(self, deadline_ns: int) -> None:
        super().sleep_until(deadline_ns)
        if len(self.slept_until) == 11:
            self.work(14_500_000)


def test_skipped_cycles_are_handed_to_the_tick_and_counted() -> None:
    seen: list[float] = []
    stage = Stage(does={"idle.on_update": lambda ctx: seen.append(round(ctx.dt, 6))})
    station = Station(rig(stage.actors(idle=0.25), period=0.002), Busy())
    station.run()
    # The eleventh tick began 14.5 ms late; the next one comes at once and stands for what was missed.
    assert seen[:11] == [0.002] * 11
    assert seen[11] == pytest.approx(0.014)
    assert seen[12:20] == [0.002] * 8
    assert station.loop.timing.summary.skipped == 6
    assert [(lapse.skipped, lapse.gap) for lapse in station.loop.lapses] == [(6, 16_500_000)]


def test_a_lapse_names_the_state_that_took_long_and_the_tick_that_came_late() -> None:
    stage = Stage()
    clock = HandClock()
    ticks = []

    def update(ctx: object) -> None:
        ticks.append(ctx)
        clock.work(9_000_000 if len(ticks) == 10 else 0)

    stage.does["idle.on_update"] = update
    station = Station(rig(stage.actors(idle=0.25), period=0.002), clock)
    station.run()
    over, late = station.loop.lapses
    idle_state = f"{MOD}/idle"
    assert (over.owner, over.over, over.compute, over.skipped) == (idle_state, True, 9_000_000, 0)
    assert (late.over, late.skipped, late.gap, late.before) == (False, 3, 9_000_000, 9_000_000)
    assert late.before_owner == idle_state
    assert station.loop.timing.summary.overruns == 1


def test_a_system_time_that_leaps_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    leaps = cycle((0.0, 4e9, -1e9))
    monkeypatch.setattr(time, "time", lambda: next(leaps))
    monkeypatch.setattr(time, "time_ns", lambda: round(next(leaps) * 1e9))
    seen: list[float] = []
    stage = Stage(does={"idle.on_update": lambda ctx: seen.append(ctx.dt)})
    clock = HandClock()
    station = Station(rig(stage.actors(idle=0.25), period=0.002), clock, enough=200)
    station.run()
    assert set(seen) == {0.002}
    assert clock.slept_until[:200] == [2_000_000 * (tick + 1) for tick in range(200)]
    assert station.loop.timing.summary.lateness_max_us == 0.0


def test_an_error_outside_the_engine_is_told_and_the_last_thing_is_the_passive_frame() -> None:
    station = Station(idle(), RealClock())
    emit = station.loop._emit
    failed = []

    def broken(frame: MotorFrame) -> None:
        if len(station.frames) == 5 and not failed:
            failed.append(True)
            raise OSError("no link")
        emit(frame)

    station.loop._emit = broken
    station.loop.start()
    thread = station.loop._thread
    assert thread is not None
    thread.join(PATIENCE)
    assert not station.loop.running
    assert station.frames[-1].data.tobytes() == station.rig.model.passive_frame().data.tobytes()
    assert [message for level, _, message in station.rig.log if level == "error"] == [
        "the loop ended: OSError: no link"
    ]


def test_a_link_that_takes_nothing_more_is_told_and_ends_the_loop() -> None:
    station = Station(idle(), RealClock())

    def broken(frame: MotorFrame) -> None:
        raise OSError("no link")

    station.loop._emit = broken
    station.loop.start()
    thread = station.loop._thread
    assert thread is not None
    thread.join(PATIENCE)
    assert not station.loop.running
    assert [message for level, _, message in station.rig.log if level == "error"] == [
        "the loop ended: OSError: no link",
        "the passive frame was not sent: OSError: no link",
    ]
