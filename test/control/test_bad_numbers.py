"""Field report S5: one number that was none made wheels spin without control."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from machine.actors import Fixed, Row, fixed
from machine.rigs import Rig, full, joint, rig, route
from mod_api.test_inference import Stub
from numpy.typing import ArrayLike
from testing.workshop import workshop

from bxi_framework.mod_api import (
    ConfigReader,
    Inference,
    ModelState,
    MotorFrame,
    SingleClassTransition,
    StateBuildContext,
    StateContext,
    TransitionContext,
)
from bxi_framework.mod_api.model import Array
from bxi_framework.robot import FIELDS, RobotModel
from bxi_framework.testing import Bench

BAD = [math.nan, math.inf, -math.inf, 1e308, -1e308]
ODD = [*BAD, 3e38, -3e38, 1e30]
MODEL = RobotModel("two", [joint("a", velocity=5.0), joint("b", velocity=5.0)])
NAMES = {"vel": "velocity", "torque": "effort", "kp": "max_kp", "kd": "max_kd"}


def assert_sound(frames: list[MotorFrame]) -> None:
    for frame in frames:
        assert np.isfinite(frame.data).all()
        assert (frame.qpos >= MODEL.lower).all() and (frame.qpos <= MODEL.upper).all()
        for row, limit in NAMES.items():
            assert (np.abs(getattr(frame, row)) <= getattr(MODEL, limit)).all(), row
        assert (frame.kp >= 0.0).all() and (frame.kd >= 0.0).all()


def assert_fault_in_the_next_cycle(built: Rig, owner: str) -> None:
    """After one tick that repeats the last good frame, the fault state is in control."""
    before = built.controller.safety.emitted.copy()
    assert built.tick().data.tolist() == before.data.tolist()
    after = built.tick()
    assert built.state == "safe" and after.qpos.tolist() == pytest.approx([0.05, 0.05])
    (told,) = built.messages("error")
    assert told.endswith(f"going to '{full('safe')}'") or "safe" in told
    assert [source for level, source, _ in built.log if level == "error"] == [owner]


def robot(**options: object) -> Rig:
    built = rig(
        {**fixed(idle=Row(0.1), safe=Row(0.05)), **options.pop("more", {})},  # type: ignore[dict-item]
        fault="safe",
        model=MODEL,
        **options,  # type: ignore[arg-type]
    )
    built.ticks(3)
    return built


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("field", FIELDS)
def test_s5_a_frame_of_a_state_is_refused_or_within_the_limits(field: str, value: float) -> None:
    built = robot()
    state = built.engine.graph.states[full("idle")].state
    assert isinstance(state, Fixed)
    state.row = Row(**{field: value})
    with np.errstate(all="ignore"):
        if abs(value) > 3.5e38 or math.isnan(value):
            assert_fault_in_the_next_cycle(built, full("idle"))
            assert f"{field} of 'a' is" in built.messages("error")[0]
        else:
            assert built.tick().qpos == pytest.approx([0.1, 0.1], abs=0.1001)
            assert any(f"{field} of 'a' limited from" in line for _, _, line in built.log) or value < 0.0
        assert_sound(built.ticks(20))


class Weighted(SingleClassTransition):
    """Mixes with the weight that a test wants."""

    type_name = "weighted"
    weight = 0.5

    def __init__(self) -> None:
        self.duration = 0.2

    @classmethod
    def from_config(cls, reader: ConfigReader) -> Weighted:
        return cls()

    def apply(self, ctx: TransitionContext, dt: float, progress: float) -> MotorFrame:
        frame = ctx.start_frame.copy()
        frame.data[...] += np.float32(self.weight) * (ctx.target_frame(dt, advance=False).data - frame.data)
        return frame


@pytest.mark.parametrize("value", ODD)
def test_s5_the_weight_of_a_blend(value: float) -> None:
    built = robot(
        more=fixed(goal=Row(0.4, kp=200.0)),
        routes=[route("idle", "go", "goal", {"type": "weighted"})],
        events={"go": ("btn_1", 1)},
        plugins=[Weighted],
    )
    with np.errstate(all="ignore"):
        built.press("btn_1")
        built.ticks(2)
        assert built.engine.snapshot().transition is not None
        Weighted.weight = value
        try:
            assert_sound(built.ticks(20))
        finally:
            Weighted.weight = 0.5
    if abs(value) > 3.5e38 or math.isnan(value):
        assert built.state == "safe"
        assert any(
            source == f"weighted to {full('goal')}" for level, source, _ in built.log if level == "error"
        )


class Answering(Stub):
    """A model that answers one number whatever it is asked."""

    value = 0.1

    def run(self) -> None:
        with np.errstate(all="ignore"):
            self.outputs["sum"][0] = self.value


class Policy(ModelState):
    """Goes where its model says, with the gains that a test wants."""

    stiffness = 100.0

    def observe(self, ctx: StateContext) -> Mapping[str, ArrayLike]:
        return {"obs": [0.0] * 3}

    def act(self, ctx: StateContext, outputs: Mapping[str, Array]) -> ArrayLike:
        return [outputs["sum"][0]] * 2

    def entry_position(self, ctx: StateContext) -> ArrayLike:
        return [0.1, 0.1]

    def gains(self, ctx: StateContext) -> tuple[ArrayLike, ArrayLike]:
        return self.stiffness, 2.0


def policy(build: StateBuildContext, stub: Answering) -> Policy:
    made = Policy(build.name, build.state_id, Inference(stub))
    made.inference.attach(lambda: 0.0, beside=False, control_period=0.02)
    return made


@pytest.mark.parametrize("place", ["answer", "gains"])
@pytest.mark.parametrize("value", BAD)
def test_s5_the_output_and_the_gains_of_a_policy(place: str, value: float) -> None:
    stub = Answering()
    built = robot(
        more={"policy": lambda build: policy(build, stub)},
        routes=[route("idle", "go", "policy", "instant")],
        events={"go": ("btn_1", 1)},
    )
    built.press("btn_1")
    built.ticks(5)
    assert built.state == "policy"
    state = built.engine.graph.states[full("policy")].state
    assert isinstance(state, Policy)
    with np.errstate(all="ignore"):
        if place == "gains":
            state.stiffness = value
            assert_fault_in_the_next_cycle(built, full("policy"))
        else:
            stub.value = value
            assert_sound(built.ticks(3))
            assert built.state == "safe"
            assert [source for level, source, _ in built.log if level == "error"] == [full("policy")]
        assert_sound(built.ticks(5))


@pytest.mark.parametrize("value", BAD)
@pytest.mark.parametrize("source", ["velocity", "joy"])
def test_s5_a_velocity_and_the_axes_of_a_gamepad(tmp_path: Path, source: str, value: float) -> None:
    """A state that passes the operator's wish on sees zero in the same tick, and is told who sent it."""
    with Bench(workshop(tmp_path), [tmp_path / "mods"]) as bench:
        bench.request_state("com.test.shop/echo")
        rested = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
        for _ in range(3):
            bench.joy(rested, [0] * 11)
            bench.step()
        if source == "velocity":
            bench.command_velocity(0.5)
            assert bench.step().vel[0] == pytest.approx(0.5)
            bench.command_velocity(value, value, value)
        else:
            bench.joy([0.0, 1.0, *rested[2:]], [0] * 11)
            assert bench.step().vel[0] > 0.1
            bench.joy([value] * 8, [0] * 11)
        assert bench.step().vel.tolist() == [0.0, 0.0]
        bench.step(20)
        assert all(np.isfinite(frame.data).all() for frame in bench.frames)
        assert any(line.level == "warning" and line.source in ("inputs", "gamepad") for line in bench.log)
