"""The topics that a state cannot do without: no entry without them, a reaction when they fall silent."""

from __future__ import annotations

from pathlib import Path

import pytest
from bootstrap.test_boot import ROBOT, STATES
from loading.folders import write_mod

from bxi_framework.control.runtime import BootError
from bxi_framework.testing import Bench

BASE = """\
events:
  go: {slot: btn_1, value: 1}
states:
  rest: {factory: "state:Rest"}
  damp: {factory: "state:Rest"}
routes:
  - {from: rest, event: go, to: damp}
  - {from: damp, event: go, to: rest}
"""
SEEING = """\
events:
  walk: {slot: btn_2, value: 1}
states:
  walk: {factory: "state:Walk"}
routes:
  - {from: com.test.base/rest, event: walk, to: walk}
  - {from: walk, event: com.test.base/go, to: com.test.base/rest}
"""
WALK = """\
from bxi_framework.mod_api import RobotControlState


class Walk(RobotControlState):
    listens = {"heights": "std_msgs/msg/Float32MultiArray", "hint": "std_msgs/msg/String"}
    input_limits = {"heights": 0.2}

    def __init__(self, name, state_id):
        super().__init__(name, state_id)
        self.angle = 0.0

    def on_update(self, ctx, dt):
        self.angle += 0.5 * dt
        ctx.set_motor_target(self._motor_frame(ctx, self.angle, 10.0, 1.0))
"""
REST, DAMP, STATE = "com.test.base/rest", "com.test.base/damp", "com.test.seeing/walk"


def bench(folder: Path, watchdogs: str = "", code: str = WALK) -> Bench:
    """Rests; the fault state is `damp`."""
    write_mod(folder, "com.test.base", BASE, state=STATES)
    write_mod(folder, "com.test.seeing", SEEING, requires="com.test.base", state=code)
    config = ROBOT.replace("com.test.arm", "com.test.seeing") + f"fault_state: {DAMP}\n" + watchdogs
    path = folder / "robot.yaml"
    path.write_text(config, encoding="utf-8")
    made = Bench(path, mod_paths=[folder])
    made.step()
    return made


def walk(made: Bench, ticks: int = 20) -> None:
    """In the state for some ticks in which its topic is heard."""
    made.hear("heights", object())
    assert made.request_state(STATE).ok
    for _ in range(ticks):
        made.hear("heights", object())
        made.step()
    assert made.state == STATE


def test_without_its_input_the_state_is_not_entered(tmp_path: Path) -> None:
    with bench(tmp_path) as made:
        verdict = made.request_state(STATE)
        assert verdict.reason == f"'{STATE}' needs 'heights', which was never heard"
        made.hear("heights", object())
        made.step(20)
        verdict = made.request_state(STATE)
        assert verdict.reason.startswith(f"'{STATE}' needs 'heights', last heard 0.4")
        assert not made.request_state(STATE, force=True).ok
        made.hear("heights", object())
        assert made.request_state(STATE).ok


def test_an_input_that_falls_silent_leads_to_the_fault_state_unless_something_else_is_said(
    tmp_path: Path,
) -> None:
    with bench(tmp_path) as made:
        walk(made)
        made.step(20)
        assert made.state == DAMP
        said = [line.message for line in made.log if line.source == "watchdog"]
        assert said[0].startswith("the policy's input is lost: 'heights', last heard 0.2")
        assert said[0].endswith("s ago, which is more than 0.2 s")


def test_with_hold_the_frame_is_repeated_and_the_state_goes_on_where_it_was(tmp_path: Path) -> None:
    with bench(tmp_path, "watchdogs: {policy: {reaction: hold}}") as made:
        walk(made)
        made.step(30)
        held = made.frame.qpos[0]
        assert made.snapshot.held == "waiting for policy" and made.state == STATE
        made.step(30)
        assert made.frame.qpos[0] == held
        made.hear("heights", object())
        made.step()
        assert float(made.frame.qpos[0] - held) == pytest.approx(0.5 * made.period, abs=1e-5)
        assert made.log[-1].message == "no input of the policy is missing any more"


def test_with_stop_the_robot_stops_and_may_resume_without_the_input_of_a_state_it_has_left(
    tmp_path: Path,
) -> None:
    with bench(tmp_path, "watchdogs: {policy: {reaction: stop}}") as made:
        walk(made)
        made.step(30)
        assert (made.state, "heights" in (made.snapshot.stop or "")) == (REST, True)
        assert made.resume().ok


def test_the_configuration_may_tighten_the_limit(tmp_path: Path) -> None:
    with bench(tmp_path, "watchdogs: {policy: {limit: 0.05, reaction: hold}}") as made:
        walk(made)
        made.step(4)
        assert made.snapshot.held is not None


def test_the_age_is_shown_with_its_limit_while_the_state_is_in_control(tmp_path: Path) -> None:
    with bench(tmp_path) as made:
        assert made.snapshot.as_dict()["policy"] is None
        walk(made)
        made.step(4)
        assert made.snapshot.as_dict()["policy"] == {
            "inference": None,
            "inputs": {"heights": {"age": pytest.approx(0.08), "limit": 0.2, "lost": False}},
        }


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ('{"depth": 0.2}', "State 'walk' cannot do without 'depth', but does not listen to it."),
        ('{"heights": 0.0}', "limits the age of 'heights' to 0.0; expected seconds above 0."),
    ],
)
def test_limits_that_make_no_sense_refuse_the_start(tmp_path: Path, limits: str, said: str) -> None:
    with pytest.raises(BootError) as caught:
        bench(tmp_path, code=WALK.replace('{"heights": 0.2}', limits))
    (fault,) = caught.value.report.errors
    assert fault.code == "factory-wrong-result" and said in fault.message
