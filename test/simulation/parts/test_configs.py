"""Every part refuses every bad value at its own field, and a build shows it where it was written."""

from __future__ import annotations

import math
from typing import Any

import pytest
from simulation.parts.rig import TYPES, build, define

from bxi_framework.diagnostics import Report
from bxi_framework.mod_api import ParameterError

FULL: dict[str, dict[str, Any]] = {
    "bxi/mit_actuator": {
        "joints": ["a", "b"],
        "actuators": ["a_motor", "b_motor"],
        "effort": [10.0, 20.0],
        "command_timeout": 0.1,
    },
    "bxi/wheel_drive": {
        "left": ["a", "b"],
        "right": ["c", "d"],
        "actuators": "{joint}_motor",
        "effort": 2.0,
        "top_speed": 20.0,
        "kd": 0.1,
        "dead_zone": 0.25,
        "latency": 0.15,
        "gain_spread": 0.3,
        "asymmetry": 0.05,
        "command_timeout": 0.5,
    },
    "bxi/joint_state": {
        "joints": ["a", "b"],
        "period_s": 0.01,
        "noise": {"position": 0.1, "velocity": 0.1, "effort": 0.1},
    },
    "bxi/imu": {
        "site": "imu",
        "period_s": 0.01,
        "noise": {"orientation": 0.1, "angular_velocity": 0.1, "linear_acceleration": 0.1},
        "bias": {"angular_velocity": 0.1, "linear_acceleration": 0.1},
    },
    "bxi/rangefinder": {
        "sensor": "front",
        "period_s": 0.01,
        "range_min": 0.05,
        "range_max": 10.0,
        "out_of_range": -1.0,
        "noise": 0.01,
    },
    "bxi/line_sensor": {
        "sites": ["a", "b"],
        "floor": "floor",
        "period_s": 0.01,
        "reach": 0.05,
        "tapes": [{"points": [[0, 0], [1, 0]], "width": 0.02, "closed": False}],
    },
    "bxi/camera": {"camera": "eye", "period_s": 0.1, "width": 320, "height": 240},
    "bxi/contact_monitor": {"geoms": ["a", "b"], "against": ["c", "d"], "period_s": 0.01},
    "bxi/pose_observer": {"body": "torso", "period_s": 0.01},
    "bxi/gantry": {"hook": "hook", "body": "torso", "position": [0.0, 0.0, 1.5]},
    "bxi/moving_obstacle": {
        "body": "cart",
        "path": [[0, 0, 0], [1, 0, 0]],
        "speed": 0.5,
        "at_the_end": "return",
        "start_spread": 1.0,
        "speed_spread": 0.5,
    },
}
FULL["fibril_sim/rangefinder"] = FULL["bxi/rangefinder"]

OPTIONAL = {
    "actuators", "effort", "command_timeout", "dead_zone", "latency", "gain_spread", "asymmetry", "noise",
    "bias", "out_of_range", "reach", "width", "height", "against", "position", "at_the_end", "start_spread",
    "speed_spread",
}  # fmt: skip


def fields(config: dict[str, Any], kind: type | tuple[type, ...]) -> list[str]:
    return [key for key, value in config.items() if isinstance(value, kind) and not isinstance(value, bool)]


def refused(part: str, config: dict[str, Any]) -> str:
    """The field that is refused."""
    with pytest.raises(ParameterError) as caught:
        define(part, config)
    return caught.value.field


def test_every_type_is_here() -> None:
    assert set(FULL) == set(TYPES)
    for part, config in FULL.items():
        assert {part: define(part, config).type} == {part: part}


@pytest.mark.parametrize("part", FULL)
def test_a_key_that_nobody_reads_is_refused(part: str) -> None:
    assert refused(part, {**FULL[part], "colour": "red"}) == "colour"


@pytest.mark.parametrize("part", FULL)
def test_what_is_not_optional_must_be_there(part: str) -> None:
    config = FULL[part]
    for key in config:
        rest = {name: value for name, value in config.items() if name != key}
        if key in OPTIONAL:
            define(part, rest)
        else:
            assert refused(part, rest) == key


