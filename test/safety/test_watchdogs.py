"""Inputs that are too old are noticed once, and once more when they are back."""

from __future__ import annotations

import math

import pytest

from bxi_framework.manifest.watchdogs import WatchdogDecl
from bxi_framework.robot import InputAges
from bxi_framework.safety import Change, Watchdogs

JOINTS = WatchdogDecl("joint_states", 0.1, "stop")
PAD = WatchdogDecl("gamepad", 0.5, "zero", required=True)


def test_an_input_is_lost_beyond_its_limit_and_back_within_it() -> None:
    dogs = Watchdogs([JOINTS])
    assert dogs.look(InputAges(joint_states=0.1), 0.02) == []
    assert dogs.look(InputAges(joint_states=0.125), 0.02) == [Change(JOINTS, True, 0.125)]
    assert dogs.lost == {"joint_states": JOINTS}
    assert dogs.look(InputAges(joint_states=0.145), 0.02) == []
    assert dogs.look(InputAges(joint_states=0.0), 0.02) == [Change(JOINTS, False, 0.0)]
    assert dogs.lost == {}


def test_what_nobody_watches_and_what_never_came_is_not_missed() -> None:
    dogs = Watchdogs([JOINTS])
    for _ in range(1000):
        assert dogs.look(InputAges(imu=100.0), 0.02) == []


def test_a_required_input_must_come_within_five_seconds() -> None:
    dogs = Watchdogs([PAD])
    for _ in range(250):
        assert dogs.look(InputAges(), 0.02) == []
    assert dogs.look(InputAges(), 0.02) == [Change(PAD, True, math.inf)]
    assert dogs.look(InputAges(gamepad=0.25), 0.02) == [Change(PAD, False, 0.25)]


def test_two_may_be_lost_at_once() -> None:
    dogs = Watchdogs([JOINTS, PAD])
    changes = dogs.look(InputAges(joint_states=3.0, gamepad=3.0), 0.02)
    assert [change.watchdog.input for change in changes] == ["joint_states", "gamepad"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (Change(JOINTS, True, 0.25), "joint_states was last heard 0.25 s ago, which is more than 0.1 s"),
        (Change(PAD, True, math.inf), "gamepad was never heard, though it is required"),
        (Change(PAD, False, 0.0), "gamepad is heard again"),
    ],
)
def test_a_change_says_what_happened(change: Change, sentence: str) -> None:
    assert change.sentence == sentence
