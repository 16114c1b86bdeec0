"""Which word goes out next: stops before all else, no motion into a stall, the camera in between."""

from __future__ import annotations

import itertools

import pytest
from ks0223.parts import car

command = car("bridge.command")
talk_module = car("bridge.wifi.talk")
aim_module = car("bridge.wifi.aim")

FORWARD = command.CarCommand(1.0, 1.0)
STOP = command.STOP


class Line:
    """A talk whose words all go out, with a clock that the test turns."""

    def __init__(self) -> None:
        self.aim = aim_module.CameraAim(0.02)
        self.talk = talk_module.Talk(self.aim)
        self.now = 50.0
        self.sent: list[tuple[float, str]] = []

    def run(self, seconds: float, wish: object, *, stalled: bool = False) -> list[str]:
        """Let time pass with a gap of 30 ms between words; what went out."""
        begun = len(self.sent)
        end = self.now + seconds
        while self.now < end:
            word = self.talk.word(self.now, wish, stalled)
            if word is not None:
                self.talk.sent(self.now, word)
                self.sent.append((round(self.now - 50.0, 3), word))
            self.now += 0.03 if word is not None else 0.005
        return [word for _, word in self.sent[begun:]]


def test_the_first_word_of_every_connection_is_a_stop_whatever_is_wanted() -> None:
    line = Line()
    assert line.run(0.05, FORWARD) == ["DirStop", "DirForward"]
    line.talk.connected()
    assert line.run(0.05, FORWARD) == ["DirStop", "DirForward"]


def test_a_stop_is_repeated_until_the_link_has_been_good_for_a_while_and_then_now_and_then() -> None:
    line = Line()
    line.run(0.1, FORWARD)
    early = line.run(2.9, STOP)
    assert set(early) == {"DirStop"} and len(early) == pytest.approx(29, abs=2)
    line.run(0.5, STOP)
    assert len(line.run(5.0, STOP)) == pytest.approx(5, abs=1)
    assert len(line.run(1.0, STOP, stalled=True)) == pytest.approx(9, abs=2)
    assert len(line.run(2.0, STOP)) == pytest.approx(20, abs=2)


def test_no_motion_goes_into_a_stall_but_stops_do() -> None:
    line = Line()
    line.run(0.1, FORWARD)
    assert line.run(0.5, FORWARD, stalled=True) == []
    assert line.run(0.25, STOP, stalled=True) == ["DirStop"] * 3
    assert line.run(0.5, FORWARD, stalled=True) == []
    assert line.run(0.02, FORWARD) == ["DirForward"]


def test_a_motion_is_refreshed_since_a_word_may_be_lost_between_others() -> None:
    line = Line()
    line.run(0.03, STOP)
    assert set(line.run(1.0, FORWARD)) == {"DirForward"}
    times = [at for at, word in line.sent if word == "DirForward"]
    assert len(times) >= 6
    assert all(0.13 < two - one < 0.18 for one, two in itertools.pairwise(times))


def test_the_camera_moves_while_the_car_drives_and_neither_holds_the_other_up() -> None:
    line = Line()
    line.run(0.1, STOP)
    wish = command.CarCommand(1.0, 1.0, tilt=90.0, pan=120.0)
    line.run(2.0, wish)
    assert line.aim.pan == pytest.approx(120.0, abs=2.0)
    assert "CamLeft" in [word for _, word in line.sent]
    for (at, _), (after, word) in zip(line.sent, line.sent[1:], strict=False):
        assert word != "CamLeft" or after - at < 0.05
    drives = [at for at, word in line.sent if word == "DirForward"]
    assert max(two - one for one, two in itertools.pairwise(drives)) < 0.14 + 0.05


def test_the_camera_is_reckoned_within_its_limits() -> None:
    aim = aim_module.CameraAim(0.02)
    assert aim.due(0.0, 90.0, 90.0) is None
    assert aim.due(0.0, 200.0, None) == "CamUp"
    aim.sent(0.0, "CamUp")
    assert aim.due(60.0, 200.0, None) is None
    assert aim.tilt == 180.0
    aim.halted(60.0)
    assert aim.due(60.1, None, 80.0) == "CamRight"
