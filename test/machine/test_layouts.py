"""States that know other joints than the robot: carried over by name, never by place."""

from __future__ import annotations

import numpy as np
import pytest
from machine.actors import Stage
from machine.rigs import Rig, joint, rig, route

from bxi_framework.machine.context import MOST_LAYOUTS
from bxi_framework.mod_api import JointLayout, MotorFrame, RobotControlState, StateContext
from bxi_framework.mod_api.definition import StateFactory
from bxi_framework.robot import RobotModel

ROBOT = RobotModel(
    "three",
    [
        joint("a", default_position=0.1, default_kp=10.0, default_kd=1.0),
        joint("b", default_position=0.2, default_kp=20.0, default_kd=2.0),
        joint("c", default_position=0.3, default_kp=30.0, default_kd=3.0),
    ],
)


class Elsewhere(RobotControlState):
    """Commands joints of its own: the n-th one at n + 1, in all its fields."""

    def __init__(self, name: str, state_id: int, joints: tuple[str, ...]) -> None:
        super().__init__(name, state_id)
        self.own = JointLayout(joints, label="own")

    def on_update(self, ctx: StateContext, dt: float) -> None:
        ctx.set_motor_target(self._make(ctx))

    def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
        return self._make(ctx)

    def sample_running_frame(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        return self._make(ctx)

    def _make(self, ctx: StateContext) -> MotorFrame:
        numbers = np.arange(1.0, self.own.dof_num + 1.0)
        return self._motor_frame(
            ctx, numbers, numbers * 10.0, numbers, vel=numbers, torque=numbers, layout=self.own
        )


def elsewhere(*joints: str) -> StateFactory:
    return lambda state: Elsewhere(state.name, state.state_id, joints)


def robot(*joints: str, motion: dict[str, object] | str = "instant") -> Rig:
    built = rig(
        {**Stage().actors(idle=0.0), "goal": elsewhere(*joints)},
        routes=[route("idle", "go", "goal", motion), route("goal", "back", "idle", motion)],
        events={"go": ("btn_1", 1), "back": ("btn_2", 1)},
        model=ROBOT,
    )
    built.tick()
    built.press("btn_1")
    return built


@pytest.mark.parametrize(
    ("joints", "qpos", "kp"),
    [
        (("a", "b", "c"), [1.0, 2.0, 3.0], [10.0, 20.0, 30.0]),
        (("c", "a", "b"), [2.0, 3.0, 1.0], [20.0, 30.0, 10.0]),
        # Joints that are left out take the robot's defaults.
        (("b",), [0.1, 1.0, 0.3], [10.0, 10.0, 30.0]),
        ((), [0.1, 0.2, 0.3], [10.0, 20.0, 30.0]),
        # Joints that the robot lacks are dropped.
        (("tail", "c"), [0.1, 0.2, 2.0], [10.0, 20.0, 20.0]),
    ],
)
def test_a_frame_is_carried_over_by_joint_name(
    joints: tuple[str, ...], qpos: list[float], kp: list[float]
) -> None:
    built = robot(*joints)
    for frame in built.ticks(3):
        assert frame.layout is ROBOT.layout
        assert frame.qpos == pytest.approx(qpos)
        assert frame.kp == pytest.approx(kp)


def test_what_is_left_out_has_no_velocity_and_no_torque() -> None:
    frame = robot("b").tick()
    assert list(frame.vel) == [0.0, 1.0, 0.0]
    assert list(frame.torque) == [0.0, 1.0, 0.0]


def test_joints_that_the_robot_lacks_are_told_once() -> None:
    built = robot("tail", "c", "wing")
    built.ticks(5)
    told = [(source, message) for level, source, message in built.log if level == "warning"]
    assert told == [("test.mod/goal", "commands joints that this robot lacks: tail, wing")]


def test_a_mod_that_makes_a_layout_in_each_tick_costs_no_memory_and_is_told_once() -> None:
    numbers = iter(range(10**6))

    def submit(ctx: StateContext) -> None:
        own = JointLayout((f"tail {next(numbers)}", "c"))
        ctx.set_motor_target(MotorFrame.create(own, 0.5, 5.0, 0.5))

    built = rig(Stage().actors(idle=0.0), model=ROBOT)
    context = built.engine.context
    for _ in range(3 * MOST_LAYOUTS):
        built.tick()
        submit(context)
        assert context.target is not None and context.target.qpos == pytest.approx([0.1, 0.2, 0.5])
    assert len(context._mappings) == MOST_LAYOUTS
    told = built.messages("warning")
    assert told[-1] == "more than 64 joint layouts are in use; make a layout once, not in each tick"
    assert len(told) == MOST_LAYOUTS + 1


def test_a_blend_between_two_layouts_mixes_by_joint_name() -> None:
    built = robot("c", "a", "b", motion={"type": "running_blend", "duration": 0.04, "curve": "linear"})
    frames = built.ticks(3)
    assert frames[0].qpos == pytest.approx([0.0, 0.0, 0.0])
    assert frames[1].qpos == pytest.approx([1.0, 1.5, 0.5])
    assert frames[2].qpos == pytest.approx([2.0, 3.0, 1.0])
    built.press("btn_2")
    assert built.tick().qpos == pytest.approx([2.0, 3.0, 1.0])
    assert built.tick().qpos == pytest.approx([1.0, 1.5, 0.5])


def test_two_states_in_the_same_other_layout_do_not_disturb_each_other() -> None:
    motion = {"type": "running_blend", "duration": 0.04, "curve": "linear"}
    built = rig(
        {"idle": elsewhere("c", "a", "b"), "goal": elsewhere("b", "c", "a")},
        routes=[route("idle", "go", "goal", motion)],
        events={"go": ("btn_1", 1)},
        model=ROBOT,
    )
    built.tick()
    built.press("btn_1")
    frames = built.ticks(3)
    # From (2, 3, 1) to (3, 1, 2).
    assert frames[0].qpos == pytest.approx([2.0, 3.0, 1.0])
    assert frames[1].qpos == pytest.approx([2.5, 2.0, 1.5])
    assert frames[2].qpos == pytest.approx([3.0, 1.0, 2.0])


def test_a_gain_ramp_and_a_sequence_work_on_mapped_frames() -> None:
    ramp = {"type": "entry_gain_ramp", "duration": 0.04, "kp_from": "zero"}
    steps = [{"type": "hold", "duration": 0.02}, ramp]
    built = robot("c", "a", "b", motion={"type": "sequence", "steps": steps})
    frames = built.ticks(4)
    assert frames[1].kp == pytest.approx([0.0, 0.0, 0.0])
    assert frames[2].kp == pytest.approx([10.0, 15.0, 5.0])
    assert frames[3].kp == pytest.approx([20.0, 30.0, 10.0])
    assert frames[1].qpos == pytest.approx([2.0, 3.0, 1.0])


def test_a_layout_with_the_same_names_is_the_same_layout() -> None:
    built = robot("a", "b", "c")
    context = built.engine.context
    frame = MotorFrame.create(JointLayout(("a", "b", "c")), [1.0, 2.0, 3.0], 1.0, 1.0)
    output = MotorFrame(ROBOT.layout)
    assert context.resolve_motor_frame(frame, output) is output
    assert list(output.qpos) == [1.0, 2.0, 3.0]


def test_a_frame_is_resolved_for_a_state_into_its_own_buffer() -> None:
    built = robot("c")
    context = built.engine.context
    frame = MotorFrame.create(JointLayout(("c",)), 2.0, 5.0, 1.0)
    for view in (context, context.frozen()):
        output = view.resolve_motor_frame(frame, MotorFrame(ROBOT.layout))
        assert output.qpos == pytest.approx([0.1, 0.2, 2.0])
        assert output.kp == pytest.approx([10.0, 20.0, 5.0])
