"""A whole run: a gamepad, the robot and a listener that records all frames, each in a process of its own."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray
from ros.running import ROOT, call, helper, running

CONFIG = ROOT / "config" / "elf3_ideal.yaml"
BASE = "com.bxi.basic_actions/"
PERIOD = 0.02
VELOCITY = 20.0
QPOS, VEL, KP, KD, TORQUE = range(5)
TOUR = (
    ("rb b", "zero_torque", "pd_brake"),
    ("rb y", "pd_brake", "initial_pos"),
    ("rb b", "initial_pos", "pd_brake"),
    ("rb x", "pd_brake", "normal"),
    ("rt a", "normal", "hello"),
    ("rb x", "hello", "normal"),
    ("rb a", "normal", "zero_torque"),
)


@dataclass(frozen=True)
class Run:
    """What was seen of the run from outside."""

    output: str
    status: int
    took: float
    left_running: bool
    signalled: float
    time: NDArray[np.float64]
    frame: NDArray[np.float32]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """The tour through the states, then Ctrl-C."""
    file = tmp_path_factory.mktemp("run") / "frames.npz"
    with (
        running("run", "--config", str(CONFIG)) as robot,
        helper("record_frames.py", str(file)) as recorder,
        helper("press_buttons.py") as gamepad,
    ):
        robot.wait_for("50 Hz")
        recorder.wait_for(f"in {BASE}zero_torque")
        gamepad.wait_for("ready")
        entered: dict[str, int] = {"zero_torque": 1}
        for buttons, _, target in TOUR:
            gamepad.tell(buttons)
            entered[target] = entered.get(target, 0) + 1
            recorder.wait_for(f"in {BASE}{target}", entered[target])
            if target == "hello":
                time.sleep(1.6)
        time.sleep(0.1)
        signalled = time.monotonic()
        status, took = robot.end(signal.SIGINT)
        left_running = robot.left_running()
        recorder.no_more()
        recorder.wait_for("saved")
        gamepad.no_more()
        assert (gamepad.process.wait(10), recorder.process.wait(10)) == (0, 0)
        with np.load(file) as saved:
            yield Run(robot.text, status, took, left_running, signalled, saved["time"], saved["frame"])


def joints() -> list[dict[str, dict[str, float]]]:
    """The joints of the configuration, in order."""
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    return list(config["robot"]["joints"].values())


def default_gains(gain: str) -> NDArray[np.float32]:
    return np.array([joint["default"][gain] for joint in joints()], dtype=np.float32)


def smoothstep(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return x * x * (3.0 - 2.0 * x)


def test_the_operator_reads_mods_state_rate_and_next_step(run: Run) -> None:
    lines = run.output.splitlines()
    assert f"mods: enabled: {BASE[:-1]} 1.0.0" in lines[0]
    assert "mods: disabled: " in lines[1]
    assert f"control: state {BASE}zero_torque, 50 Hz; next: " in run.output
    assert f" event {BASE}pd_brake" in run.output


def test_each_switch_is_one_line(run: Run) -> None:
    seen = [line for line in run.output.splitlines() if " -> " in line]
    assert len(seen) == len(TOUR)
    for line, (_, source, target) in zip(seen, TOUR, strict=True):
        assert f"{BASE}{source} -> {BASE}{target} by " in line


def test_frames_come_at_the_rate_and_are_finite(run: Run) -> None:
    active = run.time < run.signalled
    rate = (np.count_nonzero(active) - 1) / (run.time[active][-1] - run.time[active][0])
    assert 35.0 < rate < 51.0
    assert run.frame.shape[1:] == (5, 31)
    assert np.isfinite(run.frame).all()


def test_no_stiff_joint_steps_faster_than_its_velocity_limit(run: Run) -> None:
    stiff = (run.frame[1:, KP] > 0.0) & (run.frame[:-1, KP] > 0.0)
    step = np.abs(np.diff(run.frame[:, QPOS], axis=0))
    periods = np.maximum(1, np.round(np.diff(run.time) / PERIOD))
    assert (np.where(stiff, step, 0.0) <= VELOCITY * PERIOD * periods[:, None] + 1e-6).all()


def test_each_gain_ramp_takes_its_new_target_at_zero_stiffness(run: Run) -> None:
    step = np.abs(np.diff(run.frame[:, QPOS], axis=0)).max(axis=1)
    limp = ~run.frame[1:, KP].any(axis=1)
    jumps = np.flatnonzero((step > 0.15) & limp) + 1
    assert len(jumps) == 4, "three ramps and the way to zero torque"
    goal = default_gains("kp")
    for jump in jumps[:3]:
        ramp = run.frame[jump : jump + 51]
        share = ramp[:, KP, 0] / goal[0]
        assert np.allclose(ramp[:, KP], share[:, None] * goal, atol=1e-3)
        assert (np.diff(share) >= 0.0).all()
        assert np.allclose(share * 50.0, np.round(share * 50.0), atol=1e-3)
        assert share[-1] == pytest.approx(1.0)
        # The first stiff frames begin where the joints are, and reach the target at their velocity limits.
        assert (ramp[10:, QPOS] == ramp[0, QPOS]).all()


def test_the_blend_out_of_hello_runs_from_the_raised_arm_to_the_standing_pose(run: Run) -> None:
    torque_off = np.flatnonzero(run.frame[:, KP].any(axis=1))[-1] + 1
    normal = run.frame[torque_off - 1, QPOS].astype(np.float64)
    away = run.frame[:torque_off, QPOS] - normal
    end = np.flatnonzero(np.abs(away).max(axis=1) > 1e-6)[-1] + 1
    direction = away[end - 10] / np.linalg.norm(away[end - 10])
    aside = np.linalg.norm(away - (away @ direction)[:, None] * direction, axis=1)
    start = np.flatnonzero(aside[:end] > 1e-3)[-1] + 1
    distance = away[start] @ direction
    assert distance > 1.0
    weight = 1.0 - (away[start : end + 1] @ direction) / distance
    assert weight[0] == pytest.approx(0.0, abs=1e-9)
    assert weight[-1] == pytest.approx(1.0, abs=1e-5)
    assert (np.diff(weight) >= -1e-6).all()
    grid = smoothstep(np.arange(51) / 50.0)
    assert np.abs(weight[:, None] - grid).min(axis=1).max() < 1e-3
    assert len(weight) > 25


def test_ctrl_c_ends_the_run_in_order(run: Run) -> None:
    assert run.status == 0
    assert run.took < 10.0
    assert "Traceback" not in run.output
    assert not run.left_running


def test_the_passive_frame_is_seen_after_the_signal(run: Run) -> None:
    after = run.frame[run.time > run.signalled]
    assert len(after) >= 2
    last = after[-1]
    assert not last[[QPOS, VEL, KP, TORQUE]].any()
    assert np.allclose(last[KD], [joint["passive_kd"] for joint in joints()])


def test_a_mod_in_a_folder_given_on_the_command_line_is_listed_and_gone_without_it() -> None:
    folder = str(Path(__file__).with_name("fixtures") / "mods")
    with_it = call("mod", "list", "--json", "--mod-path", folder)
    without = call("mod", "list", "--json")
    assert (with_it.returncode, without.returncode) == (0, 0)
    rows = {row["id"]: row for row in json.loads(with_it.stdout)}
    assert rows["test.ros"]["version"] == "1.2.0"
    assert rows["test.ros"]["states"] == ["test.ros/limp", "test.ros/hold"]
    assert "test.ros" not in {row["id"] for row in json.loads(without.stdout)}
