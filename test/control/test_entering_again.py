"""Field report S1: a controller that was entered again used the command of its earlier run, and the robot
jumped.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest
from machine.actors import Row, fixed
from machine.rigs import Rig, joint, rig, route
from mod_api.test_inference import Stub
from numpy.typing import ArrayLike

from bxi_framework.mod_api import (
    History,
    Inference,
    ModelState,
    ProceduralState,
    StateBuildContext,
    StateContext,
)
from bxi_framework.mod_api.model import Array
from bxi_framework.robot import MotorFrame, RobotModel

SPEED = 2.0
REACH = SPEED * 0.02
"""The most (rad) that a joint may be told to move in a cycle."""

MODEL = RobotModel("two", [joint("a", velocity=SPEED), joint("b", velocity=SPEED)])

SWITCHES = {
    "hold": {"type": "hold", "duration": 0.1},
    "soft": {"type": "hold", "duration": 0.02},
    "gain ramp": {"type": "entry_gain_ramp", "duration": 0.1},
    "blend": {"type": "running_blend", "duration": 0.2, "sample_to": False},
    "instant": {"type": "instant"},
}


class Policy(ModelState):
    """Feeds its last action back, filters what it sees, and goes a little further each tick."""

    def __init__(self, build: StateBuildContext) -> None:
        super().__init__(build.name, build.state_id, Inference(Stub()))
        self.history = History(3, 1)
        self.inference.attach(lambda: 0.0, beside=False, control_period=0.02)

    def observe(self, ctx: StateContext) -> Mapping[str, ArrayLike]:
        return {"obs": self.history.push([float(self.last_action.sum()) + 1.0])}

    def act(self, ctx: StateContext, outputs: Mapping[str, Array]) -> ArrayLike:
        return [min(float(outputs["sum"][0]) * 1e-3, 0.3)] * 2

    def entry_position(self, ctx: StateContext) -> ArrayLike:
        return [0.0, 0.0]


class Moving(ProceduralState[None]):
    """Moves with the time since it was entered."""

    def __init__(self, build: StateBuildContext) -> None:
        super().__init__(build.name, build.state_id)

    def compute_frame(self, ctx: StateContext, elapsed: float) -> MotorFrame:
        return self.frame(ctx, min(elapsed, 0.3))


STATES = {"policy": Policy, "procedure": Moving}


def run_of_a(built: Rig, ticks: int) -> tuple[list[MotorFrame], MotorFrame]:
    """The frames from the tick in which A is asked for, and the frame before."""
    before = built.controller.safety.emitted.copy()
    built.press("btn_1")
    frames = built.ticks(ticks)
    built.press("btn_1", 0)
    return frames, before


@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("kind", STATES)
def test_s1_a_state_that_is_entered_again_begins_as_if_it_never_ran(kind: str, switch: str) -> None:
    built = rig(
        {**fixed(b=Row(-0.5)), "a": STATES[kind]},
        routes=[route("b", "again", "a", SWITCHES[switch]), route("a", "away", "b", "instant")],
        events={"again": ("btn_1", 1), "away": ("btn_2", 1)},
        initial="b",
        model=MODEL,
    )
    built.ticks(60)
    assert built.controller.safety.emitted.qpos == pytest.approx([-0.5, -0.5])
    first, before = run_of_a(built, 80)
    assert built.state == "a"
    ended_at = float(first[-1].qpos[0])
    assert ended_at > 0.1, "A ends somewhere else than it begins"
    built.press("btn_2")
    built.ticks(60)
    built.press("btn_2", 0)
    assert built.state == "b" and built.controller.safety.emitted.qpos == pytest.approx([-0.5, -0.5])
    again, last_sent = run_of_a(built, 80)
    assert np.abs(again[0].qpos - last_sent.qpos).max() <= REACH + 1e-6
    told = [last_sent, *again]
    steps = [np.abs(new.qpos - old.qpos).max() for old, new in pairwise(told)]
    assert max(steps) <= REACH + 1e-6
    assert [frame.data.tolist() for frame in again] == [frame.data.tolist() for frame in first]
    assert before.data.tolist() == last_sent.data.tolist()
