"""What every transition type keeps to, built in or a Mod's own: derive a class that says its config."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import pytest
from machine.rigs import TWO_JOINTS, Rig, rig, route

from bxi_framework.mod_api import (
    JointLayout,
    MotorFrame,
    ParameterError,
    RobotControlState,
    SingleClassTransition,
    StateBuildContext,
    StateContext,
)
from bxi_framework.motion import TransitionTypes

REVERSED = JointLayout(reversed(TWO_JOINTS.layout.names), label="reversed")


class Posed(RobotControlState):
    """Holds ``qpos`` of joints a and b; ``layout`` decides in which order it says so."""

    def __init__(self, state: StateBuildContext, qpos: tuple[float, float], layout: JointLayout) -> None:
        super().__init__(state.name, state.state_id)
        ordered = qpos if layout is TWO_JOINTS.layout else qpos[::-1]
        self.frame = MotorFrame.create(layout, ordered, 150.0, 3.0, 0.25, 1.5)

    def on_update(self, ctx: StateContext, dt: float) -> None:
        ctx.set_motor_target(self.frame)

    def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
        return self.frame

    def sample_running_frame(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        return self.frame


class TransitionContract:
    """Tests of one configuration of one type. ``reaches_target`` is False for a type that makes no motion."""

    config: ClassVar[Mapping[str, object]]
    plugins: ClassVar[Sequence[type[SingleClassTransition]]] = ()
    reaches_target: ClassVar[bool] = True

    SOURCE = (-0.5, 0.25)
    TARGET = (1.0, -1.25)

    def robot(self, layout: JointLayout = TWO_JOINTS.layout) -> Rig:
        """The source in control; ``btn_1`` leads to the target, ``btn_2`` leads back at once."""
        built = rig(
            {
                "idle": lambda state: Posed(state, self.SOURCE, layout),
                "goal": lambda state: Posed(state, self.TARGET, layout),
            },
            routes=[route("idle", "go", "goal", self.config), route("goal", "back", "idle", "instant")],
            events={"go": ("btn_1", 1), "back": ("btn_2", 1)},
            plugins=self.plugins,
        )
        built.tick()
        return built

    def cross(self, robot: Rig, cycles: int = 1) -> list[MotorFrame]:
        """All frames of the transition."""
        robot.press("btn_1")
        frames = [robot.tick(cycles)]
        while robot.engine.snapshot().transition is not None:
            frames.append(robot.tick(cycles))
            assert len(frames) < 500
        return frames

    def back(self, robot: Rig) -> None:
        """Be in the source again with all buttons let go."""
        robot.press("btn_1", 0)
        robot.press("btn_2", 1)
        robot.tick()
        robot.press("btn_2", 0)
        robot.tick()
        assert robot.state == "idle"

    def build(self) -> SingleClassTransition:
        types = TransitionTypes()
        for plugin in self.plugins:
            types = types.extended(plugin)
        return types.build(self.config, "transition")

    def test_it_begins_with_progress_0_and_lasts_its_duration(self) -> None:
        robot = self.robot()
        robot.press("btn_1")
        robot.tick()
        view = robot.engine.snapshot().transition
        duration = self.build().duration
        assert (view is None) == (duration == 0.0)
        if view is not None:
            assert view.progress == 0.0
            ticks = 1
            while robot.engine.snapshot().transition is not None:
                robot.tick()
                ticks += 1
            assert ticks == int(np.ceil(duration / 0.02 - 1e-9)) + 1

    def test_its_last_frame_is_the_targets(self) -> None:
        robot = self.robot()
        last = self.cross(robot)[-1]
        assert robot.state == "goal"
        assert last.qpos == pytest.approx(self.TARGET if self.reaches_target else self.SOURCE)
        assert robot.tick().qpos == pytest.approx(self.TARGET)

    @pytest.mark.parametrize("cycles", [1, 2, 7, 1000])
    def test_every_frame_is_finite_and_in_the_layout_of_the_robot(self, cycles: int) -> None:
        for frame in self.cross(self.robot(), cycles):
            assert frame.layout == TWO_JOINTS.layout
            assert frame.data.shape == (5, 2) and frame.data.dtype == np.float32
            assert np.isfinite(frame.data).all()

    def test_states_in_another_layout_make_the_same_frames(self) -> None:
        expected = [frame.data for frame in self.cross(self.robot())]
        mapped = [frame.data for frame in self.cross(self.robot(REVERSED))]
        np.testing.assert_allclose(mapped, expected, atol=1e-6)

    def test_it_runs_again_as_it_ran_before(self) -> None:
        robot = self.robot()
        first = [frame.data.tobytes() for frame in self.cross(robot)]
        self.back(robot)
        assert [frame.data.tobytes() for frame in self.cross(robot)] == first

    def test_a_run_that_was_cut_short_leaves_nothing_behind(self) -> None:
        fresh = [frame.data.tobytes() for frame in self.cross(self.robot())]
        robot = self.robot()
        robot.press("btn_1")
        robot.ticks(2)
        robot.press("btn_2")
        robot.tick()
        self.back(robot)
        assert [frame.data.tobytes() for frame in self.cross(robot)] == fresh

    def test_the_frames_of_the_two_states_are_left_as_they_were(self) -> None:
        robot = self.robot()
        frames = [node.state.frame for node in robot.engine.graph.states.values()]  # type: ignore[attr-defined]
        before = [frame.data.tobytes() for frame in frames]
        self.cross(robot)
        assert [frame.data.tobytes() for frame in frames] == before

    def test_it_tells_its_configuration_as_plain_data(self) -> None:
        told = self.build().config_snapshot()
        assert told["type"] == self.config["type"]
        assert json.loads(json.dumps(told)) == told

    def test_it_refuses_a_key_that_it_does_not_know(self) -> None:
        types = TransitionTypes()
        for plugin in self.plugins:
            types = types.extended(plugin)
        with pytest.raises(ParameterError, match=r"transition\.surprise: is not known here"):
            types.build({**self.config, "surprise": 1}, "transition")
