"""The bench as a Mod author uses it: what goes in, what comes out, and what it says of mistakes."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from testing.workshop import workshop

from bxi_framework.control.runtime import BootError
from bxi_framework.testing import Bench, LogLine

REST, UP, ECHO, SHY = (f"com.test.shop/{name}" for name in ("rest", "up", "echo", "shy"))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with Bench(workshop(tmp_path), mod_paths=[tmp_path / "mods"]) as made:
        yield made


@pytest.fixture
def still(tmp_path: Path) -> Iterator[Bench]:
    """A bench whose joints stay as they are set."""
    with Bench(workshop(tmp_path), [str(tmp_path / "mods")], actuators=None) as made:
        yield made


def test_nothing_happens_before_the_first_step(bench: Bench) -> None:
    assert (bench.state, bench.in_transition, bench.time) == (REST, False, 0.0)
    assert bench.frames == []
    assert [line for line in bench.log if line.source == REST] == []
    with pytest.raises(IndexError, match=r"no frame has been emitted yet; call step\(\) first"):
        _ = bench.frame


def test_a_step_returns_the_last_frame_in_the_robot_layout(bench: Bench) -> None:
    frame = bench.step(50)
    assert frame.layout.names == ("a", "b")
    assert frame.data.shape == (5, 2)
    assert bench.time == 1.0
    assert len(bench.frames) == 50
    assert bench.frames[-1] is bench.frame is frame
    assert bench.step() is bench.frames[50]


def test_frames_that_were_emitted_never_change(bench: Bench) -> None:
    first = bench.step()
    before = first.data.copy()
    bench.send_event("com.test.shop/lift")
    bench.step(20)
    assert first.data.tobytes() == before.tobytes()
    assert len({id(frame) for frame in bench.frames}) == 21
    assert bench.frame.qpos.tolist() == [0.5, 0.5]


def test_an_event_counts_in_the_next_tick(bench: Bench) -> None:
    bench.step()
    bench.send_event("com.test.shop/lift")
    assert not bench.in_transition
    bench.step()
    assert bench.in_transition


def test_state_and_in_transition_follow_a_switch_tick_by_tick(bench: Bench) -> None:
    bench.step()
    bench.send_event("com.test.shop/lift")
    seen = []
    for _ in range(7):
        bench.step()
        seen.append((bench.state, bench.in_transition))
    # Progress 0, 0.2, 0.4, 0.6, 0.8 and 1: the sixth tick hands over.
    assert seen == [(REST, True)] * 5 + [(UP, False)] * 2


def test_a_pressed_slot_fires_once_until_it_is_released(bench: Bench) -> None:
    bench.step()
    bench.press("btn_1")
    bench.step(10)
    assert bench.state == UP
    bench.press("btn_2", 1)
    bench.step(2)
    assert bench.state == REST
    bench.press("btn_1")  # it is still down: no edge
    bench.step(10)
    assert bench.state == REST
    bench.release("btn_1")
    bench.step()
    bench.press("btn_1")
    bench.step(10)
    assert bench.state == UP


def test_only_the_value_of_the_event_fires_it(bench: Bench) -> None:
    bench.step()
    for value, state in ((1, REST), (3, REST), (2, ECHO)):
        bench.press("btn_10", value)
        bench.step(2)
        assert bench.state == state


def test_the_gamepad_goes_through_the_mapping_of_the_configuration(bench: Bench) -> None:
    axes, buttons = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0], [0] * 8
    bench.joy(axes, buttons)
    bench.step()
    buttons[5] = buttons[2] = 1  # rb and x
    bench.joy(axes, buttons)
    bench.step(10)
    assert bench.state == UP
    bench.joy(axes, [0] * 8)
    bench.step()
    buttons = [0] * 8
    buttons[6] = 1  # back
    bench.joy(axes, buttons)
    bench.step()
    assert bench.state == REST
    assert bench.snapshot.stop == "gamepad"


def test_wishes_are_answered_with_a_verdict_after_one_tick(bench: Bench) -> None:
    bench.step()
    accepted = bench.request_state(UP, transition="instant")
    assert (accepted.ok, accepted.reason, len(bench.frames)) == (True, "", 2)
    assert bench.state == UP
    unknown = bench.request_state("com.test.shop/ups")
    assert (unknown.ok, unknown.reason) == (
        False,
        "no state 'com.test.shop/ups'. Did you mean 'com.test.shop/up'?",
    )
    assert bench.stop("tea").ok
    assert (bench.state, bench.snapshot.stop) == (REST, "tea")
    refused = bench.request_state(UP)
    assert (refused.ok, refused.reason) == (False, "a stop holds; resume first")
    assert bench.resume().ok
    assert (bench.resume().ok, bench.resume().reason) == (False, "no stop holds")
    assert bench.request_state(UP, transition="soft_switch", delay=0.1).ok
    bench.step(5)
    assert (bench.state, bench.in_transition) == (REST, True)
    bench.step(2)
    assert bench.state == UP


def test_a_wish_can_be_forced_on_a_state_that_is_not_available(bench: Bench) -> None:
    bench.step()
    refused = bench.request_state(SHY)
    assert (refused.ok, refused.reason) == (False, f"'{SHY}' says that it is not available now")
    assert bench.request_state(SHY, force=True).ok
    assert bench.state == SHY


def test_the_joints_follow_their_commands_as_long_as_actuators_move_them(bench: Bench) -> None:
    bench.step()
    bench.joints.position[:] = 0.9
    bench.send_event("com.test.shop/lift")
    bench.step(7)
    # One tick of 20 ms, 0.4 time constants: 1 - exp(-0.4) of 0.5 rad; then 50 of stiffness and 2 of damping.
    assert bench.joints.position.tolist() == pytest.approx([0.16484] * 2, rel=1e-4)
    assert bench.joints.velocity.tolist() == pytest.approx([8.242] * 2, rel=1e-4)
    assert bench.joints.effort.tolist() == pytest.approx([0.274] * 2, abs=1e-3)
    bench.step(23)
    assert bench.joints.position.tolist() == pytest.approx([0.5, 0.5], abs=1e-3)


def test_without_actuators_the_joints_stay_as_they_are_set(still: Bench) -> None:
    still.press("btn_10", 2)
    still.step()
    still.joints.position[:] = (0.1, -0.2)
    still.joints.velocity[:] = 3.0
    assert still.step(5).qpos.tolist() == pytest.approx([0.1, -0.2])
    assert still.joints.position.tolist() == pytest.approx([0.1, -0.2])
    assert still.joints.velocity.tolist() == [3.0, 3.0]


def test_readings_that_are_not_finite_are_told_and_the_last_ones_hold(still: Bench) -> None:
    still.press("btn_10", 2)
    still.joints.position[:] = 0.1
    still.step(3)
    still.joints.position[0] = math.nan
    assert still.step(3).qpos.tolist() == pytest.approx([0.1, 0.1])
    told = [line for line in still.log if line.source == "inputs"]
    assert told == [LogLine("warning", "inputs", "joint states with a value that is not finite are dropped")]


def test_a_velocity_is_wished_until_the_command_timeout(bench: Bench) -> None:
    bench.press("btn_10", 2)
    bench.step()
    bench.command_velocity(0.5, 0.0, 0.25)
    wishes = [bench.step().vel.tolist() for _ in range(27)]
    # Half a second is 25 ticks of 20 ms.
    assert wishes == [[0.5, 0.25]] * 25 + [[0.0, 0.0]] * 2


def test_a_tick_may_stand_for_several_cycles(bench: Bench) -> None:
    bench.step()
    bench.send_event("com.test.shop/lift")
    bench.step(3, cycles=2)
    # Progress 0, 0.4 and 0.8.
    assert (bench.in_transition, bench.time, len(bench.frames)) == (True, pytest.approx(0.14), 4)
    bench.step(1, cycles=5)
    assert (bench.state, bench.time) == (UP, pytest.approx(0.24))


def test_the_log_holds_what_states_and_the_framework_say_in_order(bench: Bench) -> None:
    bench.step()
    bench.send_event("com.test.shop/lift")
    bench.step(10)
    assert bench.log == [
        LogLine("info", REST, "entered at 0.0"),
        LogLine("info", UP, f"{REST} -> {UP} by hold (com.test.shop/lift)"),
        LogLine("info", UP, "entered at 0.5"),
    ]


def test_a_state_that_fails_is_told_with_its_line_and_the_steps_go_on(bench: Bench) -> None:
    bench.step()
    bench.send_event("com.test.shop/fail")
    bench.step(5)
    assert bench.state == REST
    (line,) = (line for line in bench.log if line.level == "error")
    assert line.source == "com.test.shop/faulty"
    assert "state.py:50: OSError: no such motor" in line.message


def test_overrides_are_laid_over_the_configuration(tmp_path: Path) -> None:
    overrides = ["control_runtime.period_sec=0.01", f"initial_state={UP}"]
    with Bench(workshop(tmp_path), [tmp_path / "mods"], overrides=overrides) as bench:
        bench.step(10)
        assert (bench.state, bench.period, bench.time) == (UP, 0.01, 0.1)


def test_closing_unbinds_the_states_and_removes_the_mods(tmp_path: Path) -> None:
    config = workshop(tmp_path)
    before = set(sys.modules)
    bench = Bench(config, [tmp_path / "mods"])
    assert set(sys.modules) - before
    bench.step()
    bench.close()
    assert set(sys.modules) - before == set()
    assert [line.source for line in bench.log if line.message == "unbound"] == [SHY, UP, REST]
    assert len(bench.frames) == 1
    bench.close()
    assert [line.message for line in bench.log].count("unbound") == 3
    with pytest.raises(RuntimeError, match="the bench is closed and its Mods are gone; make a new one"):
        bench.step()


def test_an_error_within_the_block_closes_the_bench_too(tmp_path: Path) -> None:
    before = set(sys.modules)
    with pytest.raises(KeyError), Bench(workshop(tmp_path), [tmp_path / "mods"]) as bench:
        bench.step()
        raise KeyError
    assert set(sys.modules) - before == set()


def test_a_start_that_is_refused_says_why_in_the_error_itself(tmp_path: Path) -> None:
    config = workshop(tmp_path)
    before = set(sys.modules)
    manifest = tmp_path / "mods" / "com.test.shop" / "mod.yaml"
    manifest.write_text(manifest.read_text("utf-8").replace("to: up", "to: pu"), "utf-8")
    with pytest.raises(BootError) as refused:
        Bench(config, [tmp_path / "mods"])
    text = str(refused.value)
    assert text.startswith("the start was refused.\n1 error")
    (fault,) = refused.value.report.errors
    assert fault.field == "routes[0].to" and fault.hint is not None
    assert f"at {manifest}:{fault.line}:" in text and fault.message in text and fault.hint in text
    assert set(sys.modules) - before == set()


def test_a_missing_configuration_is_named(tmp_path: Path) -> None:
    with pytest.raises(BootError, match=r"There is no such file\. \(.*nowhere\.yaml\)"):
        Bench(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda bench: bench.press("btn_11"), "no slot 'btn_11'. Did you mean 'btn_1'?"),
        (lambda bench: bench.release("button"), "no slot 'button'."),
        (
            lambda bench: bench.send_event("com.test.shop/lfit"),
            "no event 'com.test.shop/lfit'. Did you mean 'com.test.shop/lift'?",
        ),
        (lambda bench: bench.step(0), "step() takes at least one tick of one cycle, not 0 of 1"),
        (lambda bench: bench.step(1, cycles=0), "step() takes at least one tick of one cycle, not 1 of 0"),
    ],
)
def test_a_wrong_call_is_an_error_that_names_what_was_meant(bench: Bench, call: object, said: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError) as raised:
        call(bench)
    assert str(raised.value).startswith(said)
    assert bench.frames == []


def test_two_benches_at_once_know_nothing_of_each_other(tmp_path: Path) -> None:
    with Bench(workshop(tmp_path / "one", 0.5), [tmp_path / "one" / "mods"]) as one:
        with Bench(workshop(tmp_path / "two", 0.25), [tmp_path / "two" / "mods"]) as two:
            for bench in (one, two):
                bench.step()
            one.send_event("com.test.shop/lift")
            one.step(20)
            two.step(20)
            assert (one.state, two.state) == (UP, REST)
            two.send_event("com.test.shop/lift")
            two.step(20)
            assert two.frame.qpos.tolist() == [0.25, 0.25]
        # One goes on after the other is closed.
        one.step(5)
        assert one.frame.qpos.tolist() == [0.5, 0.5]
        assert [line.source for line in one.log if line.message == "unbound"] == []
    assert len([line for line in one.log if line.message == "unbound"]) == 3


def test_an_overflow_in_a_state_is_a_value_that_is_not_finite(still: Bench) -> None:
    still.press("btn_10", 2)
    still.step()
    still.joints.position[:] = still.joints.velocity[:] = np.float32(3e38)
    assert np.isfinite(still.step(5).data).all()
    (said,) = [line.message for line in still.log if line.level == "error"]
    place, _, told = said.partition(": ")
    assert told == "torque of 'a' is inf, which is not finite; going to 'com.test.shop/rest'"
    # The line on which the Mod's own method begins.
    file, _, number = place.rpartition(":")
    assert "def on_update" in Path(file).read_text(encoding="utf-8").splitlines()[int(number) - 1]
