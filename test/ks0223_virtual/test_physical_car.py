"""The virtual car keeps the limits that were measured on the real one, and repeats by its seed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mujoco
import pytest
from ks0223.parts import virtual

from bxi_framework.simulation import Physics, UnsoundSimulationError

CORRIDOR, LOOP, ARENA = "track.cardboard_corridor.v1", "track.line_loop.v1", "track.box_arena.v1"
NOMINAL = {"turn_spread": 0.0, "asymmetry": 0.0}


@contextmanager
def a_car(track: str, parameters: dict[str, Any] | None = None, seed: int = 1, **more: Any) -> Iterator[Any]:
    car = virtual("car").PhysicalCar(track, parameters or {}, seed, **more)
    yield car
    car.close()


def turn_rate(car: Any) -> float:
    """Degrees per second of a turn on the spot, over one second of a steady turn."""
    car.drive(-0.8, 0.8)
    car.advance(1.0)
    turned, before = 0.0, car.pose.heading
    for _ in range(100):
        car.advance(0.01)
        turned += math.remainder(car.pose.heading - before, 2.0 * math.pi)
        before = car.pose.heading
    return math.degrees(turned)


def test_the_top_speed_and_the_turn_rate_are_those_measured() -> None:
    with a_car(LOOP, config=NOMINAL) as car:
        car.drive(0.8, 0.8)
        car.advance(1.0)
        begun = car.pose.x
        car.advance(1.0)
        assert car.pose.x - begun == pytest.approx(0.73, rel=0.05)
        car.reset(1)
        assert turn_rate(car) == pytest.approx(380.0, rel=0.1)


def test_the_motors_stand_below_the_dead_zone_and_answer_late() -> None:
    with a_car(LOOP) as car:
        car.drive(0.24, 0.24)
        car.advance(1.0)
        assert abs(car.pose.x) < 0.001
        car.drive(0.8, 0.8)
        car.advance(0.15)
        assert abs(car.pose.x) < 0.001
        car.advance(0.1)
        assert car.pose.x > 0.01


def test_a_turn_has_more_or_less_effect_by_seed() -> None:
    with a_car(LOOP) as car:
        rates = []
        for seed in range(12):
            car.reset(seed)
            rates.append(turn_rate(car))
    assert min(rates) >= 380.0 * 0.6 and max(rates) <= 380.0 * 1.4
    assert max(rates) - min(rates) > 380.0 * 0.25


def test_a_rough_floor_lets_it_turn_less() -> None:
    rates = []
    for floor in ("tile", "plywood", "carpet"):
        with a_car(LOOP, {"floor_texture": floor}, config=NOMINAL) as car:
            rates.append(turn_rate(car))
    assert rates[0] > rates[1] * 1.03 > rates[2] * 1.06


@pytest.mark.parametrize("track", [CORRIDOR, LOOP, ARENA])
def test_the_same_seed_repeats_to_the_bit_and_another_does_not(track: str) -> None:
    def drive(car: Any) -> list[Any]:
        seen = []
        for left, right in ((0.8, 0.8), (-0.8, 0.8), (0.8, 0.8), (0.0, 0.0)):
            car.drive(left, right)
            car.point_ultrasonic(30.0)
            car.advance(0.4)
            seen += [car.pose, car.distance(), car.line(), car.touches, car.progress]
        return seen

    with a_car(track, seed=5) as car:
        first = drive(car)
        car.reset(6)
        other = drive(car)
        car.reset(5)
        assert drive(car) == first
        assert other != first
    with a_car(track, seed=5) as again:
        assert drive(again) == first


def test_the_distance_follows_the_servo_which_takes_its_time() -> None:
    with a_car(ARENA, {"boxes": 0}) as car:
        car.advance(0.1)
        assert car.distance() == pytest.approx(2.0 - 0.125, abs=0.03)
        car.point_ultrasonic(180.0)
        car.advance(0.1)
        assert 120.0 < car.ultrasonic_angle < 140.0
        car.advance(0.5)
        assert car.ultrasonic_angle == 180.0
        assert car.distance() == pytest.approx(2.0 - 0.015, abs=0.03)


def test_a_far_wall_gives_no_echo() -> None:
    with a_car(ARENA, {"boxes": 0, "size": 10.0}) as car:
        car.advance(0.1)
        assert car.distance() is None


@pytest.mark.parametrize(("slant", "is_heard"), [(0.0, True), (50.0, True), (75.0, False), (-75.0, False)])
def test_a_slanting_wall_gives_no_echo(slant: float, is_heard: bool) -> None:
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><worldbody><site name="eye" pos="0 0 1" zaxis="1 0 0"/>
        <geom type="box" size="0.01 5 1" pos="1.01 0 1" euler="0 0 {slant}"/></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    heard = virtual("sonar").Sonar(model, "eye").distance(Physics(model, data))
    assert (heard is not None) is is_heard
    assert heard is None or 0.8 < heard < 1.01


def test_the_line_is_under_the_sensors_at_the_start_and_left_behind_straight_on() -> None:
    with a_car(LOOP) as car:
        car.advance(0.1)
        assert car.line()[1] == 1
        car.drive(0.8, 0.8)
        car.advance(1.5)
        assert car.line() == (0, 0, 0) and car.progress > 0.05


def test_driving_into_the_end_of_a_corridor_touches_it() -> None:
    with a_car(CORRIDOR, {"length": 1.0}) as car:
        car.advance(0.2)
        assert car.touches == 0 and not car.touching
        car.drive(0.8, 0.8)
        car.advance(3.0)
        assert car.touches > 0 and car.touching
        assert 0.5 < car.progress < 1.0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("width", [0.3, 0.8, 2.0])
def test_the_car_stands_free_on_every_corridor_and_every_arena(seed: int, width: float) -> None:
    for track, parameters in ((CORRIDOR, {"width": width}), (ARENA, {"size": 2.0 + width, "boxes": 20})):
        with a_car(track, parameters, seed) as car:
            car.advance(0.5)
            assert car.touches == 0


@pytest.mark.parametrize(
    ("track", "parameters", "words"),
    [
        (CORRIDOR, {"width": 5}, "'width' must be at most 2.0"),
        (CORRIDOR, {"length": 0.5}, "'length' must be at least 1.0"),
        (CORRIDOR, {"floor_texture": "sand"}, "plywood"),
        (ARENA, {"box": 3}, "boxes"),
        ("track.moon.v1", {}, CORRIDOR),
    ],
)
def test_a_wrong_parameter_is_refused_with_what_is_allowed(
    track: str, parameters: dict[str, Any], words: str
) -> None:
    with pytest.raises(UnsoundSimulationError, match=words):
        virtual("car").PhysicalCar(track, parameters)
