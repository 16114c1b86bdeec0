"""Whatever comes in whichever order: one sound frame per tick, no exception, a stop within one tick."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from machine.actors import Stage, drift
from machine.rigs import Rig, action, full, joint, rig, route

from bxi_framework.machine.requests import AskState, Resume, SendEvent, Stop
from bxi_framework.manifest.mod import TransitionRef
from bxi_framework.robot import RobotModel

MODEL = RobotModel(
    "limited",
    [
        joint("a", lower=-1.0, upper=1.5, velocity=10.0, effort=20.0, max_kp=80.0, max_kd=5.0),
        joint("b", lower=-0.5, upper=0.5, velocity=5.0, effort=10.0, max_kp=40.0, max_kd=2.0),
    ],
)
BLEND = {"type": "running_blend", "duration": 0.1}
RAMP = {"type": "entry_gain_ramp", "duration": 0.06, "kp_from": "zero"}
STEPS = {"type": "sequence", "steps": [{"type": "hold", "duration": 0.02}, RAMP]}

NAMES = ("idle", "goal", "moving", "halt", "safe")
EVENTS = {f"e{number}": (f"btn_{number}", 1) for number in range(1, 8)}
HOOKS = (
    *(
        f"goal.{hook}"
        for hook in ("is_available", "on_prepare", "on_enter", "on_update", "on_exit", "on_action")
    ),
    "goal.get_entry_frame",
    "goal.sample_running_frame",
    "idle.on_update",
    "idle.on_exit",
    "idle.sample_running_frame",
    "halt.on_enter",
    "halt.on_update",
    "safe.on_enter",
    "safe.on_update",
    "safe.get_entry_frame",
)


@dataclass(frozen=True)
class Do:
    """One thing that happens; ``tick`` runs the loop with that many cycles."""

    what: str
    name: str = ""
    number: float = 0.0


HAPPENINGS = st.one_of(
    st.builds(Do, st.just("tick"), number=st.sampled_from((1, 1, 1, 1, 2, 7))),
    st.builds(Do, st.just("press"), st.sampled_from(sorted(EVENTS)), st.integers(0, 1)),
    st.builds(Do, st.just("send"), st.sampled_from(sorted(EVENTS))),
    st.builds(
        Do, st.just("ask"), st.sampled_from((*NAMES, "nowhere")), st.sampled_from((0.0, 0.05, math.nan))
    ),
    st.builds(Do, st.just("force"), st.sampled_from(NAMES)),
    st.builds(Do, st.sampled_from(("stop", "resume", "reconnect", "mend", "close"))),
    st.builds(Do, st.just("break"), st.sampled_from(HOOKS)),
    st.builds(
        Do,
        st.just("pose"),
        st.sampled_from(("idle", "goal", "halt", "safe")),
        st.sampled_from((0.2, -0.7, 9.0, -1e30, 3e38, math.nan, math.inf, -math.inf)),
    ),
)


class Run:
    """Plays happenings on a small graph and checks every tick."""

    def __init__(self) -> None:
        self.stage = Stage()
        self.robot: Rig = rig(
            {**self.stage.actors(idle=0.2, goal=0.4, halt=0.0, safe=-0.3), "moving": drift(0.1, 0.7)},
            routes=[
                route("idle", "e1", "goal", BLEND),
                route("idle", "e2", "moving", STEPS),
                route("goal", "e3", "idle", RAMP),
                route("moving", "e3", "idle", {"type": "hold", "duration": 0.05}),
                route("goal", "e4", "halt", "instant"),
                route("moving", "e4", "halt", BLEND, delay=0.04),
                route("moving", None, "goal", BLEND, after=0.3),
                route("safe", "e5", "idle", STEPS),
                route("halt", "e5", "idle", STEPS),
                route("idle", "e5", "idle", BLEND),
            ],
            actions=[action("goal", "e6", "known"), action("idle", "e7", "strange")],
            events=EVENTS,
            stop="halt",
            fault="safe",
            fault_transition=TransitionRef(None, BLEND),
            model=MODEL,
        )
        self.frames: list[bytes] = []
        self.last = MODEL.passive_frame().data
        self.stops = 0

    def play(self, happening: Do) -> None:
        engine, name = self.robot.engine, happening.name
        if happening.what == "tick":
            self.tick(int(happening.number))
        elif happening.what == "press":
            self.robot.press(EVENTS[name][0], int(happening.number))
        elif happening.what == "send":
            engine.post(SendEvent(full(name)))
        elif happening.what == "ask":
            engine.post(AskState(full(name), "test", None, happening.number))
        elif happening.what == "force":
            engine.post(AskState(full(name), "test", "instant", force=True))
        elif happening.what == "stop":
            engine.post(Stop("test"))
            self.stops += 1
        elif happening.what == "resume":
            engine.post(Resume())
            self.stops = 0
        elif happening.what == "reconnect":
            self.robot.epoch += 1
        elif happening.what == "mend":
            self.stage.broken.clear()
            self.stage.closed.clear()
        elif happening.what == "close":
            self.stage.closed.add("goal")
        elif happening.what == "break":
            self.stage.broken[name] = RuntimeError("broken")
        else:
            state: Any = engine.graph.states[full(name)].state
            state.qpos = happening.number

    def tick(self, cycles: int) -> None:
        with np.errstate(all="ignore"):
            frame = self.robot.tick(cycles)
        data, view = frame.data, self.robot.engine.snapshot()
        assert data.shape == (5, 2) and np.isfinite(data).all()
        qpos, vel, kp, kd, torque = data
        assert (np.abs(vel) <= MODEL.velocity).all() and (np.abs(torque) <= MODEL.effort).all()
        assert (kp >= 0).all() and (kp <= MODEL.max_kp).all()
        assert (kd >= 0).all() and (kd <= MODEL.max_kd).all()
        assert (qpos >= MODEL.lower).all() and (qpos <= MODEL.upper).all()
        if self.frames:
            reach = MODEL.velocity * np.float32(0.02 * cycles) + 1e-6
            assert (np.abs(qpos - self.last[0]) <= reach)[(kp > 0) & (self.last[2] > 0)].all()
        if self.stops:
            # In the stop state, or in the fault state if that one has failed; nothing waits.
            assert view.stop == "test"
            assert view.state in (full("halt"), full("safe"))
            assert view.pending is None and view.preparing is None
        assert view.state in map(full, NAMES)
        self.last = data
        self.frames.append(data.tobytes())


@settings(max_examples=250)
@given(st.lists(HAPPENINGS, min_size=15, max_size=60))
@example(
    [
        Do("tick", number=1),
        Do("break", "idle.on_update"),
        Do("tick", number=1),
        Do("stop"),
        Do("tick", number=1),
    ]
)
@example([Do("pose", "idle", math.nan), Do("tick", number=1), Do("tick", number=1)])
def test_every_tick_makes_one_sound_frame_and_the_same_one_in_every_run(happenings: list[Do]) -> None:
    runs = (Run(), Run())
    for run in runs:
        for happening in happenings:
            run.play(happening)
            if happening.what in ("break", "pose", "ask", "send", "press"):
                run.play(Do("tick", number=1))
    assert runs[0].frames == runs[1].frames
    assert runs[0].robot.log == runs[1].robot.log


@settings(max_examples=150)
@given(st.lists(HAPPENINGS, min_size=10, max_size=40))
def test_a_stop_reaches_a_sound_stop_state_in_one_tick_from_anywhere(happenings: list[Do]) -> None:
    run = Run()
    for happening in happenings:
        if happening.name.startswith("halt") or happening.what == "resume":
            continue
        run.play(happening)
        if happening.what != "tick":
            run.play(Do("tick", number=1))
    run.play(Do("stop"))
    run.play(Do("tick", number=1))
    view = run.robot.engine.snapshot()
    assert (view.state, view.stop, view.passive) == (full("halt"), "test", None)
    assert (view.transition, view.pending, view.preparing) == (None, None, None)
    for _ in range(40):
        run.play(Do("tick", number=1))
    assert run.robot.engine.snapshot().state == full("halt")
