"""Frames reach the endpoints joint by joint, by name."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from simulation_node.parts import exported

from bxi_framework.simulation import Channel, EndpointDescriptor

commands = exported("commands")


def mit(*joints: str) -> EndpointDescriptor:
    shape = (5, len(joints))
    return EndpointDescriptor(
        "arm", "mit", Channel("motor_frame", "", shape), joints, (0.0,) * (5 * len(joints))
    )


def wheels(*joints: str) -> EndpointDescriptor:
    shape = (len(joints),)
    return EndpointDescriptor(
        "base", "wheels", Channel("wheel_speed", "rad/s", shape), joints, (0.0,) * len(joints)
    )


def frame(layout: tuple[str, ...], **rows: list[float]) -> list[float]:
    data = np.zeros((5, len(layout)))
    for row, values in rows.items():
        data[("qpos", "vel", "kp", "kd", "torque").index(row)] = values
    return data.ravel().tolist()


def test_columns_are_matched_by_name_never_by_place() -> None:
    layout = ("elbow", "left", "shoulder", "right")
    router = commands.FrameRouter(layout, [mit("shoulder", "elbow"), wheels("left", "right")])
    given = router.commands(
        frame(
            layout,
            qpos=[1.0, 0.0, 2.0, 0.0],
            vel=[0.0, 3.0, 0.0, 4.0],
            kp=[10.0, 0.0, 20.0, 0.0],
            kd=[0.5] * 4,
        )
    )
    assert given["arm"].tolist() == [[2.0, 1.0], [0.0, 0.0], [20.0, 10.0], [0.5, 0.5], [0.0, 0.0]]
    assert given["base"].tolist() == [3.0, 4.0]
    assert router.unmoved == ()


def test_a_wheel_that_nothing_holds_is_told_no_speed() -> None:
    layout = ("left", "right")
    router = commands.FrameRouter(layout, [wheels("left", "right")])
    given = router.commands(frame(layout, vel=[3.0, 4.0], kd=[0.0, 0.1]))
    assert given["base"].tolist() == [0.0, 4.0]


def test_joints_that_only_one_side_knows_are_left_out_and_named() -> None:
    layout = ("head", "elbow")
    router = commands.FrameRouter(layout, [mit("elbow", "wrist")])
    given = router.commands(frame(layout, qpos=[9.0, 1.0], kp=[9.0, 2.0]))
    assert given["arm"].tolist() == [[1.0, 0.0], [0.0, 0.0], [2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    assert router.unmoved == ("head",)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ([0.0] * 9, "a motor frame must be 10 numbers, not 9"),
        ([], "a motor frame must be 10 numbers, not 0"),
        ([float("nan")] + [0.0] * 9, "a motor frame must be finite"),
        ([float("inf")] + [0.0] * 9, "a motor frame must be finite"),
    ],
)
def test_a_frame_of_another_form_is_refused(data: list[float], reason: str) -> None:
    router = commands.FrameRouter(("a", "b"), [mit("a", "b")])
    with pytest.raises(commands.FrameError, match=reason):
        router.commands(data)


@pytest.mark.parametrize(
    "layout",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"joints": 3}',
        '{"joints": [{}]}',
        {"joints": [{"name": 4}]},
        {"joints": [{"name": "a"}] * 2},
    ],
)
def test_a_layout_of_another_form_is_refused(layout: Any) -> None:
    with pytest.raises(commands.FrameError, match="joint layout"):
        commands.read_layout(layout if isinstance(layout, str) else json.dumps(layout))


def test_a_layout_gives_its_names_in_order() -> None:
    assert commands.read_layout(json.dumps({"joints": [{"name": "b"}, {"name": "a"}]})) == ("b", "a")


def test_the_control_of_a_vehicle_is_no_matter_of_frames() -> None:
    control = EndpointDescriptor(
        "red/control", "vehicle", Channel("control", "", (3,)), ("throttle", "steer", "brake"), (0.0,) * 3
    )
    assert not commands.takes_frames(control)
    assert commands.takes_frames(mit("elbow"))
    assert commands.takes_frames(wheels("left"))
    assert commands.FrameRouter(("throttle",), [control]).unmoved == ("throttle",)
