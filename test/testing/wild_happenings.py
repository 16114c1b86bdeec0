"""What may happen to a robot before a tick, and a chance that draws it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from testing.wild_acts import (
    ANSWERS,
    ERRORS,
    KINDS,
    Act,
    Undecided,
    answers,
    asks,
    odd_frame,
    poisons,
    raises,
    recurses,
    scribbles,
    takes,
    twice,
)
from testing.wild_runs import MOD, PROFILES, STATES, Plan, Way, WildRun

from bxi_framework.robot import FIELDS

Happening: TypeAlias = Callable[[WildRun], object]

NUMBERS = (0.0, 0.3, -0.7, 1.2, 9.0, 1e6, -1e30, 3e38, math.nan, math.inf, -math.inf, 1e308)


def behave(name: str, hook: str, act: Act, run: WildRun) -> None:
    run.states[name].acts[hook] = act


def row(name: str, numbers: list[float], run: WildRun) -> None:
    run.states[name].row = numbers


def mend(run: WildRun) -> None:
    """All Mods behave again."""
    for state in run.states.values():
        state.acts.clear()
        state.row = (0.1, 8.0, 0.5, 0.0, 0.0)
    for motion in run.motions:
        motion.acts.clear()
        motion.duration = 0.1


def sway(which: int, hook: str, act: Act, run: WildRun) -> None:
    if run.motions:
        run.motions[which % len(run.motions)].acts[hook] = act


def hear(names: tuple[str, ...], numbers: list[float], run: WildRun) -> None:
    run.bench._hub.joint_states(names, numbers[:3], numbers[1:4], numbers[2:])


def place(numbers: list[float], run: WildRun) -> None:
    with np.errstate(over="ignore"):
        run.bench.joints.position[:] = numbers


def silence(quiet: bool, run: WildRun) -> None:
    run.bench.reports_joints = not quiet


def drive(numbers: list[float], run: WildRun) -> None:
    run.bench.command_velocity(*numbers)


def pad(axes: list[float], buttons: list[int], run: WildRun) -> None:
    run.bench.joy(axes, buttons)


def lean(quat: list[float], omega: list[float], run: WildRun) -> None:
    run.bench.imu(quat, omega)


def hang(yes: bool, run: WildRun) -> None:
    run.worker.hangs = yes


def press(slot: int, value: int, run: WildRun) -> None:
    run.bench.press(f"btn_{slot}", value)


def send(slot: int, run: WildRun) -> None:
    run.send(slot)


def ask(name: str, transition: str | None, delay: float, force: bool, run: WildRun) -> None:
    run.ask(name, transition, delay, force)


def let_go(run: WildRun) -> None:
    """A gamepad of which nobody touches anything."""
    pad([0.0, 0.0, 1.0, 0.0, 0.0, 1.0], [0] * 8, run)


def recover(run: WildRun) -> None:
    """An operator who has had enough: everything at rest, then resumed."""
    mend(run)
    run.bench.reports_joints, run.worker.hangs = True, False
    for slot in range(1, 7):
        press(slot, 0, run)
    drive([0.0] * 3, run)
    let_go(run)
    place([0.0] * 3, run)
    run.tick()
    run.resume()


HOOKS = ("on_prepare", "on_prepare_cancel", "on_enter", "on_exit", "process_cmd_vel", "on_unbind")
MAKERS = ("on_update", "on_update", "get_entry_frame", "sample_running_frame")
JUDGES = ("is_available", "on_action")
DURATIONS = (0.0, -1.0, math.nan, math.inf, "long", None)
JOINTS = (("arm", "leg", "wheel"), ("wheel",), ("leg", "tail"), ())
WATCHDOGS = (
    "{}",
    "{joint_states: {limit: 0.1, reaction: stop}}",
    "{joint_states: {limit: 0.1, reaction: hold}, cmd_vel: {limit: 0.2, reaction: zero}}",
    f"{{joint_states: {{limit: 0.06, reaction: leave, state: {MOD}/s3}},"
    " gamepad: {limit: 0.2, reaction: hold}}",
)


class Chance:
    """Draws robots and happenings."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._of = self._rng.choice

    def plan(self) -> Plan:
        """A robot."""
        ways = {}
        for _ in range(self._rng.randint(4, 16)):
            way = Way(
                self._of(STATES),
                self._of(STATES),
                self._rng.randint(1, 5),
                self._of(PROFILES),
                self._of((0.0, 0.0, 0.0, 0.1, 0.3)),
                self._of((0.0, 0.0, 0.05)),
            )
            ways[way.source, way.after or way.slot] = way
        actions = {(self._of(STATES), 6) for _ in range(4)}
        states = (self._of(STATES) for _ in range(3))
        return Plan(
            *states, self._of(PROFILES), tuple(ways.values()), tuple(sorted(actions)), self._of(WATCHDOGS)
        )

    def happenings(self) -> list[Happening]:
        """What comes before one tick: often nothing."""
        return [self._happening() for _ in range(self._of((0, 0, 0, 1, 1, 2, 3)))]

    def cycles(self) -> int:
        """How many cycles the next tick stands for."""
        return self._of((1,) * 12 + (2, 9))

    def _happening(self) -> Happening:
        of, state, yes = self._of, self._of(STATES), self._rng.random() < 0.5
        motion = of((None, None, "instant", "dual_running_blend", "first_frame_switch", "nothing"))
        kinds: tuple[Callable[[], Happening], ...] = (
            lambda: partial(press, self._rng.randint(1, 6), int(yes)),
            lambda: partial(press, self._rng.randint(1, 6), int(yes)),
            lambda: partial(send, self._rng.randint(1, 7)),
            lambda: partial(ask, state, motion, of((0.0, 0.0, 0.04, math.nan, -1.0)), yes),
            lambda: partial(ask, state, motion, 0.0, yes),
            lambda: of((WildRun.stop, WildRun.resume, recover)),
            lambda: of((mend, recover, recover)),
            lambda: partial(behave, state, of(HOOKS), self._act()),
            lambda: partial(behave, state, of(HOOKS), self._act()),
            lambda: partial(behave, state, of(MAKERS), self._act() if yes else self._frame()),
            lambda: partial(behave, state, of(MAKERS), self._act() if yes else self._frame()),
            lambda: partial(behave, state, of(JUDGES), self._act() if yes else partial(answers, of(ANSWERS))),
            lambda: partial(row, state, self._numbers(5)),
            lambda: partial(sway, self._rng.randint(0, 9), of(("on_start", "apply")), self._act()),
            lambda: partial(sway, self._rng.randint(0, 9), "apply", self._frame()),
            lambda: partial(sway, self._rng.randint(0, 9), "apply", partial(takes, of(DURATIONS))),
            lambda: partial(hear, of(JOINTS), self._numbers(5)),
            lambda: partial(place, self._numbers(3)),
            lambda: partial(silence, yes and state == "s0"),
            lambda: partial(drive, self._numbers(3)),
            lambda: partial(
                pad, self._numbers(self._rng.randint(0, 20)), [int(of((0, 0, 0, 1))) for _ in range(9)]
            ),
            lambda: partial(lean, self._numbers(4), self._numbers(3)),
            lambda: partial(hang, yes),
        )
        return of(kinds)()

    def _numbers(self, count: int) -> list[float]:
        return [self._of(NUMBERS) for _ in range(count)]

    def _act(self) -> Act:
        asked = partial(
            asks,
            self._of((*STATES, f"{MOD}/s1", "nowhere", "")),
            self._of((None, "instant", "soft_switch", "dual_running_blend", "nothing")),
            self._of((0.0, 0.05, -1.0, math.nan, math.inf)),
            self._rng.random() < 0.5,
        )
        return self._of((partial(raises, self._of(ERRORS)), asked, poisons, scribbles, twice, recurses))

    def _frame(self) -> Act:
        return partial(odd_frame, self._of(KINDS), self._of(FIELDS), self._of(NUMBERS))


def shown(part: object) -> str:
    """A happening as it would be written."""
    if isinstance(part, partial):
        return f"{part.func.__name__}({', '.join(map(shown, part.args))})"
    if isinstance(part, BaseException | Undecided):
        return type(part).__name__
    return getattr(part, "__name__", None) or repr(part)
