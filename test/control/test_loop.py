"""The loop's thread: it ticks until it is stopped, on a clock of the test's or on the real one."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace

import pytest
from control.clocks import HandClock, RealClock
from machine.actors import Row, Stage, fixed
from machine.rigs import Rig, rig

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


def test_skipped_cycles_are_handed_to_the_tick_counted_and_told_once_a_second() -> None:
    seen: list[float] = []
    stage = Stage(does={"idle.on_update": lambda ctx: seen.append(round(ctx.dt, 6))})
    station = Station(rig(stage.actors(idle=0.25), period=0.002), Busy())
    station.run()
    # The eleventh tick began 14.5 ms late; the next one comes at once and stands for what was missed.
    assert seen[:11] == [0.002] * 11
    assert seen[11] == pytest.approx(0.014)
    assert seen[12:20] == [0.002] * 8
    assert station.loop.timing.summary.skipped == 6
    told = [message for level, source, message in station.rig.log if source == "control"]
    assert told == [
        "skipped cycles: 6; the longest time from tick to tick was 16.5 ms, "
        "of which the tick itself took 0.0 ms"
    ]


def test_cycles_that_are_skipped_all_the_time_are_told_once_a_second() -> None:
    clock = HandClock()
    clock.late_by = 14_500_000
    station = Station(idle(), clock, enough=300)
    station.run()
    told = [message for level, source, message in station.rig.log if source == "control"]
    assert all(message.startswith("skipped cycles: ") for message in told)
    # Every second tick skips; 300 ticks are 2.4 s, and some more may come before the loop hears of its end.
    assert 3 <= len(told) <= 1 + clock.now / 1e9


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


def test_what_the_operating_system_refuses_is_told_and_the_loop_runs_without_it() -> None:
    impossible = replace(SETTINGS, cpu_affinity=(4095,), realtime_priority=10**6)
    station = Station(idle(), RealClock(), impossible)
    station.run()
    told = [message for level, source, message in station.rig.log if source == "control"]
    assert any(message.startswith("cpu_affinity [4095] was refused: ") for message in told)
    assert any(message.startswith("realtime_priority 1000000 was refused: ") for message in told)
    assert len(station.frames) >= 20


def test_the_switch_interval_is_set_if_one_is_given() -> None:
    before = sys.getswitchinterval()
    try:
        Station(idle(), RealClock(), replace(SETTINGS, python_switch_interval_sec=0.003)).run()
        assert sys.getswitchinterval() == pytest.approx(0.003)
    finally:
        sys.setswitchinterval(before)
