"""Field report S8: arms fell where they were when a session ended, and one message claimed a release that had
not happened.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from testing.workshop import workshop

from bxi_framework.control.ending import DAMPED, FREE
from bxi_framework.testing import Bench

REST, UP, FAULTY = (f"com.test.shop/{name}" for name in ("rest", "up", "faulty"))
PARK = f"safe_ending={{mode: park, state: {REST}, timeout: 2}}"
SLOW = "default_transition={type: hold, duration: 0.6}"


def raised(folder: Path, *overrides: str) -> Bench:
    """A robot whose arms are up."""
    bench = Bench(workshop(folder), [folder / "mods"], overrides=[SLOW, *overrides])
    bench.request_state(UP)
    bench.step(60)
    assert bench.state == UP and bench.joints.position == pytest.approx([0.5, 0.5], abs=0.01)
    return bench


def test_s8_a_robot_is_parked_before_it_loses_its_torque(tmp_path: Path) -> None:
    bench = raised(tmp_path, PARK)
    ended = bench.end()
    assert (ended.asked, ended.parked, ended.missed) == ("park", REST, "")
    assert [joint.position for joint in ended.joints] == pytest.approx([0.0, 0.0], abs=0.02)
    assert bench.frames[-1].kp.tolist() == [0.0, 0.0]
    assert bench.frames[-2].kp.tolist() == [50.0, 50.0]
    assert bench.frames[-2].qpos == pytest.approx([0.0, 0.0])
    assert str(ended).startswith(f"parked in '{REST}', then passive damping")
    with pytest.raises(RuntimeError, match="the bench is closed"):
        bench.step()


@pytest.mark.parametrize(("mode", "left"), [("damp", DAMPED), ("cut", FREE)])
def test_s8_the_other_modes_say_where_each_joint_was_let_go(tmp_path: Path, mode: str, left: str) -> None:
    bench = raised(tmp_path, f"safe_ending={{mode: {mode}}}", "robot.joints.a.passive_kd=0.5")
    bench.joints.position[1] = 0.4
    ended = bench.end()
    assert (ended.parked, ended.missed) == (None, "")
    assert [joint.left for joint in ended.joints] == [left, FREE], "joint b has no passive damping"
    assert [joint.told for joint in ended.joints] == [0.5, 0.5]
    assert "b at 0.400 rad (told 0.500)" in str(ended)
    assert not bench.frames[-1].data[[0, 1, 2, 4]].any()


def test_s8_a_stop_that_holds_keeps_the_robot_from_parking_and_is_told(tmp_path: Path) -> None:
    bench = raised(tmp_path, PARK, f"stop_state={UP}")
    bench.stop()
    ended = bench.end()
    assert ended.parked is None
    assert ended.missed == f"not parked in '{REST}': a stop holds; resume first"
    assert "so passive damping" in str(ended) and "a at 0.500 rad (told 0.500)" in str(ended)
    assert bench.frames[-1].kp.tolist() == [0.0, 0.0]


def test_s8_a_stop_amid_the_parking_is_followed_by_damping_at_once(tmp_path: Path) -> None:
    bench = raised(tmp_path, PARK, f"stop_state={UP}")
    steps = 0

    def step(ticks: int = 1, *, cycles: int = 1):  # type: ignore[no-untyped-def]
        nonlocal steps
        steps += 1
        if steps == 10:
            bench.joy([0.0] * 8, [0] * 11)
            bench.runtime.engine.post(_stop())
        return Bench.step(bench, ticks, cycles=cycles)

    bench.step = step  # type: ignore[method-assign]
    ended = bench.end()
    assert ended.missed == f"not parked in '{REST}': a stop came: button"
    assert steps < 20, "the time limit of two seconds was not waited for"


def _stop():  # type: ignore[no-untyped-def]
    from bxi_framework.machine.requests import Stop

    return Stop("button")


def test_s8_parking_ends_within_its_time_limit(tmp_path: Path) -> None:
    slow = f"safe_ending={{mode: park, state: {REST}, timeout: 0.4}}"
    bench = raised(tmp_path, slow)
    before = bench.time
    ended = bench.end()
    assert bench.time - before == pytest.approx(0.4, abs=0.05)
    assert ended.missed == f"not parked in '{REST}': not reached within 0.4 s"
    assert np.all(bench.frames[-1].kp == 0.0)


def test_s8_a_mod_that_fails_in_its_parking_state_is_followed_by_damping(tmp_path: Path) -> None:
    bench = raised(tmp_path, f"safe_ending={{mode: park, state: {FAULTY}, timeout: 2}}", f"fault_state={UP}")
    ended = bench.end()
    assert ended.parked is None and "no such motor" in ended.missed
    assert bench.frames[-1].kp.tolist() == [0.0, 0.0]


def test_s8_after_a_mod_has_failed_the_robot_is_still_parked(tmp_path: Path) -> None:
    bench = raised(tmp_path, PARK, f"fault_state={UP}")
    bench.request_state(FAULTY, transition="instant", force=True)
    bench.step(5)
    assert any("no such motor" in line.message for line in bench.log)
    assert bench.end().parked == REST


def test_s8_a_joint_that_nobody_hears_is_reported_as_such(tmp_path: Path) -> None:
    bench = raised(tmp_path)
    bench.reports_joints = False
    bench.step(10)
    assert [joint.position for joint in bench.end().joints] == [None, None]
    assert "a not heard for 0.1 s (told 0.500)" in "".join(
        line.message for line in bench.log if line.source == "ending"
    )
