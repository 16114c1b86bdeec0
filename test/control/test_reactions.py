"""What the robot does when an input is lost: zero, hold, leave or stop, and how each ends."""

from __future__ import annotations

import numpy as np
import pytest
from machine.actors import Stage, drift
from machine.rigs import MOD, Rig, full, rig, route

from bxi_framework.control.reactions import InputWatch
from bxi_framework.machine.requests import AskState, Resume, Stop, Verdict
from bxi_framework.manifest.watchdogs import WatchdogDecl
from bxi_framework.mod_api import ProceduralState
from bxi_framework.robot import InputAges, MotorFrame

PERIOD = 0.02


class Watched:
    """A rig under watch whose joint states are as old as the test says."""

    def __init__(self, built: Rig, *watchdogs: WatchdogDecl) -> None:
        self.rig = built
        self.ages = InputAges(joint_states=0.0, gamepad=0.0, cmd_vel=0.0)
        self.cmd_vel = np.array([0.5, 0.0, 0.0], dtype=np.float32)
        built.controller.watch = InputWatch(
            watchdogs, built.engine, PERIOD, lambda *line: built.log.append(line)
        )

    def tick(self, joint_states: float = 0.0, gamepad: float = 0.0, count: int = 1) -> MotorFrame:
        for _ in range(count):
            ages = InputAges(joint_states=joint_states, gamepad=gamepad)
            inputs = self.rig.inputs()._replace(ages=ages, cmd_vel=self.cmd_vel)
            frame = self.rig.controller.tick(inputs, 1).copy()
        return frame

    def ask(self, wish_of: object) -> Verdict:
        answers: list[Verdict] = []
        self.rig.engine.post(wish_of(answers.append))  # type: ignore[operator]
        self.tick()
        return answers[0]


def moving(*watchdogs: WatchdogDecl) -> Watched:
    """A joint that turns with 1 rad/s from 0; `halt` at -0.5 is the stop state."""
    built = rig(
        {"idle": drift(0.0, 1.0), **Stage().actors(halt=-0.5, refuge=0.25)},
        routes=[route("idle", None, "refuge", after=1e6), route("idle", None, "halt", after=1e6)],
        stop="halt",
        fault="halt",
        period=PERIOD,
    )
    return Watched(built, *watchdogs)


def test_while_held_the_last_frame_is_repeated_and_nothing_jumps_when_it_ends() -> None:
    watched = moving(WatchdogDecl("joint_states", 0.1, "hold"))
    before = watched.tick(count=5)
    held = [watched.tick(joint_states=0.2) for _ in range(50)]
    assert all(frame.data.tobytes() == before.data.tobytes() for frame in held)
    assert watched.rig.engine.snapshot().held == "waiting for joint_states"
    after = watched.tick()
    assert float(after.qpos[0] - before.qpos[0]) == pytest.approx(0.02)
    assert watched.rig.engine.snapshot().held is None
    said = [message for _, source, message in watched.rig.log if source == "watchdog"]
    assert said == [
        "joint_states was last heard 0.2 s ago, which is more than 0.1 s",
        "joint_states is heard again",
    ]


def test_a_hold_counts_no_time_in_the_state() -> None:
    watched = moving(WatchdogDecl("joint_states", 0.1, "hold"))
    watched.tick(count=5)
    elapsed = watched.rig.engine.snapshot().elapsed
    watched.tick(joint_states=1.0, count=50)
    assert watched.rig.engine.snapshot().elapsed == elapsed


def test_a_stop_wins_over_a_hold() -> None:
    watched = moving(WatchdogDecl("joint_states", 0.1, "hold"))
    watched.tick(joint_states=0.2, count=5)
    watched.rig.engine.post(Stop("button"))
    assert watched.tick(joint_states=0.2).qpos[0] == -0.5


def test_a_lost_input_stops_and_the_stop_holds_until_the_input_is_back_and_a_person_resumes() -> None:
    watched = moving(WatchdogDecl("joint_states", 0.1, "stop"))
    watched.cmd_vel = np.zeros(3, dtype=np.float32)
    watched.tick(count=3)
    assert watched.tick(joint_states=0.2).qpos[0] == -0.5
    view = watched.rig.engine.snapshot()
    assert view.stop == "joint_states was last heard 0.2 s ago, which is more than 0.1 s"
    answers: list[Verdict] = []
    watched.rig.engine.post(Resume(answers.append))
    watched.tick(joint_states=0.3)
    assert answers == [Verdict(False, "joint_states not heard")]
    watched.tick(count=100)
    assert watched.rig.engine.snapshot().stop is not None, "nothing resumes by itself"
    assert watched.ask(Resume) == Verdict(True)
    assert watched.rig.state == "halt"


def test_a_lost_input_leads_to_the_state_that_is_written_for_it() -> None:
    watched = moving(WatchdogDecl("gamepad", 0.5, "leave", full("refuge")))
    watched.tick(count=3)
    assert watched.tick(gamepad=0.6).qpos[0] == 0.25
    assert watched.rig.state == "refuge"
    watched.tick(gamepad=9.0, count=50)
    watched.tick(count=50)
    assert watched.rig.state == "refuge", "the way back is for a person to choose"


def test_a_refuge_that_cannot_be_reached_is_told() -> None:
    watched = moving(WatchdogDecl("gamepad", 0.5, "leave", full("refuge")))
    watched.cmd_vel = np.zeros(3, dtype=np.float32)
    watched.rig.engine.post(Stop("button"))
    watched.tick()
    watched.tick(gamepad=0.6)
    assert "the robot stays where it is: a stop holds; resume first" in watched.rig.messages("error")


class Seen(ProceduralState[None]):
    """Turns with the velocity that it is commanded."""

    def compute_frame(self, ctx: object, elapsed: float) -> MotorFrame:
        return self.frame(ctx, float(ctx.current_raw_cmd_vel[0]))  # type: ignore[attr-defined, arg-type]


def test_a_velocity_is_zero_while_the_input_behind_it_is_lost() -> None:
    built = rig({"idle": lambda state: Seen(state.name, state.state_id)}, period=PERIOD)
    watched = Watched(built, WatchdogDecl("gamepad", 0.5, "zero"))
    assert watched.tick().qpos[0] == 0.5
    for _ in range(30):
        frame = watched.tick(gamepad=0.6)
    assert frame.qpos[0] == 0.0
    for _ in range(30):
        frame = watched.tick()
    assert frame.qpos[0] == 0.5


def test_an_ask_for_another_state_is_still_answered_while_held() -> None:
    watched = moving(WatchdogDecl("joint_states", 0.1, "hold"))
    watched.tick(joint_states=0.2, count=3)
    answers: list[Verdict] = []
    watched.rig.engine.post(AskState(f"{MOD}/refuge", "test", reply=answers.append))
    frame = watched.tick(joint_states=0.2)
    assert answers == [Verdict(True)]
    assert frame.qpos[0] < 0.1
    for _ in range(3):
        frame = watched.tick()
    assert frame.qpos[0] == 0.25
