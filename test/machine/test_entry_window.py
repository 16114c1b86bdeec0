"""Field report R5: joints shook, arms snapped and a robot cut its power when a policy took over.

A switch from too far away is refused with the worst joint; from within the window neither target nor gains
jump, whatever the transition does.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from machine.actors import Fixed, Row
from machine.rigs import PERIOD, Rig, joint, rig, route

from bxi_framework.mod_api import EntryWindow, MotorFrame, StateContext
from bxi_framework.mod_api.definition import StateFactory
from bxi_framework.robot import ImuReading, InputAges, InputSnapshot, JointReadings, RobotModel

WINDOW = EntryWindow(0.5, gain_ratio=5.0, position_rate=2.0, kp_rate=400.0, kd_rate=20.0)
STAND = Row(qpos=0.0, kp=25.0, kd=0.5)
WALK = Row(qpos=0.4, kp=100.0, kd=4.0)
BLEND = {"type": "running_blend", "duration": 0.1}
RAMP = {"type": "entry_gain_ramp", "duration": 0.2, "kp_from": "zero"}
MODEL = RobotModel("two", [joint("a", velocity=20.0, effort=15.0), joint("b", velocity=20.0, effort=15.0)])
STEPS = np.array([2.0, 400.0, 20.0]) * PERIOD
"""What target, kp and kd may change in one tick."""


class Walk(Fixed):
    """Commands a row within a window; one joint may be told something else."""

    def __init__(
        self, name: str, state_id: int, row: Row, window: EntryWindow, b: float | None = None
    ) -> None:
        super().__init__(name, state_id, row)
        self.entry_window = window
        self.b = b

    def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
        frame = super().get_entry_frame(ctx)
        if self.b is not None:
            frame.qpos[1] = self.b
        return frame


def walk(row: Row = WALK, window: EntryWindow = WINDOW, b: float | None = None) -> StateFactory:
    return lambda state: Walk(state.name, state.state_id, row, window, b)


def stand(row: Row = STAND) -> StateFactory:
    return lambda state: Fixed(state.name, state.state_id, row)


def robot(walking: StateFactory, how: str | Mapping[str, object] = "instant", standing: Row = STAND) -> Rig:
    built = rig(
        {"stand": stand(standing), "walk": walking, "rest": stand(Row(kp=0.0))},
        routes=[
            route("stand", "go", "walk", how),
            route("walk", "back", "stand", how),
            route("stand", "let_go", "rest"),
            route("rest", "go", "walk", how),
        ],
        events={"go": ("btn_1", 1), "back": ("btn_2", 1), "let_go": ("btn_3", 1)},
        initial="stand",
        model=MODEL,
    )
    return built


def inputs(built: Rig, position: np.ndarray | None = None) -> InputSnapshot:
    """What the joints report: where they were told to be, unless a position is given."""
    where = built.controller.safety.emitted.qpos.copy() if position is None else position
    zeros = np.zeros(2, dtype=np.float32)
    joints = JointReadings(("a", "b"), np.asarray(where, dtype=np.float32), zeros, zeros)
    return InputSnapshot(joints, ImuReading(), np.zeros(3, np.float32), tuple(built.slots), 0, InputAges(0.0))


def run(built: Rig, ticks: int, position: np.ndarray | None = None) -> list[MotorFrame]:
    return [built.controller.tick(inputs(built, position), 1).copy() for _ in range(ticks)]


def jumps(frames: list[MotorFrame]) -> np.ndarray:
    """The largest changes of target, kp and kd from tick to tick."""
    rows = np.array([frame.data[[0, 2, 3]] for frame in frames])
    largest: np.ndarray = np.abs(np.diff(rows, axis=0)).max(axis=(0, 2))
    return largest


@pytest.mark.parametrize("how", ["instant", "soft_switch", BLEND, RAMP], ids=str)
def test_r5_with_gains_four_times_apart_and_a_pose_off_by_0_4_rad_nothing_jumps(
    how: str | Mapping[str, object],
) -> None:
    built = robot(walk(), how)
    frames = run(built, 5)
    built.press("btn_1")
    frames += run(built, 80)
    assert built.state == "walk"
    assert (jumps(frames) <= STEPS * 1.001).all(), jumps(frames)
    np.testing.assert_allclose(frames[-1].data[[0, 2, 3], 0], [0.4, 100.0, 4.0])
    for frame, before in zip(frames[1:], frames, strict=False):
        torque = frame.kp * (frame.qpos - before.qpos) + frame.torque
        assert (np.abs(torque) <= 15.0).all()


def test_r5_without_a_window_the_same_switch_does_jump() -> None:
    """So that the test above can fail."""
    built = robot(stand(WALK))
    frames = run(built, 5)
    built.press("btn_1")
    frames += run(built, 5)
    assert (jumps(frames) > STEPS).all()


def test_r5_too_far_away_the_switch_is_refused_and_the_worst_joint_named() -> None:
    built = robot(walk(b=-0.7))
    run(built, 2)
    built.press("btn_1")
    run(built, 5)
    view = built.engine.snapshot()
    assert (view.state, view.transition) == ("test.mod/stand", None)
    assert view.ignored is not None
    assert view.ignored.reason == (
        "'b' is 0.7 rad away from where 'test.mod/walk' begins (it is at 0, -0.7 is wanted), and 0.5 rad "
        "is the limit; bring the robot to that pose first"
    )


def test_what_counts_is_where_the_joint_is_not_where_it_was_told_to_be() -> None:
    built = robot(walk())
    sagging = np.array([0.0, -0.2])
    run(built, 2, sagging)
    built.press("btn_1")
    run(built, 5, sagging)
    ignored = built.engine.snapshot().ignored
    assert ignored is not None and ignored.reason.startswith("'b' is 0.6 rad away")


def test_a_joint_may_have_a_limit_of_its_own_and_others_none() -> None:
    for limits, enters in (({"a": 0.1}, True), ({"b": 0.6}, False), ({"b": 0.71}, True)):
        built = robot(walk(Row(qpos=0.0, kp=50.0), EntryWindow(limits), b=-0.7))
        run(built, 2)
        built.press("btn_1")
        run(built, 3)
        assert (built.state == "walk") is enters, limits


def test_gains_too_far_apart_refuse_the_switch() -> None:
    built = robot(walk(Row(qpos=0.1, kp=200.0)))
    run(built, 2)
    built.press("btn_1")
    run(built, 3)
    ignored = built.engine.snapshot().ignored
    assert ignored is not None
    assert ignored.reason == (
        "kp of 'a' changes 8 times, from 25 to 200, for 'test.mod/walk'; 5 times is the limit"
    )


def test_limp_joints_fit_any_gain_and_begin_where_they_hang() -> None:
    built = robot(walk())
    run(built, 2)
    built.press("btn_3")
    hanging = np.array([0.3, 0.3])
    run(built, 5, hanging)
    assert built.state == "rest"
    built.press("btn_1")
    frames = run(built, 40, hanging)
    assert built.state == "walk"
    assert frames[0].qpos[0] == pytest.approx(0.3 + STEPS[0])
    assert (jumps(frames) <= STEPS * 1.001).all()


def test_once_caught_up_the_state_moves_as_it_likes() -> None:
    built = robot(walk())
    run(built, 2)
    built.press("btn_1")
    run(built, 60)
    state = built.engine.graph.states["test.mod/walk"].state
    assert isinstance(state, Walk)
    state.row = Row(qpos=0.3, kp=100.0, kd=4.0)
    frames = run(built, 2)
    assert frames[0].qpos[0] == pytest.approx(0.3)


def test_the_way_to_a_stop_is_not_slowed_down() -> None:
    from bxi_framework.machine.requests import Stop

    built = robot(walk())
    run(built, 2)
    built.press("btn_1")
    run(built, 5)
    built.engine.post(Stop("button"))
    (frame,) = run(built, 1)
    assert built.state == "stand"
    np.testing.assert_allclose(frame.data[[2, 3], 0], [25.0, 0.5])


def test_an_entry_frame_that_fails_refuses_the_switch() -> None:
    class Broken(Walk):
        def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
            raise OSError("no pose")

    built = robot(lambda state: Broken(state.name, state.state_id, WALK, WINDOW))
    run(built, 2)
    built.press("btn_1")
    run(built, 3)
    ignored = built.engine.snapshot().ignored
    assert built.state == "stand" and ignored is not None
    assert "get_entry_frame() failed" in ignored.reason and "OSError: no pose" in ignored.reason


@pytest.mark.parametrize(
    "values",
    [
        {"position": 0.0},
        {"position": {"a": -1.0}},
        {"position": 1.0, "gain_ratio": 0.5},
        {"position": 1.0, "kp_rate": float("nan")},
    ],
)
def test_windows_that_make_no_sense_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"finite numbers above 0|must be at least 1"):
        EntryWindow(**values)  # type: ignore[arg-type]
