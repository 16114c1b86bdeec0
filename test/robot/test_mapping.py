"""Frames carried from one layout to another by joint name."""

from __future__ import annotations

from bxi_framework.robot import FrameMapping, JointLayout, MotorFrame

ROBOT = JointLayout(["hip", "knee", "ankle"], label="robot")


def test_joints_find_their_place_and_the_others_keep_the_defaults() -> None:
    defaults = MotorFrame.create(ROBOT, [1, 2, 3], [10, 20, 30], [4, 5, 6])
    source = MotorFrame.create(
        JointLayout(["ankle", "tail", "hip"]), [7, 8, 9], [70, 80, 90], 1, vel=2, torque=3
    )
    mapping = FrameMapping(source.layout, defaults)
    output = MotorFrame.create(ROBOT, -1, -1, -1)
    mapping.apply(source, output)
    assert output.data.tolist() == [[9, 2, 7], [2, 0, 2], [90, 20, 70], [1, 5, 1], [3, 0, 3]]
    assert mapping.dropped == ("tail",)


def test_later_changes_of_the_defaults_do_not_count() -> None:
    defaults = MotorFrame.create(ROBOT, 1, 0, 0)
    mapping = FrameMapping(JointLayout(["hip"]), defaults)
    defaults.qpos = 5
    output = MotorFrame(ROBOT)
    mapping.apply(MotorFrame.create(JointLayout(["hip"]), 2, 0, 0), output)
    assert output.qpos.tolist() == [2, 1, 1]
    assert mapping.dropped == ()
