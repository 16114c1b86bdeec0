"""J1 and J2: what a gamepad's messages look like when its link is lost, or before its first touch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from control.clocks import HandClock

from bxi_framework.control import InputHub
from bxi_framework.diagnostics import Report
from bxi_framework.machine.gamepad import Gamepad, GamepadState
from bxi_framework.machine.gamepad_config import read_gamepad
from bxi_framework.robot import Joint, RobotModel

XBOX = Path(__file__).parents[2] / "config" / "gamepad_xbox.yaml"
LEFT_Y, LT, RT = 1, 2, 5
LB, BACK, START = 4, 6, 7
SECOND = 1_000_000_000
REST = (0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class Driver:
    """A hub with a pad whose mapping may be changed first; messages come at 20 Hz."""

    def __init__(self, folder: Path, *changes: tuple[str, str]) -> None:
        text = XBOX.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (folder / "pad.yaml").write_text(text, encoding="utf-8")
        report = Report()
        mapping = read_gamepad(folder / "pad.yaml", report)
        assert mapping is not None, [fault.message for fault in report]
        self.clock = HandClock(5 * SECOND)
        self.warnings: list[str] = []
        self.hub = InputHub(
            RobotModel("one", [Joint("a")]),
            command_timeout=0.5,
            now_ns=self.clock.now_ns,
            gamepad=Gamepad(mapping, self.warnings.append),
            warn=self.warnings.append,
        )
        self.axes, self.buttons = list(REST), [0] * 8

    def send(self, seconds: float = 0.05) -> GamepadState:
        """The pad as it is, at 20 Hz for a while."""
        for _ in range(round(seconds / 0.05)):
            state = self.hub.joy(self.axes, self.buttons)
            self.wait(0.05)
        assert state is not None
        return state

    def wait(self, seconds: float) -> None:
        self.clock.work(round(seconds * SECOND))

    def forward(self) -> None:
        """Full forward, by a stick that trembles a little as in a hand."""
        self.send()
        for tick in range(20):
            self.axes[LEFT_Y] = 0.99 + 0.01 * (tick % 2)
            self.send()
        assert self.speed > 0.9

    @property
    def speed(self) -> float:
        return float(np.abs(self.hub.snapshot().cmd_vel).max())


def test_j1_silence_ends_the_motion(tmp_path: Path) -> None:
    driver = Driver(tmp_path)
    driver.forward()
    driver.wait(0.45)
    assert driver.speed == 0.0


def test_j1_the_same_message_for_ever_is_noticed_after_the_longest_hold(tmp_path: Path) -> None:
    driver = Driver(tmp_path, ("longest_hold: 10.0", "longest_hold: 0.5"))
    driver.forward()
    driver.send(0.55)
    assert driver.speed == 0.0
    driver.send(60.0)
    assert driver.speed == 0.0
    driver.axes[LEFT_Y] = 0.5
    driver.send()
    assert driver.speed > 0.4


def test_j1_all_zeros_including_triggers_is_no_half_pressed_trigger(tmp_path: Path) -> None:
    driver = Driver(tmp_path, ("vy: {axis: left_x,", "vy: {axis: lt,"))
    driver.forward()
    driver.axes[LT] = 0.0
    driver.send()
    assert driver.hub.snapshot().cmd_vel[1] > 0.4  # a trigger that is half pressed while somebody drives
    driver.axes = [0.0] * 8
    driver.send()
    assert driver.speed == 0.0
    driver.send(60.0)
    assert driver.speed == 0.0 and not any(driver.hub.snapshot().slots or ())


def test_j1_a_button_that_stays_on_fires_once_and_drives_nothing(tmp_path: Path) -> None:
    driver = Driver(tmp_path, ("longest_hold: 10.0", "longest_hold: 0.5\nhold_to_run: [start]"))
    driver.send()
    driver.buttons[START] = 1
    driver.forward()
    driver.axes = list(REST)
    driver.buttons[START] = 1  # latched, while the sticks have come back
    driver.send()
    assert driver.speed == 0.0
    driver.axes[LEFT_Y] = 1.0  # latched as well
    driver.send(0.55)
    assert driver.speed == 0.0
    driver.send(60.0)
    assert driver.speed == 0.0


def test_j1_a_pad_that_comes_back_under_another_number_must_be_seen_at_rest(tmp_path: Path) -> None:
    driver = Driver(tmp_path)
    driver.forward()
    driver.wait(3.0)  # its driver looks for it, and begins anew
    driver.axes[LEFT_Y] = 1.0
    driver.buttons[2] = 1
    driver.send(0.2)
    assert driver.speed == 0.0 and not any(driver.hub.snapshot().slots or ())
    driver.axes, driver.buttons = list(REST), [0] * 8
    driver.send()
    driver.axes[LEFT_Y] = 0.5
    driver.send()
    assert driver.speed > 0.4


def test_j1_the_velocity_counts_only_while_the_button_is_held(tmp_path: Path) -> None:
    driver = Driver(tmp_path, ("longest_hold: 10.0", "hold_to_run: [start]"))
    driver.send()
    driver.axes[LEFT_Y] = 1.0
    driver.send()
    assert driver.speed == 0.0
    driver.buttons[START] = 1
    driver.send()
    assert driver.speed > 0.9
    driver.buttons[0] = 1  # rb + a still is a chord beside it
    driver.buttons[5] = 1
    assert any(driver.send().slots)
    driver.buttons[START] = 0
    driver.send()
    assert driver.speed == 0.0


def test_j1_a_drift_of_004_for_ten_minutes_is_rest_and_the_edge_has_no_jump(tmp_path: Path) -> None:
    driver = Driver(tmp_path)
    driver.send()
    for tick in range(12_000):
        driver.axes[LEFT_Y] = 0.04 if tick % 3 else 0.0399
        driver.send()
        assert driver.speed == 0.0
    driver.axes[LEFT_Y] = 0.051
    driver.send()
    assert 0.0 < driver.speed < 0.002


@pytest.mark.parametrize("first", [(0.0,) * 8, (0.0, 0.0, 0.2, 0.0, 0.0, 0.2, 0.0, 0.0)])
@pytest.mark.parametrize("silence", [0.0, 2.0])
def test_j2_triggers_count_only_after_each_was_seen_at_rest(
    tmp_path: Path, first: tuple[float, ...], silence: float
) -> None:
    driver = Driver(
        tmp_path,
        ("vy: {axis: left_x,", "vy: {axis: rt,"),
        ("press: [lt, y]", "press: [lt]"),
    )
    if silence:
        driver.send(1.0)
        driver.wait(silence)
    driver.axes = list(first)
    driver.send(1.0)
    assert driver.speed == 0.0 and not any(driver.hub.snapshot().slots or ())
    driver.axes[LT] = 1.0
    driver.send()
    driver.axes[LT], driver.axes[LEFT_Y] = -1.0, 0.01  # only this one was seen at rest
    assert any(driver.send().slots)
    assert driver.speed == 0.0
    driver.axes[RT] = 1.0
    driver.send()
    driver.axes[RT] = 0.0
    driver.send()
    assert driver.speed > 0.4


@pytest.mark.parametrize(
    ("axes", "buttons", "missing"),
    [
        (0, 0, ("no axis 0 (left_x): its messages have 0 axes", "no button 0 (a): its messages have 0")),
        (3, 0, ("no axis 3 (right_x): its messages have 3 axes", "no button 6 (back)")),
        (20, 0, ("no button 5 (rb)",)),
        (20, 40, ()),
    ],
)
def test_j2_messages_of_any_length_name_what_they_lack_once(
    tmp_path: Path, axes: int, buttons: int, missing: tuple[str, ...]
) -> None:
    driver = Driver(tmp_path)
    driver.axes, driver.buttons = [0.0] * axes, [0] * buttons
    driver.send(1.0)
    assert driver.speed == 0.0
    told = "\n".join(driver.warnings)
    for text in missing:
        assert told.count(text) == 1, told
    if not missing:
        assert told == ""


def test_a_stop_that_is_still_held_on_the_pad_is_in_every_snapshot_until_the_pad_is_gone(
    tmp_path: Path,
) -> None:
    driver = Driver(tmp_path)
    driver.buttons[BACK] = 1
    driver.send()
    assert driver.hub.snapshot().stop_held
    driver.wait(2.0)
    assert not driver.hub.snapshot().stop_held
