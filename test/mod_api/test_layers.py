"""Several controllers' targets in one frame: who commands what, and that nothing is left or doubled."""

from __future__ import annotations

import re
import tracemalloc

import pytest

from bxi_framework.mod_api import (
    JointCommandComposer,
    JointCommandLayer,
    JointLayout,
    JointTargetBuffer,
    JointTargetView,
)

ROBOT = JointLayout(["hip", "knee", "shoulder", "elbow"])


def buffer(*names: str, value: float = 0.0) -> JointTargetBuffer:
    made = JointTargetBuffer(JointLayout(names))
    made.update(value, value, value, value, value)
    return made


def test_layers_fill_their_joints_by_name_in_all_five_fields() -> None:
    legs = JointTargetBuffer(JointLayout(["knee", "hip"]))
    legs.update([1, 2], [10, 20], 3, vel=4, torque=5)
    arms = JointTargetBuffer(JointLayout(["shoulder", "elbow"]))
    arms.update([6, 7], [60, 70], 8)
    frame = JointCommandComposer(
        ROBOT, [JointCommandLayer("legs", legs.view()), JointCommandLayer("arms", arms.view())]
    ).compose()
    assert frame.layout is ROBOT
    assert frame.data.tolist() == [
        [2, 1, 6, 7],
        [4, 4, 0, 0],
        [20, 10, 60, 70],
        [3, 3, 8, 8],
        [5, 5, 0, 0],
    ]


def test_each_composition_takes_what_the_buffers_hold_then_into_the_same_frame() -> None:
    body = buffer(*ROBOT.names, value=1)
    composer = JointCommandComposer(ROBOT, [JointCommandLayer("body", body.view())])
    first = composer.compose()
    body.qpos = [5, 6, 7, 8]
    assert composer.compose() is first
    assert first.qpos.tolist() == [5, 6, 7, 8]


def test_a_view_takes_part_of_a_buffer() -> None:
    body, arm = buffer(*ROBOT.names, value=1), buffer("knee", "elbow", value=2)
    view = JointTargetView(arm, ["elbow"])
    assert view.names == ("elbow",)
    layers = [JointCommandLayer("body", body.view()), JointCommandLayer("arm", view, override=True)]
    assert JointCommandComposer(ROBOT, layers).compose().qpos.tolist() == [1, 1, 1, 2]


def test_a_declared_override_lies_on_top_in_the_order_of_the_layers() -> None:
    layers = [
        JointCommandLayer("body", buffer(*ROBOT.names, value=1).view()),
        JointCommandLayer("arms", buffer("elbow", "shoulder", value=2).view(), override=True),
        JointCommandLayer("hand", buffer("elbow", value=3).view(), override=True),
    ]
    assert JointCommandComposer(ROBOT, layers).compose().qpos.tolist() == [1, 1, 2, 3]


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        (
            [("legs", ["hip", "knee"], False)],
            "no layer commands shoulder, elbow",
        ),
        (
            [("body", ["hip", "knee", "shoulder", "elbow"], False), ("arms", ["elbow", "shoulder"], False)],
            "layers 'body' and 'arms' both command elbow, shoulder (give 'arms' override=True if",
        ),
        (
            [("arms", ["elbow", "shoulder"], True), ("body", ["hip", "knee", "shoulder", "elbow"], False)],
            "layers 'arms' and 'body' both command shoulder, elbow",
        ),
        (
            [("body", ["hip", "knee", "shoulder", "elbow"], False), ("tail", ["tail"], False)],
            "layer 'tail' commands joints that the layout lacks: tail",
        ),
        (
            [("body", ["hip", "knee"], False), ("body", ["shoulder", "elbow"], False)],
            "two layers are named 'body'",
        ),
    ],
)
def test_gaps_and_overlaps_are_refused_with_the_joints(
    layers: list[tuple[str, list[str], bool]], message: str
) -> None:
    built = [JointCommandLayer(name, buffer(*joints).view(), override) for name, joints, override in layers]
    with pytest.raises(ValueError, match=re.escape(message)):
        JointCommandComposer(ROBOT, built)


def test_all_problems_come_at_once() -> None:
    layers = [
        JointCommandLayer("legs", buffer("hip", "knee").view()),
        JointCommandLayer("knee", buffer("knee", "tail").view()),
    ]
    with pytest.raises(
        ValueError, match=r"lacks: tail; .*both command knee.*; no layer commands shoulder, elbow"
    ):
        JointCommandComposer(ROBOT, layers)


def test_a_view_of_a_joint_that_the_buffer_lacks_is_refused() -> None:
    with pytest.raises(KeyError, match="elbw"):
        buffer("elbow").view(["elbw"])


def test_composing_allocates_nothing() -> None:
    composer = JointCommandComposer(
        ROBOT,
        [
            JointCommandLayer("a", buffer("elbow", "hip").view()),
            JointCommandLayer("b", buffer("shoulder", "knee").view()),
        ],
    )
    composer.compose()
    tracemalloc.start()
    composer.compose()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(500):
        composer.compose()
    growth = tracemalloc.get_traced_memory()[0] - before
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert growth < 500
    assert peak < 2000
