"""Commands, states and frames: the values that go into a vehicle and come out of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxi_framework.simulation.vehicles import CameraFrame, ConfigKeyValue, ControlCommand, VehicleState
from bxi_framework.simulation.vehicles.config_values import key_values

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(numbers, numbers, numbers)
def test_clamped_brings_every_finite_command_into_range(throttle: float, steer: float, brake: float) -> None:
    command = ControlCommand.clamped(throttle, steer, brake)
    assert command.throttle == min(max(throttle, -1.0), 1.0)
    assert command.steer == min(max(steer, -1.0), 1.0)
    assert command.brake == min(max(brake, 0.0), 1.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("channel", ["throttle", "steer", "brake"])
def test_a_command_that_is_not_finite_is_refused(channel: str, value: float) -> None:
    values = {"throttle": 0.0, "steer": 0.0, "brake": 0.0, channel: value}
    for make in (ControlCommand, ControlCommand.clamped):
        with pytest.raises(ValueError, match=f"{channel} must be a finite number"):
            make(**values)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"throttle": 1.1}, "throttle must be from -1 to 1, not 1.1"),
        ({"steer": -2.0}, "steer must be from -1 to 1, not -2"),
        ({"brake": -0.1}, "brake must be from 0 to 1, not -0.1"),
    ],
)
def test_a_command_written_out_of_range_is_refused(values: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ControlCommand(**values)


def test_a_state_may_be_a_pose_alone() -> None:
    state = VehicleState(1.5, (1.0, 2.0, 0.0))
    assert (state.linear_velocity, state.angular_velocity, state.speed) == (None, None, None)
    assert state.quaternion == (1.0, 0.0, 0.0, 0.0)
    assert state.telemetry == {}


@given(st.floats(-3.1, 3.1))
def test_the_yaw_is_the_heading(yaw: float) -> None:
    state = VehicleState(0.0, (0.0, 0.0, 0.0), (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)))
    assert state.yaw == pytest.approx(yaw, abs=1e-12)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"position": (0.0, 0.0)}, "position must be 3 numbers"),
        ({"position": (0.0, math.nan, 0.0)}, "position must be finite"),
        ({"quaternion": (1.0, 0.0, 0.0)}, "quaternion must be 4 numbers"),
        ({"linear_velocity": (math.inf, 0.0, 0.0)}, "linear_velocity must be finite"),
    ],
)
def test_a_state_that_cannot_be_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        VehicleState(**{"time": 0.0, "position": (0.0, 0.0, 0.0), **fields})


def test_vectors_of_a_state_are_its_own() -> None:
    position: Any = np.array([1.0, 2.0, 3.0])
    state = VehicleState(0.0, position)
    position[:] = 0.0
    assert state.position == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    "pixels", [np.zeros((2, 3, 3)), np.zeros((2, 3), np.uint8), np.zeros((2, 3, 4), np.uint8)]
)
def test_a_frame_is_an_image_of_bytes(pixels: Any) -> None:
    with pytest.raises(ValueError, match="pixels must be uint8 of the shape"):
        CameraFrame(0.0, pixels)


def test_the_order_of_a_config_has_no_meaning() -> None:
    expected = (ConfigKeyValue("a", 1), ConfigKeyValue("b", "x"))
    assert key_values({"b": "x", "a": 1}) == key_values({"a": 1, "b": "x"}) == expected
