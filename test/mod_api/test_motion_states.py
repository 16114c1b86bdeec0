"""States that hold a pose or follow a formula: frames, gains, time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from mod_api.arm import MODEL, commanded, context

from bxi_framework.mod_api import JointLayout, MotorFrame, PoseState, ProceduralState, StateContext


@dataclass(frozen=True)
class Angle:
    rad: float = 0.5


class Bent(PoseState[Angle]):
    Params = Angle

    def target_position(self, ctx: StateContext) -> list[float]:
        return [0.0, self.params.rad]


class Ramp(ProceduralState[None]):
    def compute_frame(self, ctx: StateContext, elapsed: float) -> MotorFrame:
        return self.frame(ctx, elapsed, vel=1.0)


def test_a_pose_is_held_with_the_default_gains_of_the_robot() -> None:
    ctx = context()
    Bent("bent", 1).on_update(ctx, 0.02)
    assert commanded(ctx).data.tolist() == [[0, 0.5], [0, 0], [10, 20], [1, 2], [0, 0]]


def test_params_are_handed_in_or_made_with_their_defaults() -> None:
    assert Bent("bent", 1).params == Angle(0.5)
    assert Bent("bent", 1, Angle(0.9)).get_entry_frame(context()).qpos.tolist() == [0.0, pytest.approx(0.9)]


def test_entry_and_running_frame_of_a_pose_are_its_frame() -> None:
    state, ctx = Bent("bent", 1), context()
    entry = state.get_entry_frame(ctx).copy()
    assert np.array_equal(state.sample_running_frame(ctx, 0.02, advance=True).data, entry.data)


def test_gains_can_be_the_states_own_one_by_one() -> None:
    class Soft(Bent):
        def gains(self, ctx: StateContext) -> tuple[float, float]:
            return 3.0, 0.5

    state, ctx = Soft("soft", 1), context()
    assert state.get_entry_frame(ctx).data[2:4].tolist() == [[3, 3], [0.5, 0.5]]
    assert state.frame(ctx, 0.0, kp=[7, 8]).data[2:4].tolist() == [[7, 8], [0.5, 0.5]]
    assert state.frame(ctx, 0.0, kp=0.0, kd=0.0).data.any() == np.False_


def test_a_frame_may_be_in_a_layout_of_the_states_own() -> None:
    state, ctx = Bent("bent", 1), context()
    layout = JointLayout(["elbow"])
    frame = state.frame(ctx, 1.0, kp=2.0, kd=3.0, layout=layout)
    assert frame.layout is layout
    ctx.set_motor_target(frame)
    assert commanded(ctx).data.tolist() == [[0, 1], [0, 0], [10, 2], [1, 3], [0, 0]]


def test_a_reused_frame_keeps_nothing_from_the_last_tick() -> None:
    state, ctx = Bent("bent", 1), context()
    state.frame(ctx, 1.0, vel=2.0, torque=3.0)
    frame = state.frame(ctx, 1.0)
    assert not frame.vel.any() and not frame.torque.any()


def test_the_time_of_a_formula_moves_with_updates_only() -> None:
    state, ctx = Ramp("ramp", 1), context()
    assert state.get_entry_frame(ctx).qpos.tolist() == [0, 0]
    for tick in (1, 2, 3):
        state.on_update(ctx, 0.02)
        assert commanded(ctx).qpos == pytest.approx([tick * 0.02] * 2)
    for _ in range(5):
        assert state.sample_running_frame(ctx, 0.02, advance=False).qpos == pytest.approx([0.06] * 2)
    assert state.sample_running_frame(ctx, 0.04, advance=True).qpos == pytest.approx([0.1] * 2)
    assert state.elapsed == pytest.approx(0.1)


def test_a_new_run_begins_at_zero() -> None:
    state, ctx = Ramp("ramp", 1), context()
    state.on_update(ctx, 1.0)
    state._rewind(ctx)
    assert state.elapsed == 0.0


def test_what_a_state_must_write_is_said_by_name() -> None:
    ctx = context()
    with pytest.raises(NotImplementedError, match="state 'a' has no target_position"):
        PoseState[None]("a", 1).on_update(ctx, 0.02)
    with pytest.raises(NotImplementedError, match="state 'b' has no compute_frame"):
        ProceduralState[None]("b", 1).on_update(ctx, 0.02)


def test_a_target_of_any_kind_can_fill_the_states_frame() -> None:
    state, ctx = Bent("bent", 1), context()
    target = MotorFrame.create(MODEL.layout, [1, 2], 3, 4, vel=5, torque=6)
    frame = state._motor_frame_from_target(ctx, target)
    target.qpos = 0
    assert frame.data.tolist() == [[1, 2], [5, 5], [3, 3], [4, 4], [6, 6]]
    state._apply_frame(ctx, frame)
    assert commanded(ctx).qpos.tolist() == [1, 2]
