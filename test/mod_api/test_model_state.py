"""A state that a model drives: what is forgotten at an entry, what takes the place of a late answer."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from mod_api.arm import commanded, context
from mod_api.test_inference import Stub
from numpy.typing import ArrayLike

from bxi_framework.mod_api import History, Inference, ModelState, StateContext
from bxi_framework.mod_api.model import Array


class Follow(ModelState):
    """Both joints follow the sum that the model makes of the last two counts."""

    def __init__(self, inference: Inference) -> None:
        super().__init__("mod/follow", 1, inference)
        self.history = History(3, 1)
        self.count = 0
        self.resets = 0

    def observe(self, ctx: StateContext) -> Mapping[str, ArrayLike]:
        self.count += 1
        return {"obs": self.history.push([self.count])}

    def act(self, ctx: StateContext, outputs: Mapping[str, Array]) -> ArrayLike:
        return [outputs["sum"][0] / 100.0] * 2

    def entry_position(self, ctx: StateContext) -> ArrayLike:
        return [0.25, 0.5]

    def reset(self, ctx: StateContext) -> None:
        self.count = 0
        self.resets += 1


def prepared(stub: Stub, **options: object) -> Follow:
    state = Follow(Inference(stub, **options))  # type: ignore[arg-type]
    state.on_prepare(context(), Follow(Inference(stub)))
    state._rewind(context())
    stub.threads.clear()
    return state


def follow(state: Follow, ticks: int) -> list[float]:
    """The elbow's target of each tick."""
    targets = []
    for _ in range(ticks):
        ctx = context()
        state.on_update(ctx, 0.02)
        targets.append(float(commanded(ctx).qpos[1]))
    return targets


def test_it_begins_in_its_entry_pose_and_follows_the_answers_from_the_next_tick_on() -> None:
    assert follow(prepared(Stub()), 4) == pytest.approx([0.5, 0.03, 0.04, 0.06])


def test_history_and_last_action_are_forgotten_at_each_entry() -> None:
    state = prepared(Stub())
    first = follow(state, 4)
    assert state.last_action.tolist() == [6.0]
    state._rewind(context())
    assert (state.last_action.tolist(), state.resets) == ([0.0], 2)
    assert follow(state, 4) == first


def test_a_state_that_is_not_in_control_asks_nothing() -> None:
    stub = Stub()
    state = prepared(stub)
    for _ in range(5):
        state.get_entry_frame(context())
        state.sample_running_frame(context(), 0.02, advance=True)
    assert stub.threads == []
    assert state.sample_running_frame(context(), 0.02, advance=False).qpos.tolist() == [0.25, 0.5]


def test_preparing_a_switch_to_itself_leaves_the_running_model_alone() -> None:
    stub = Stub()
    state = prepared(stub)
    state.on_prepare(context(), state)
    assert stub.threads == []


@pytest.mark.parametrize(("fallback", "target"), [("last", 0.03), ("hold", 0.7)])
def test_what_takes_the_place_of_a_late_answer(fallback: str, target: float) -> None:
    stub = Stub()
    state = Follow(Inference(stub, fallback=fallback))  # type: ignore[arg-type]
    state.inference.attach(lambda: 0.0, beside=True, control_period=0.02)
    state.on_prepare(context(), Follow(Inference(stub)))
    state._rewind(context())
    ctx = context()
    state.on_update(ctx, 0.02)
    call = state.inference._under_way
    assert call is not None and call.done.wait(10.0)
    stub.open.clear()
    state.on_update(context(), 0.02)
    ctx = context()
    ctx.last_motor_frame.update([0.6, 0.7], 5.0, 0.5, 1.0, 2.0)
    state.on_update(ctx, 0.02)
    frame = commanded(ctx)
    assert frame.qpos[1] == pytest.approx(target)
    assert frame.vel.tolist() == frame.torque.tolist() == [0.0, 0.0]
    stub.open.set()
    state.on_unbind(ctx)


def test_a_history_is_filled_with_its_first_entry_and_keeps_its_array() -> None:
    history = History(3, 2)
    rows = history.push([1.0, 2.0])
    np.testing.assert_array_equal(rows, [1, 2, 1, 2, 1, 2])
    assert np.shares_memory(history.push([3.0, 4.0]), rows)
    np.testing.assert_array_equal(rows, [1, 2, 1, 2, 3, 4])
    history.reset()
    np.testing.assert_array_equal(history.push([5.0, 6.0]), [5, 6, 5, 6, 5, 6])


def test_what_must_be_written_says_so() -> None:
    state, ctx = ModelState("mod/bare", 1, Inference(Stub())), context()
    for call in (
        lambda: state.observe(ctx),
        lambda: state.act(ctx, {}),
        lambda: state.entry_position(ctx),
    ):
        with pytest.raises(NotImplementedError, match="state 'mod/bare' has no "):
            call()
