"""A robot with wild Mods on the bench, played by scripts of happenings; every tick is checked."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from loading.folders import HEADER

from bxi_framework.diagnostics.guard import Outcome, guarded
from bxi_framework.machine.requests import AskState, Resume, SendEvent, Stop, Verdict
from bxi_framework.robot import MotorFrame
from bxi_framework.testing import Bench

MOD = "com.test.wild"
STATES = tuple(f"s{number}" for number in range(5))
HERE = Path(__file__).resolve().parent

ROBOT = """\
robot:
  name: three
  joints:
    arm: {lower: -1, upper: 1.5, velocity: 10, effort: 20, max_kp: 80, max_kd: 5, passive_kd: 1}
    leg: {lower: -0.5, upper: 0.5, velocity: 5, effort: 10, max_kp: 40, max_kd: 2}
    wheel: {type: continuous, velocity: 20, effort: 4, max_kp: 9, max_kd: 3}
mods: {select: [com.test.wild]}
remote: {gamepad: gamepad.yaml}
"""
PROFILES = (
    "instant",
    "soft_switch",
    "first_frame_switch",
    "dual_running_blend",
    "{type: running_blend, duration: 0.1}",
    "{type: running_blend, duration: 0.08, sample_from: false, sample_to: false, curve: linear}",
    "{type: entry_gain_ramp, duration: 0.06, kp_from: zero, kd_from: zero}",
    "{type: wander, duration: 0.1}",
    "{type: wander, duration: 0}",
    "{type: sequence, steps: [{type: hold, duration: 0.04}, {type: wander, duration: 0.06}]}",
)


@dataclass(frozen=True)
class Way:
    """An edge from one state to another, on the event of a slot or after a time."""

    source: str
    target: str
    slot: int
    motion: str
    after: float = 0.0
    delay: float = 0.0


@dataclass(frozen=True)
class Plan:
    """A robot: which states start, stop and rescue, how, and the ways between them."""

    initial: str
    stop: str
    fault: str
    fault_motion: str
    ways: tuple[Way, ...]
    actions: tuple[tuple[str, int], ...] = ()
    watchdogs: str = "{}"


class Loitering:
    """A preparation whose jobs end when the test says so, or never."""

    inline = True

    def __init__(self) -> None:
        self.jobs: deque[Callable[[], None]] = deque()
        self.hangs = False
        self._newest: Callable[[], None] | None = None
        self._outcome: Outcome | None = None

    def begin(self, job: Callable[[], None], nodes: Sequence[str] = (), key: str = "") -> None:
        self._newest, self._outcome = job, None

    def poll(self) -> Outcome | None:
        if self._newest is not None and not self.hangs:
            job, self._newest = self._newest, None
            return Outcome(guarded(job).error)
        return None

    def cancel(self, cleanup: Callable[[], None], key: str = "") -> None:
        begun, self._newest = self._newest is None, None
        if begun:
            guarded(cleanup)

    def stands(self, key: str) -> None:
        return None

    def close(self) -> None:
        self._newest = None


def write_robot(folder: Path, plan: Plan) -> Path:
    """Write configuration and Mod below ``folder``; return the configuration."""
    root = folder / "mods" / MOD
    shutil.copytree(HERE / "wild", root, dirs_exist_ok=True)
    slots = sorted({way.slot for way in plan.ways if not way.after} | {slot for _, slot in plan.actions})
    head = HEADER.format(
        id=MOD,
        version="1.0.0",
        enable="true",
        entrypoint="plugin:create_mod",
        requires="",
        conflicts="",
        exports="",
        python="",
    )
    lines = ["events:", *(f"  e{slot}: {{slot: btn_{slot}, value: 1}}" for slot in slots)] if slots else []
    lines += ["states:", *(f"  {name}: {{}}" for name in STATES)]
    lines += ["routes:"] if plan.ways else []
    for way in plan.ways:
        when = f"after: {way.after}" if way.after else f"event: e{way.slot}"
        motion = f"transition: {way.motion}, delay: {way.delay}"
        lines.append(f"  - {{from: {way.source}, {when}, to: {way.target}, {motion}}}")
    lines += ["actions:"] if plan.actions else []
    lines += [
        f"  - {{from: {source}, event: e{slot}, action: act, manifest: {{label: Act}}}}"
        for source, slot in plan.actions
    ]
    (root / "mod.yaml").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    shutil.copy(HERE.parents[1] / "config" / "gamepad_xbox.yaml", folder / "gamepad.yaml")
    config = folder / "robot.yaml"
    config.write_text(
        f"{ROBOT}initial_state: {MOD}/{plan.initial}\nstop_state: {MOD}/{plan.stop}\n"
        f"fault_state: {MOD}/{plan.fault}\nfault_transition: {plan.fault_motion}\n"
        f"watchdogs: {plan.watchdogs}\n",
        encoding="utf-8",
    )
    return config


class WildRun:
    """One robot on the bench, and what must hold of every tick of it."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.plan = plan
        self.worker = Loitering()
        config = write_robot(folder, plan)
        self.bench = Bench(config, [folder / "mods"], preparation=self.worker)
        graph = self.bench.runtime.graph
        self.states: dict[str, Any] = {name: graph.states[f"{MOD}/{name}"].state for name in STATES}
        self.motions: list[Any] = [
            route.motion.transition for route in graph.routes if route.motion.transition.type_name == "wander"
        ]
        self.model = self.bench.runtime.model
        self.ticks = 0
        self.stopping = False
        self.asked = 0
        self.verdicts: list[Verdict] = []
        self._last = self.model.passive_frame()

    def close(self) -> None:
        self.bench.close()

    # Happenings

    def post(self, wish: Any) -> None:
        self.asked += 1
        self.bench.runtime.record.post(wish)

    def ask(self, name: str, transition: str | None, delay: float, force: bool) -> None:
        self.post(AskState(f"{MOD}/{name}", "test", transition, delay, force, self.verdicts.append))

    def send(self, slot: int) -> None:
        self.post(SendEvent(f"{MOD}/e{slot}", self.verdicts.append))

    def stop(self) -> None:
        self.post(Stop("test", self.verdicts.append))
        self.stopping = True

    def resume(self) -> None:
        self.post(Resume(self.verdicts.append))

    def tick(self, cycles: int = 1) -> None:
        """One tick, and everything that must hold after it."""
        bench, before, lines = self.bench, len(self.bench.frames), len(self.bench.log)
        for state in self.states.values():
            state.calls.clear()
        fault = bench.runtime.engine.fault
        measured = self._measured()
        # As the loop does on a robot.
        bench.step(cycles=cycles)
        self.ticks += 1
        assert len(bench.frames) == before + 1, "one tick makes one frame"
        frame = bench.frames[-1]
        self._check_frame(frame, cycles, measured)
        self._check_owners()
        assert len(self.verdicts) == self.asked, "every wish is answered in the tick that judges it, once"
        assert len(bench.log) - lines < 40, "nothing floods the log"
        if self.stopping:
            self._check_stop(bench.runtime.engine.fault is not fault)
        self.stopping = False
        self._last = frame
        del bench.frames[:-1]

    # Promises

    def _measured(self) -> np.ndarray[Any, Any] | None:
        return self.bench.joints.position.copy() if self.bench.reports_joints else None

    def _check_frame(self, frame: MotorFrame, cycles: int, measured: np.ndarray[Any, Any] | None) -> None:
        model, data = self.model, frame.data
        assert data.shape == (5, 3) and data.dtype == np.float32
        assert np.isfinite(data).all()
        qpos, vel, kp, kd, torque = data
        assert (qpos >= model.lower).all() and (qpos <= model.upper).all()
        assert (np.abs(vel) <= model.velocity).all() and (np.abs(torque) <= model.effort).all()
        assert (kp >= 0).all() and (kp <= model.max_kp).all()
        assert (kd >= 0).all() and (kd <= model.max_kd).all()
        told = self._last.data
        stiff, was_stiff = kp > 0, told[2] > 0
        reach = model.velocity.astype(float) * self.bench.period * cycles
        slack = 1e-5 + 1e-6 * np.abs(qpos)
        # The limits of the position come before the step.
        inside = np.clip(told[0], model.lower, model.upper)
        assert (np.abs(qpos - inside) <= reach + slack)[stiff & was_stiff].all(), (qpos, told[0])
        if measured is not None and np.isfinite(measured).all():
            found = np.clip(measured, model.lower, model.upper)
            begins = stiff & ~was_stiff
            assert (np.abs(qpos - found) <= reach + slack)[begins].all(), (qpos, measured)

    def _check_owners(self) -> None:
        """One state is in control, and nobody else makes frames."""
        current = self.bench.state.rpartition("/")[2]
        assert current in self.states
        updated = [name for name, state in self.states.items() if "on_update" in state.calls]
        assert len(updated) <= 1, f"{updated} were updated in one tick"
        assert all(state.calls.count("on_update") <= 1 for state in self.states.values())
        assert [name for name, state in self.states.items() if state.entered] in ([], [current])
        entered = [name for name, state in self.states.items() if "on_enter" in state.calls]
        if entered:
            assert current in entered

    def _check_stop(self, failed: bool) -> None:
        view = self.bench.snapshot
        assert view.stop is not None
        assert view.pending is None and view.preparing is None
        if not failed:
            assert view.state == f"{MOD}/{self.plan.stop}" and view.transition is None, view
        else:
            # The stop state has failed in the very tick: the fault state, or the way to it.
            fault = f"{MOD}/{self.plan.fault}"
            heading = view.transition is not None and view.transition.target == fault
            assert view.state == fault or heading, view
