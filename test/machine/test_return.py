"""Coming back to a state: nothing of its earlier run is visible, and no joint jumps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from machine.actors import Row, drift, fixed
from machine.rigs import Rig, joint, rig, route

from bxi_framework.mod_api import MotionReplayState, MotorFrame, PolicyState, StateContext
from bxi_framework.mod_api.definition import StateFactory
from bxi_framework.robot import RobotModel

# 5 rad/s allow 0.1 rad in a period of 0.02 s.
SLOW = RobotModel("slow", [joint("a", velocity=5.0), joint("b", velocity=5.0)])
LIMIT = 0.1 + 1e-6

MOTIONS: dict[str, Any] = {
    "instant": {"type": "instant"},
    "hold": {"type": "hold", "duration": 0.02},
    "soft": {"type": "running_blend", "duration": 0.3},
    "ramp": {
        "type": "sequence",
        "steps": [
            {"type": "hold", "duration": 0.02},
            {"type": "entry_gain_ramp", "duration": 0.2, "kp_from": "zero"},
        ],
    },
}


class Integrator:
    """A policy with a memory: each step it is asked for adds 1 rad/s to where it points."""

    def __init__(self) -> None:
        self.sum = 0.0
        self.output = MotorFrame.create(SLOW.layout, 0.0, 100.0, 2.0)

    def reset(self, frame: object) -> None:
        self.sum = 0.0

    def step(self, frame: object, dt: float, *, advance: bool = True) -> None:
        if advance:
            self.sum += dt
        self.output.qpos = self.sum

    def finished(self, trim: int = 0) -> bool:
        return False


class Following(PolicyState[Integrator]):
    def create_policy(self, ctx: StateContext) -> Integrator:
        return Integrator()

    def infer_position(
        self, ctx: StateContext, policy: Integrator, dt: float, *, advance: bool
    ) -> np.ndarray:
        policy.step(None, dt, advance=advance)
        return policy.output.qpos


def following(state: Any) -> Following:
    return Following(state.name, state.state_id)


def replaying(state: Any) -> MotionReplayState[Any]:
    return MotionReplayState(
        state.name, state.state_id, Integrator(), finish_state="away", finish_trigger="end"
    )


RETURNERS: dict[str, StateFactory] = {
    "procedural": drift(0.0, speed=1.0),
    "policy": following,
    "replay": replaying,
}


def there_and_back(returner: StateFactory, motion: dict[str, object]) -> tuple[Rig, list[MotorFrame]]:
    """`home` moves at 1 rad/s for 20 ticks; `away` is at -0.1, 0.5 rad from there; then the way back."""
    built = rig(
        {"home": returner, "away": fixed(away=Row(-0.1))["away"]},
        routes=[route("home", "go", "away", "instant"), route("away", "back", "home", motion)],
        events={"go": ("btn_1", 1), "back": ("btn_2", 1)},
        initial="home",
        model=SLOW,
    )
    assert built.ticks(20)[-1].qpos[0] == pytest.approx(0.4)
    built.press("btn_1")
    assert built.ticks(30)[-1].qpos[0] == pytest.approx(-0.1)
    built.press("btn_2")
    return built, built.ticks(40)


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("kind", RETURNERS)
def test_no_frame_of_the_way_back_is_further_from_the_last_than_the_limit(kind: str, motion: str) -> None:
    built, frames = there_and_back(RETURNERS[kind], MOTIONS[motion])
    assert built.state == "home"
    positions = np.array([[-0.1, -0.1], *(frame.qpos for frame in frames)])
    stiff = np.array([frame.kp > 0.0 for frame in frames])
    steps = np.abs(np.diff(positions, axis=0))
    assert (steps[stiff] <= LIMIT).all()


@pytest.mark.parametrize(("motion", "ticks"), [("instant", 1), ("hold", 2), ("soft", 16), ("ramp", 12)])
@pytest.mark.parametrize("kind", RETURNERS)
def test_the_state_begins_again_from_its_beginning(kind: str, motion: str, ticks: int) -> None:
    _, frames = there_and_back(RETURNERS[kind], MOTIONS[motion])
    # The transition takes so many ticks; in the ten that follow the state moves from 0 by 0.02 rad a tick.
    after = frames[ticks : ticks + 10]
    assert [float(frame.qpos[0]) for frame in after[2:]] == pytest.approx(
        [0.02 * k for k in range(3, 11)], abs=1e-5
    )


@pytest.mark.parametrize("kind", RETURNERS)
def test_two_runs_of_a_state_are_the_same_to_the_bit(kind: str) -> None:
    built, first = there_and_back(RETURNERS[kind], MOTIONS["soft"])
    for button, ticks in (("btn_1", 30), ("btn_2", 40)):
        built.press("btn_1", 0)
        built.press("btn_2", 0)
        built.tick()
        built.press(button)
        frames = built.ticks(ticks)
    assert [frame.data.tobytes() for frame in frames] == [frame.data.tobytes() for frame in first]
