"""The arm gestures: where they begin and end, how fast they get, and that they can be held."""

from __future__ import annotations

import numpy as np
import pytest
from basic_actions.elf3 import context, elf3, mod_module
from numpy.typing import NDArray

from bxi_framework.robot import JointLayout, RobotModel

gestures = mod_module("mods/com.bxi.basic_actions", "gestures")
poses = mod_module("mods/com.bxi.basic_actions", "poses")

STEP = 0.001
BOTH = pytest.mark.parametrize("kind", [gestures.Hello, gestures.Applause])


def sampled(kind: type, model: RobotModel, tempo: float = 1.0) -> NDArray[np.float64]:
    """Joint positions over one round and a bit, one row a millisecond."""
    state = kind("gesture", 1, gestures.GestureParams(tempo))
    ctx = context(model)
    times = np.arange(0.0, 1.1 * gestures.PERIOD / tempo, STEP)
    return np.array([state.compute_frame(ctx, time).qpos.astype(np.float64) for time in times])


def standing(model: RobotModel) -> NDArray[np.float32]:
    frame = poses.Standing("normal", 2).get_entry_frame(context(model))
    return frame.qpos.copy()


@BOTH
def test_a_gesture_begins_exactly_in_the_standing_pose_with_its_gains(kind: type) -> None:
    model = elf3()
    frame = kind("gesture", 1).get_entry_frame(context(model))
    assert np.array_equal(frame.qpos, standing(model))
    assert np.array_equal(frame.kp, model.default_kp)
    assert np.array_equal(frame.kd, model.default_kd)
    assert not frame.vel.any() and not frame.torque.any()


@BOTH
def test_each_round_ends_in_the_standing_pose_and_the_next_one_is_the_same(kind: type) -> None:
    model = elf3()
    state, ctx = kind("gesture", 1), context(model)
    rest = state.compute_frame(ctx, gestures.PERIOD - 0.1).qpos.copy()
    assert np.array_equal(rest, standing(model))
    early = state.compute_frame(ctx, 2.0).qpos.copy()
    late = state.compute_frame(ctx, 2.0 + 3.0 * gestures.PERIOD).qpos.copy()
    assert np.abs(early - standing(model)).max() > 0.3
    assert np.allclose(early, late, atol=1e-6)


@BOTH
@pytest.mark.parametrize("tempo", [1.0, 2.0])
def test_limits_are_kept_with_a_margin(kind: type, tempo: float) -> None:
    model = elf3()
    path = sampled(kind, model, tempo)
    moving = np.ptp(path, axis=0) > 1e-6
    margin = np.minimum(path.min(axis=0) - model.lower, model.upper - path.max(axis=0))
    assert margin[moving].min() > 0.1
    speed = np.abs(np.diff(path, axis=0)).max() / STEP
    assert 1.0 < speed < 0.5 * 20.0
    assert tempo == 2.0 or speed < 4.0


@BOTH
def test_speed_has_no_step(kind: type) -> None:
    path = sampled(kind, elf3())
    acceleration = np.diff(path, n=2, axis=0) / STEP**2
    # A step in speed of 0.2 rad/s would show as 200 rad/s² from one millisecond to the next.
    assert np.abs(acceleration).max() < 60.0


@BOTH
def test_only_arms_move(kind: type) -> None:
    model = elf3()
    moving = np.ptp(sampled(kind, model), axis=0) > 1e-6
    names = [name for name, moves in zip(model.layout.names, moving, strict=True) if moves]
    assert names
    assert {name.split("_")[1] for name in names} <= {"shoulder", "elbow", "wrist"}


def test_applause_is_mirrored() -> None:
    model = elf3()
    path = sampled(gestures.Applause, model)
    for joint, sign in [
        ("shoulder_y", 1),
        ("shoulder_x", -1),
        ("shoulder_z", -1),
        ("elbow_y", 1),
        ("wrist_z", -1),
    ]:
        left = path[:, model.layout.index(f"l_{joint}_joint")]
        right = path[:, model.layout.index(f"r_{joint}_joint")]
        assert np.allclose(left, sign * right, atol=1e-6)


@BOTH
def test_the_robot_without_a_head_does_the_same(kind: type) -> None:
    full, headless = elf3(), elf3(head=False)
    assert (full.layout.dof_num, headless.layout.dof_num) == (31, 29)
    state = kind("gesture", 1)
    assert state.is_available(context(headless))
    with_head = state.compute_frame(context(full), 2.3).qpos.copy()
    without = state.compute_frame(context(headless), 2.3).qpos.copy()
    assert np.array_equal(with_head[:29], without)


@BOTH
def test_joints_are_found_by_name_not_by_place(kind: type) -> None:
    model = elf3()
    turned = RobotModel("elf3", model.joints[::-1])
    state = kind("gesture", 1)
    one = state.compute_frame(context(model), 2.3).qpos.copy()
    other = state.compute_frame(context(turned), 2.3).qpos.copy()
    assert np.array_equal(one, other[::-1])


@BOTH
def test_a_robot_with_other_joints_refuses(kind: type) -> None:
    model = elf3()
    wheels = RobotModel("cart", [j for j in model.joints if not j.name.startswith("r_")])
    assert isinstance(wheels.layout, JointLayout)
    assert not kind("gesture", 1).is_available(context(wheels))
    assert not poses.Standing("normal", 2).is_available(context(wheels))


@BOTH
def test_toggle_pause_holds_the_arms_and_lets_them_go_on(kind: type) -> None:
    ctx = context(elf3())
    state = kind("gesture", 1)

    def update() -> NDArray[np.float32]:
        state.on_update(ctx, 0.02)
        assert ctx.target is not None
        return ctx.target.qpos.copy()

    for _ in range(100):
        moving = update()
    assert state.on_action(ctx, "toggle_pause")
    assert all(np.array_equal(update(), moving) for _ in range(50))
    held = state.sample_running_frame(ctx, 0.02, advance=True).qpos.copy()
    assert np.array_equal(held, moving)
    assert state.on_action(ctx, "toggle_pause")
    following = update()
    assert 0.0 < np.abs(following - moving).max() < 0.1
    assert state.elapsed == pytest.approx(101 * 0.02)


@BOTH
def test_a_new_run_begins_unpaused_and_unknown_actions_are_refused(kind: type) -> None:
    ctx = context(elf3())
    state = kind("gesture", 1)
    state.on_action(ctx, "toggle_pause")
    state.on_exit(ctx)
    assert not state.paused
    assert not state.on_action(ctx, "salute")


@pytest.mark.parametrize("tempo", [0.0, -1.0, 2.5, float("nan")])
def test_a_tempo_out_of_range_is_refused(tempo: float) -> None:
    with pytest.raises(ValueError, match="tempo"):
        gestures.GestureParams(tempo)
