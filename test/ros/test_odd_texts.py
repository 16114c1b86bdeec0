"""Texts that nobody should send: too long, or no text at all. They are refused and harm nothing."""

from __future__ import annotations

import json

import pytest
from ros.peer import Peer, states_of
from ros.running import Running
from std_msgs.msg import Float32MultiArray, String

from bxi_framework.ros import qos
from bxi_framework.ros.texts import is_sound, sendable, unusable
from bxi_framework.ros.wishes import Refusal, read_request

SURROGATES = [
    r'{"id": "a", "verb": "state", "args": {"name": "x\ud800"}}',
    r'{"id": "b", "verb": "stop", "args": {"reason": "\ud800"}}',
    r'{"id": "\udfff", "verb": "stop", "args": {}}',
    r'{"id": "c", "verb": "\ud800", "args": {}}',
    r'{"id": "d", "verb": "stop", "args": {"\ud800": 1}}',
]


@pytest.mark.parametrize("text", SURROGATES)
def test_half_a_character_is_refused_in_words_that_can_be_sent(text: str) -> None:
    refusal = read_request(text)
    assert isinstance(refusal, Refusal)
    assert "half of a surrogate pair" in refusal.reason
    assert is_sound(refusal.reason) and (refusal.id is None or is_sound(str(refusal.id)))


def test_a_request_that_is_too_long_is_refused_unread() -> None:
    assert read_request("[" * 20_000) == Refusal(None, "the request is longer than 16384 characters")
    long = json.dumps({"id": 1, "verb": "event", "args": {"name": "x" * 300}})
    assert read_request(long) == Refusal(1, "'name' is longer than 256 characters")


@pytest.mark.parametrize("delay", [3600.5, 1e9, -1, True, "1"])
def test_a_delay_has_bounds(delay: object) -> None:
    text = json.dumps({"id": 1, "verb": "state", "args": {"name": "a/b", "delay": delay}})
    assert read_request(text) == Refusal(1, "'delay' must be a number of seconds from 0 to 3600")


def test_what_a_mod_writes_can_always_be_sent() -> None:
    assert sendable("a\ud800b") == r"a\ud800b"
    assert sendable("挥手") == "挥手"
    assert unusable("挥手", "it") == ""


def test_long_names_and_half_characters_leave_state_and_frames_as_they_are(
    robot: Running, operator: Peer
) -> None:
    frames = operator.hear(Float32MultiArray, "motor_frame", qos.frames())
    states = operator.hear(String, "bxi_control/state", qos.standing())
    event = operator.sender(String, "bxi_control/event", qos.events())
    request = operator.sender(String, "bxi_control/request", qos.events())
    for _ in range(3):
        event(String(data="test.ros/hol" + "d" * 1_000_000))
        request(String(data="{" + " " * 1_000_000))
    for text in SURROGATES:
        request(String(data=text))
    robot.wait_for("an event is refused: the name on ~/event is longer than 256 characters; told once")
    event(String(data="test.ros/hold"))
    operator.until(lambda: states and states_of(states)[-1]["current"]["name"] == "test.ros/hold")
    seen = len(frames)
    operator.until(lambda: len(frames) > seen + 10)
    assert states_of(states)[-1]["stop"]["latched"] is False
    assert len(robot.text) < 20_000
