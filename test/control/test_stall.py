"""A Mod that holds the loop: the passive frame in its place, the fault state after, the end if it stays."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from control.clocks import RealClock
from control.test_loop import PATIENCE, SETTINGS
from machine.actors import Stage
from machine.rigs import MOD, Rig, rig, route

from bxi_framework.control import ControlLoop, InputHub
from bxi_framework.control.stall import END_AFTER, PASSIVE_AFTER, Stall, StallWatch
from bxi_framework.machine.requests import AskState
from bxi_framework.robot import MotorFrame


class Stalled:
    """A loop under watch whose state ``slow`` holds its first update until it is let go."""

    def __init__(self) -> None:
        self.stage = Stage()
        self.let_go = threading.Event()
        self.slow = True
        self.stage.does["slow.on_update"] = self._hold
        self.rig: Rig = rig(
            self.stage.actors(idle=0.1, slow=0.2, fault=0.3),
            routes=[route("idle", None, "slow", after=1e6)],
            fault="fault",
            period=SETTINGS.period_sec,
        )
        clock = RealClock()
        hub = InputHub(
            self.rig.model, command_timeout=0.5, now_ns=clock.now_ns, gamepad=None, warn=lambda message: None
        )
        self.frames: list[MotorFrame] = []
        self.passive: list[float] = []
        self.begun: list[Stall] = []
        self.over: list[Stall] = []
        self.ended: list[tuple[Stall, str]] = []
        self.end_called = threading.Event()
        self.watch = StallWatch(
            clock,
            SETTINGS.period_sec,
            lambda: self.rig.engine.owner,
            lambda: self.passive.append(time.monotonic()),
            self.begun.append,
            self.over.append,
            self._end,
        )
        self.loop = ControlLoop(
            self.rig.controller, hub, clock, SETTINGS, self._emit, lambda *line: None, watch=self.watch
        )

    def _emit(self, frame: MotorFrame) -> None:
        self.frames.append(frame.copy())

    def _hold(self, ctx: object) -> None:
        if self.slow:
            self.slow = False
            assert self.let_go.wait(PATIENCE)

    def _end(self, stall: Stall, stack: str) -> None:
        self.ended.append((stall, stack))
        self.end_called.set()

    def enter_slow(self) -> None:
        self.rig.engine.post(AskState(f"{MOD}/slow", "test"))


@contextmanager
def running() -> Iterator[Stalled]:
    made = Stalled()
    made.loop.start()
    try:
        yield made
    finally:
        made.let_go.set()
        assert made.loop.stop(PATIENCE)


def wait_for(condition: object) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.002)


def test_a_loop_that_runs_is_left_alone() -> None:
    with running() as made:
        wait_for(lambda: len(made.frames) > 100)
    assert made.passive == made.begun == made.over == made.ended == []
    assert made.loop.timing.summary.stalls == 0


def test_the_passive_frame_is_sent_while_a_state_holds_the_loop_and_the_fault_state_follows() -> None:
    with running() as made:
        made.enter_slow()
        wait_for(lambda: len(made.passive) >= 3)
        held = len(made.frames)
        assert made.rig.state == "slow"
        begun = made.begun[0]
        assert begun.owner == f"{MOD}/slow"
        assert begun.place.startswith(f"{__file__}:"), "the wait in Python's own library is not of interest"
        assert PASSIVE_AFTER <= begun.seconds < END_AFTER
        assert len(made.frames) == held
        made.let_go.set()
        wait_for(lambda: made.rig.state == "fault" and len(made.frames) > held + 3)
        wait_for(lambda: made.over)
    after = made.frames[held]
    assert list(after.kp) == [0.0, 0.0] and list(after.qpos) == [0.0, 0.0]
    assert not any(frame.qpos[0] == 0.2 for frame in made.frames[held:]), (
        "its own frame came too late to count"
    )
    assert len(made.begun) == len(made.over) == 1
    assert made.over[0].owner == begun.owner and made.over[0].place == begun.place
    assert made.loop.timing.summary.stalls == 1
    failed = [message for message in made.rig.messages("error") if "it held the control loop for" in message]
    assert len(failed) == 1 and f" s, at {begun.place}; " in failed[0]
    # It is told as an overrun too, with the state that held the loop and not the one that came after it.
    assert [lapse.owner for lapse in made.loop.lapses if lapse.compute > 1e9 * PASSIVE_AFTER] == [begun.owner]


def test_a_state_that_stays_ends_the_process_with_its_name_and_stack() -> None:
    with running() as made:
        made.enter_slow()
        assert made.end_called.wait(PATIENCE)
        stall, stack = made.ended[0]
        assert stall.owner == f"{MOD}/slow"
        assert stall.seconds >= END_AFTER
        assert "on_update" in stack and "_hold" in stack


def test_time_in_which_nothing_ran_is_no_stall() -> None:
    told: list[str] = []
    clock = RealClock()
    watch = StallWatch(
        clock,
        0.02,
        lambda: "a state",
        lambda: told.append("passive"),
        lambda stall: told.append("begun"),
        lambda stall: told.append("over"),
        lambda stall, stack: told.append("end"),
    )
    # As after a suspended machine: the tick began long ago, but this is only the second look at it.
    watch.began = clock.now_ns() - 60_000_000_000
    watch._look(watch.began, 1)
    assert told == []
    watch._look(watch.began, 2)
    assert told == ["passive", "begun"]
