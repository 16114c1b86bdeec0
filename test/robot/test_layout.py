"""Joint layouts: ordered names, found by name, equal by names and order."""

from __future__ import annotations

import pytest

from bxi_framework.robot import JointLayout

ARM = JointLayout(["shoulder", "elbow", "wrist"], label="arm")


def test_a_layout_knows_its_joints_in_order() -> None:
    assert ARM.names == ("shoulder", "elbow", "wrist")
    assert (ARM.dof_num, len(ARM)) == (3, 3)
    assert [ARM.index(name) for name in ARM.names] == [0, 1, 2]
    assert "elbow" in ARM and "knee" not in ARM


def test_equality_is_names_and_order_whatever_the_label() -> None:
    assert JointLayout(["shoulder", "elbow", "wrist"]) == ARM
    assert hash(JointLayout(ARM.names)) == hash(ARM)
    assert JointLayout(["elbow", "shoulder", "wrist"]) != ARM
    assert JointLayout(["shoulder", "elbow"]) != ARM
    assert ARM != ["shoulder", "elbow", "wrist"]


def test_an_unknown_joint_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(KeyError, match=r"no joint 'elbw'.*'elbow'"):
        ARM.index("elbw")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "a"], "joint 'a' stands in the layout twice, at 0 and 2"),
        (["a", ""], "joint 1 of the layout has no name"),
        ([1], "joint 0 of the layout has no name: 1"),
    ],
)
def test_names_must_be_given_once_and_not_be_empty(names: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        JointLayout(names)


def test_a_layout_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        ARM.label = "leg"
