"""States driven by a policy: when it is made, warmed up, reset and asked; what a look may change."""

from __future__ import annotations

import pytest
from mod_api.arm import MODEL, commanded, context

from bxi_framework.mod_api import InferenceFrame, JointLayout, PolicyState, ResourceHandle, StateContext


class Counting:
    """Says how far it has counted; remembers what was asked of it."""

    def __init__(self) -> None:
        self.time = 0.0
        self.calls: list[str] = []

    def reset(self, frame: InferenceFrame) -> None:
        self.time = 0.0
        self.calls.append("reset")

    def preheat(self, frame: InferenceFrame) -> None:
        self.calls.append(f"preheat {frame.cmd_vel[0]:g}")

    def look(self, dt: float, advance: bool) -> float:
        if advance:
            self.time += dt
        return self.time


class Loaded:
    """A handle whose resource is there."""

    name = "mod/policy"
    ready = True

    def __init__(self, policy: Counting) -> None:
        self.policy = policy
        self.gets = 0

    def get(self) -> Counting:
        self.gets += 1
        return self.policy


class Count(PolicyState[Counting]):
    def infer_position(self, ctx: StateContext, policy: Counting, dt: float, *, advance: bool) -> float:
        return policy.look(dt, advance)


class Made(Count):
    def create_policy(self, ctx: StateContext) -> Counting:
        return Counting()


def test_a_policy_comes_from_its_handle_once() -> None:
    handle = Loaded(Counting())
    typed: ResourceHandle[Counting] = handle
    state, other, ctx = Count("count", 1, typed), Made("other", 2), context()
    state.on_prepare(ctx, other)
    state._rewind(ctx)
    state.on_update(ctx, 0.02)
    assert handle.gets == 1
    assert handle.policy.calls == ["preheat 0", "reset"]


def test_the_handle_is_found_among_the_attributes() -> None:
    handle = Loaded(Counting())
    assert handle in vars(Count("count", 1, handle)).values()


def test_a_policy_can_be_made_by_the_state_itself() -> None:
    state, ctx = Made("made", 1), context()
    state.on_prepare(ctx, Count("other", 2))
    first = state._obtain(ctx)
    state.on_prepare(ctx, Count("other", 2))
    assert state._obtain(ctx) is first
    assert first.calls == ["preheat 0", "preheat 0"]


def test_a_state_without_any_policy_says_what_to_do() -> None:
    with pytest.raises(RuntimeError, match=r"state 'count' has no policy: .*create_policy\(\)"):
        Count("count", 1).on_prepare(context(), Made("other", 2))


def test_preparing_a_switch_to_itself_leaves_the_running_policy_alone() -> None:
    state, ctx = Made("made", 1), context()
    state.on_prepare(ctx, state)
    assert state._obtain(ctx).calls == []


def test_updates_move_the_policy_on_and_command_what_it_says_with_the_default_gains() -> None:
    state, ctx = Made("made", 1), context()
    for tick in (1, 2):
        state.on_update(ctx, 0.5)
        assert commanded(ctx).data.tolist() == [[0.5 * tick] * 2, [0, 0], [10, 20], [1, 2], [0, 0]]


def test_looking_changes_nothing_and_sampling_with_advance_moves_on() -> None:
    state, ctx = Made("made", 1), context()
    state.on_update(ctx, 0.5)
    for _ in range(3):
        assert state.get_entry_frame(ctx).qpos.tolist() == [0.5, 0.5]
        assert state.sample_running_frame(ctx, 0.25, advance=False).qpos.tolist() == [0.5, 0.5]
    assert state.sample_running_frame(ctx, 0.25, advance=True).qpos.tolist() == [0.75, 0.75]


def test_before_a_switch_the_policy_is_reset() -> None:
    state, ctx = Made("made", 1), context()
    state.on_update(ctx, 0.5)
    state._rewind(ctx)
    assert state.get_entry_frame(ctx).qpos.tolist() == [0.0, 0.0]


def test_entry_position_gains_and_layout_are_the_states_own() -> None:
    class Own(Made):
        policy_layout = JointLayout(["elbow"])

        def policy_entry_position(self, ctx: StateContext, policy: Counting) -> list[float]:
            return [0.7]

        def policy_gains(self, ctx: StateContext, policy: Counting) -> tuple[float, float]:
            return 5.0, 0.5

    state, ctx = Own("own", 1), context()
    frame = state.get_entry_frame(ctx)
    assert frame.layout.names == ("elbow",)
    assert frame.data.ravel() == pytest.approx([0.7, 0.0, 5.0, 0.5, 0.0])
    state.on_update(ctx, 0.5)
    assert commanded(ctx).qpos.tolist() == [0.0, 0.5]
    assert commanded(ctx).layout is MODEL.layout


def test_policies_without_reset_need_none() -> None:
    class Fixed(PolicyState[float]):
        def create_policy(self, ctx: StateContext) -> float:
            return 0.25

        def infer_position(self, ctx: StateContext, policy: float, dt: float, *, advance: bool) -> float:
            return policy

    state, ctx = Fixed("fixed", 1), context()
    state._rewind(ctx)
    assert state.get_entry_frame(ctx).qpos.tolist() == [0.25, 0.25]
