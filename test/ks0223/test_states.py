"""What the states of the car ask of its joints, on the bench with the configuration of the virtual car."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bxi_framework.testing import Bench

CONFIG = Path(__file__).parents[2] / "config" / "ks0223.yaml"
CAR = "com.keyestudio.ks0223"
LEFT, RIGHT = [0, 2], [1, 3]
PAN = 4
FRONT, TO_LEFT, TO_RIGHT = "ultrasonic/front", "ultrasonic/left", "ultrasonic/right"


@pytest.fixture
def bench() -> Iterator[Bench]:
    with Bench(CONFIG, actuators=None) as made:
        made.step()
        yield made


def enter(bench: Bench, state: str) -> None:
    bench.send_event(f"{CAR}/{state}")
    bench.step(5)
    assert bench.state == f"{CAR}/{state}", bench.snapshot


def speeds(bench: Bench) -> tuple[float, float]:
    """Forward (m/s) and turn rate (rad/s) that the last frame asks for."""
    wheels = bench.frame.vel[:4].astype(float)
    assert wheels[0] == wheels[2] and wheels[1] == wheels[3]
    left, right = wheels[0] * 0.0325, wheels[1] * 0.0325
    return (left + right) / 2.0, (right - left) / 0.22


def sees(bench: Bench, topic: str, distance: float) -> None:
    bench.hear(topic, SimpleNamespace(range=distance))


def test_idle_asks_for_nothing_and_brake_holds_the_wheels(bench: Bench) -> None:
    assert bench.state == f"{CAR}/idle"
    assert not bench.frame.data.any()
    enter(bench, "brake")
    assert (bench.frame.kd[:4] > 0.0).all() and not bench.frame.vel.any()


@pytest.mark.parametrize("state", ["brake", "drive", "drive_slow", "look_around", "line_follow", "avoid"])
def test_every_state_leads_to_idle_and_to_the_brake_at_once(bench: Bench, state: str) -> None:
    for goal in ("idle", "brake"):
        if goal == state:
            continue
        bench.send_event(f"{CAR}/idle")
        bench.step(3)
        enter(bench, state)
        bench.send_event(f"{CAR}/{goal}")
        bench.step(2)
        assert bench.state == f"{CAR}/{goal}"


def test_a_velocity_command_is_followed_in_metres_and_radians_per_second(bench: Bench) -> None:
    enter(bench, "drive")
    bench.command_velocity(0.3, 0.0, 1.0)
    bench.step()
    assert speeds(bench) == pytest.approx((0.3, 1.0), rel=1e-4)
    bench.command_velocity(-5.0, 2.0, 0.0)
    bench.step()
    assert speeds(bench) == pytest.approx((-0.73, 0.0), rel=1e-3)
    assert (bench.frame.kd[:4] > 0.0).all()


def test_what_is_too_fast_for_a_wheel_keeps_its_curve(bench: Bench) -> None:
    enter(bench, "drive")
    bench.command_velocity(0.73, 0.0, 6.0)
    bench.step()
    speed, turn = speeds(bench)
    assert turn / speed == pytest.approx(6.0 / 0.73, rel=1e-3)
    assert np.abs(bench.frame.vel[:4]).max() == pytest.approx(0.73 / 0.0325, rel=1e-3)


def test_slow_is_two_fifths(bench: Bench) -> None:
    enter(bench, "drive_slow")
    bench.command_velocity(0.5, 0.0, -1.0)
    bench.step()
    assert speeds(bench) == pytest.approx((0.2, -0.4), rel=1e-4)


def test_a_command_that_falls_silent_is_no_command(bench: Bench) -> None:
    enter(bench, "drive")
    bench.command_velocity(0.5)
    bench.step()
    assert speeds(bench)[0] > 0.0
    bench.step(25)
    assert speeds(bench) == (0.0, 0.0)


def test_a_stop_coasts_from_any_state(bench: Bench) -> None:
    enter(bench, "drive")
    bench.command_velocity(0.5)
    bench.step()
    assert bench.stop().ok
    assert bench.state == f"{CAR}/idle" and not bench.frame.data.any()


def test_looking_around_points_left_ahead_and_right_and_takes_what_is_seen_there(bench: Bench) -> None:
    enter(bench, "look_around")
    pointed = []
    for topic, angle, distance in ((TO_LEFT, 60, 0.8), (FRONT, 0, math.nan), (TO_RIGHT, -60, 1.5)):
        bench.step(20)
        assert bench.frame.qpos[PAN] == pytest.approx(math.radians(angle), abs=1e-4)
        assert bench.frame.kp[PAN] > 0.0 and not bench.frame.vel.any()
        pointed.append(angle)
        sees(bench, topic, distance)
        bench.step(2)
    said = [line.message for line in bench.log if "ahead" in line.message]
    assert said == ["left 0.80 m, ahead no echo, right 1.50 m"]


def test_a_direction_that_says_nothing_is_given_up(bench: Bench) -> None:
    enter(bench, "look_around")
    bench.step(320)
    assert any("left no reading, ahead no reading, right no reading" in line.message for line in bench.log)


@pytest.mark.parametrize(
    ("line", "speed", "turn"),
    [((0, 1, 0), 1, 0), ((1, 1, 0), 1, 0), ((1, 0, 0), 1, 1), ((0, 0, 1), 1, -1), ((1, 0, 1), 0, 0)],
)
def test_the_line_is_followed_as_the_kits_lessons_do_it(
    bench: Bench, line: tuple[int, int, int], speed: int, turn: int
) -> None:
    enter(bench, "line_follow")
    bench.hear("line_tracker/front_norm", SimpleNamespace(data=line))
    bench.step()
    found = speeds(bench)
    assert (np.sign(found[0]), np.sign(found[1])) == (speed, turn)


def test_a_lost_line_is_looked_for_where_it_went_and_then_the_car_stands(bench: Bench) -> None:
    enter(bench, "line_follow")

    def floor(*line: int) -> tuple[float, float]:
        bench.hear("line_tracker/front_norm", SimpleNamespace(data=line))
        bench.step()
        return speeds(bench)

    assert floor(0, 0, 0) == (0.0, 0.0)
    assert floor(0, 0, 1)[1] < 0.0
    lost = floor(0, 0, 0)
    assert lost[0] == pytest.approx(0.0) and lost[1] < 0.0
    for _ in range(60):
        lost = floor(0, 0, 0)
    assert lost == (0.0, 0.0)


@pytest.mark.parametrize("state", ["line_follow", "avoid"])
def test_sensors_that_fall_silent_stop_what_drives_by_itself(bench: Bench, state: str) -> None:
    enter(bench, state)
    if state == "avoid":
        look(bench, left=1.0, right=1.0, ahead=2.0)
        sees(bench, FRONT, 2.0)
    else:
        bench.hear("line_tracker/front_norm", SimpleNamespace(data=(0, 1, 0)))
    bench.step()
    assert speeds(bench)[0] > 0.0
    bench.step(40)
    assert speeds(bench) == (0.0, 0.0)
    assert bench.state == f"{CAR}/{state}"


def look(bench: Bench, **seen: float) -> None:
    """Let the car look around and see this."""
    topics = {"left": TO_LEFT, "right": TO_RIGHT, "ahead": FRONT}
    for side in ("left", "right", "ahead"):
        if side in seen:
            bench.step(3)
            assert speeds(bench) == (0.0, 0.0)
            sees(bench, topics[side], seen[side])
            bench.step()


@pytest.mark.parametrize(
    ("left", "right", "way"),
    [(1.0, 0.4, 1), (0.3, 0.9, -1), (math.nan, 0.8, -1), (math.nan, 0.3, 1), (0.2, math.nan, -1)],
)
def test_below_20_cm_it_stops_looks_and_turns_to_the_freer_side(
    bench: Bench, left: float, right: float, way: int
) -> None:
    enter(bench, "avoid")
    look(bench, left=1.0, right=1.0, ahead=2.0)
    sees(bench, FRONT, 0.6)
    bench.step()
    fast = speeds(bench)[0]
    sees(bench, FRONT, 0.4)
    bench.step()
    assert 0.0 < speeds(bench)[0] < fast
    sees(bench, FRONT, 0.19)
    bench.step()
    assert speeds(bench) == (0.0, 0.0)
    look(bench, left=left, right=right, ahead=0.19)
    bench.step(3)
    speed, turn = speeds(bench)
    assert speed == pytest.approx(0.0, abs=1e-6) and np.sign(turn) == way


def test_a_missing_echo_is_neither_free_nor_blocked(bench: Bench) -> None:
    enter(bench, "avoid")
    look(bench, left=1.0, right=1.0, ahead=2.0)
    sees(bench, FRONT, 2.0)
    bench.step()
    fast = speeds(bench)[0]
    slow = []
    for _ in range(60):
        sees(bench, FRONT, math.nan)
        bench.step()
        slow.append(speeds(bench)[0])
    assert 0.0 < slow[0] < fast
    assert slow[-1] == 0.0, "after a while without an echo it stands and looks"
    look(bench, left=math.nan, right=math.nan, ahead=math.nan)
    bench.step(100)
    assert speeds(bench) == (0.0, 0.0)


def test_states_that_move_by_themselves_ask_first(bench: Bench) -> None:
    looks = {name.partition("/")[2]: node.look for name, node in bench.runtime.graph.states.items()}
    assert {name for name, one in looks.items() if one.confirm} == {"line_follow", "avoid"}
    assert all(one.label and one.group and one.icon for one in looks.values())


@pytest.mark.parametrize(("left", "right", "way"), [(0.3, 1.0, -1), (1.0, 0.3, 1), (0.3, 0.3, 0)])
def test_it_turns_away_from_a_side_that_comes_near(bench: Bench, left: float, right: float, way: int) -> None:
    enter(bench, "avoid")
    look(bench, left=1.0, right=1.0, ahead=2.0)
    for _ in range(130):
        sees(bench, FRONT, 2.0)
        bench.step()
    assert speeds(bench) == (0.0, 0.0), "it looks now and then"
    look(bench, left=left, right=right, ahead=2.0)
    bench.step(2)
    assert np.sign(speeds(bench)[1]) == way