@pytest.mark.parametrize("part", FULL)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, "fast", True, [[]], None])
def test_numbers_are_finite_numbers(part: str, bad: Any) -> None:
    for key in fields(FULL[part], (int, float)):
        assert refused(part, {**FULL[part], key: bad}).startswith(key)


@pytest.mark.parametrize("part", FULL)
@pytest.mark.parametrize("bad", [0, -0.01])
def test_periods_speeds_and_widths_are_more_than_zero(part: str, bad: float) -> None:
    positive = {"period_s", "kd", "top_speed", "speed", "reach", "command_timeout", "width", "height"}
    for key in positive & set(FULL[part]):
        assert refused(part, {**FULL[part], key: bad}) == key


@pytest.mark.parametrize("part", FULL)
def test_spreads_and_noise_are_not_negative(part: str) -> None:
    shares = {"dead_zone", "latency", "gain_spread", "asymmetry", "start_spread", "speed_spread"}
    for key in shares & set(FULL[part]):
        assert refused(part, {**FULL[part], key: -0.1}) == key
    for block in ("noise", "bias"):
        given = FULL[part].get(block)
        for key in given if isinstance(given, dict) else ():
            for bad in (-0.1, math.nan, "x"):
                assert refused(part, {**FULL[part], block: {**given, key: bad}}) == f"{block}.{key}"
            assert refused(part, {**FULL[part], block: {**given, "colour": 1.0}}) == f"{block}.colour"


@pytest.mark.parametrize("part", FULL)
def test_lists_are_not_empty_and_hold_nothing_twice(part: str) -> None:
    for key in fields(FULL[part], list):
        assert refused(part, {**FULL[part], key: []}) == key
        items = FULL[part][key]
        if isinstance(items[0], str):
            assert refused(part, {**FULL[part], key: [items[0], items[0]]}) == f"{key}[1]"
            assert refused(part, {**FULL[part], key: [items[0], 7]}) == f"{key}[1]"
        if isinstance(items[0], float):
            assert refused(part, {**FULL[part], key: [math.nan, *items[1:]]}) == f"{key}[0]"
            assert refused(part, {**FULL[part], key: [*items, 1.0]}) == key


@pytest.mark.parametrize("part", FULL)
def test_names_are_texts(part: str) -> None:
    for key in fields(FULL[part], str):
        assert refused(part, {**FULL[part], key: 7}) == key


def test_a_pattern_of_actuators_names_the_joint() -> None:
    with pytest.raises(ParameterError, match=r"actuators: must contain \{joint\}"):
        define("bxi/mit_actuator", {"joints": ["a"], "actuators": "motor"})
    with pytest.raises(
        ParameterError, match="actuators: must name one actuator for each of the 2 joints, not 1"
    ):
        define("bxi/mit_actuator", {"joints": ["a", "b"], "actuators": ["a"]})


NAMED = {
    "bxi/mit_actuator": {"joints[0]", "joints[1]", "actuators[0]", "actuators[1]"},
    "bxi/wheel_drive": {"left[0]", "left[1]", "right[0]", "right[1]", "actuators"},
    "bxi/joint_state": {"joints[0]", "joints[1]"},
    "bxi/imu": {"site"},
    "bxi/rangefinder": {"sensor"},
    "fibril_sim/rangefinder": {"sensor"},
    "bxi/line_sensor": {"sites[0]", "sites[1]", "floor"},
    "bxi/camera": {"camera"},
    "bxi/contact_monitor": {"geoms[0]", "geoms[1]", "against[0]", "against[1]"},
    "bxi/pose_observer": {"body"},
    "bxi/gantry": {"hook", "body"},
    "bxi/moving_obstacle": {"body"},
}


@pytest.mark.parametrize("part", FULL)
def test_names_that_the_model_lacks_are_shown_where_they_are_written(part: str) -> None:
    report = Report()
    assert build("<mujoco/>", [("part", part, FULL[part])], report) is None
    missing = [fault for fault in report if fault.code == "model-name-missing"]
    assert {fault.field for fault in missing} == {f"components[0].config.{field}" for field in NAMED[part]}
