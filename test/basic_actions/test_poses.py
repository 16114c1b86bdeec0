"""The states that hold still: gains and angles against the robot's figures."""

from __future__ import annotations

import numpy as np
import pytest
from basic_actions.elf3 import context, elf3, mod_module

poses = mod_module("mods/com.bxi.basic_actions", "poses")

STANDING = {"hip_y": -0.2, "knee_y": 0.4, "ankle_y": -0.2, "elbow_y": 0.8}
KP = (
    [500, 500, 300] + 2 * [300, 100, 100, 300, 50, 50] + 2 * [100, 80, 80, 100, 20, 20, 20] + [16.747, 16.747]
)
KD = [3, 3, 3] + 2 * [2.5, 2, 2, 2.5, 2, 2] + 2 * [2.5, 2, 2, 2.5, 1, 1, 1] + [1.066, 1.066]


def test_zero_torque_commands_nothing_at_all() -> None:
    ctx = context(elf3())
    poses.ZeroTorque("zero_torque", 1).on_update(ctx, 0.02)
    assert ctx.target is not None
    assert not ctx.target.data.any()


def test_the_standing_pose_bends_knees_and_elbows_and_holds_them_with_the_position_gains() -> None:
    model = elf3()
    ctx = context(model)
    poses.Standing("normal", 1).on_update(ctx, 0.02)
    assert ctx.target is not None
    expected = {f"{side}_{joint}_joint": angle for side in "lr" for joint, angle in STANDING.items()}
    expected |= {"l_shoulder_x_joint": 0.2, "r_shoulder_x_joint": -0.2}
    for name, angle in zip(model.layout.names, ctx.target.qpos, strict=True):
        assert angle == pytest.approx(expected.get(name, 0.0)), name
    assert np.allclose(ctx.target.kp, KP)
    assert np.allclose(ctx.target.kd, KD)
    assert not ctx.target.vel.any() and not ctx.target.torque.any()


def test_the_zero_position_is_stiff_at_zero() -> None:
    ctx = context(elf3())
    poses.ZeroPosition("initial_pos", 1).on_update(ctx, 0.02)
    assert ctx.target is not None
    assert not ctx.target.qpos.any()
    assert np.allclose(ctx.target.kp, KP)


def test_the_robot_without_a_head_stands_too() -> None:
    ctx = context(elf3(head=False))
    state = poses.Standing("normal", 1)
    assert state.is_available(ctx)
    assert state.get_entry_frame(ctx).qpos.shape == (29,)


def test_every_pose_can_be_sampled_while_another_state_is_in_control() -> None:
    ctx = context(elf3())
    for kind in (poses.ZeroTorque, poses.ZeroPosition, poses.Standing):
        state = kind("pose", 1)
        entry = state.get_entry_frame(ctx).data.copy()
        assert np.array_equal(state.sample_running_frame(ctx, 0.02, advance=False).data, entry)
