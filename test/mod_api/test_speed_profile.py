"""Speed profiles: scale, then clamp, each axis by itself."""

from __future__ import annotations

import numpy as np
import pytest
from mod_api.arm import context

from bxi_framework.mod_api import RobotControlState, SpeedProfile

RUN = SpeedProfile(
    vx_scale=2.0, vx_min=-1.0, vx_max=2.0, vy_scale=0.5, vy_min=-0.5, vy_max=0.5, yaw_scale=1.5
)


@pytest.mark.parametrize(
    ("wish", "command"),
    [
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        ((0.5, 0.5, 0.5), (1.0, 0.25, 0.75)),
        ((1.0, -1.0, 1.0), (2.0, -0.5, 1.0)),
        ((-1.0, 2.0, -1.0), (-1.0, 0.5, -1.0)),
    ],
)
def test_a_wish_is_scaled_and_then_clamped(
    wish: tuple[float, float, float], command: tuple[float, float, float]
) -> None:
    assert RUN.apply(np.array(wish, dtype=np.float32)).tolist() == list(command)


def test_the_default_profile_changes_nothing_but_the_range() -> None:
    assert SpeedProfile().apply(np.array([0.3, -7.0, 1.0], dtype=np.float32)) == pytest.approx(
        [0.3, -1.0, 1.0]
    )


def test_a_state_gets_its_command_through_its_profile() -> None:
    state = RobotControlState("walk", 1)
    state.speed_profile = RUN
    assert state.get_cmd_vel(context(cmd_vel=(1.0, 1.0, 0.0))).tolist() == [2.0, 0.5, 0.0]


def test_a_state_can_make_its_command_itself() -> None:
    class Backwards(RobotControlState):
        def process_cmd_vel(self, ctx, cmd):  # type: ignore[no-untyped-def]
            return -cmd

    ctx = context(cmd_vel=(1.0, 0.5, 0.0))
    assert Backwards("walk", 1).get_cmd_vel(ctx).tolist() == [-1.0, -0.5, 0.0]
