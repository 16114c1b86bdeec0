"""Parameters reach a ROS node as they were written."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import rclpy
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.context import Context
from rclpy.node import Node

from bxi_framework.supervision.params_file import ParamsError, fitting, params_text

TEXTS = [
    "y",
    "n",
    "yes",
    "no",
    "on",
    "off",
    "010",
    "0x10",
    "1.10",
    "1e3",
    "",
    " ",
    " a  b ",
    "~",
    "null",
    "true",
]
TEXTS += [
    "12:30",
    "2026-01-01",
    ".inf",
    "nan",
    "*x",
    "&x",
    "!!int 3",
    "${HOME}",
    "#no comment",
    "- a",
    "a: b",
]
TEXTS += [
    '"',
    "'",
    "\\",
    "\\n",
    "a\nb",
    "\t",
    "ü",
    "😀",
    "\x85",
    "\ufeff",
    "{a: 1}",
    "[1]",
    "%",
    "@",
    "`",
    "|",
]


def test_the_text_of_the_file() -> None:
    params = {"rate": 30, "scale": 1.0, "big": 1e16, "on": True, "mode": "no", "arm": {"gains": [1, 2.5]}}
    assert params_text(params) == (
        "/**:\n"
        "  ros__parameters:\n"
        '    "rate": 30\n'
        '    "scale": 1.0\n'
        '    "big": 1.0e+16\n'
        '    "on": true\n'
        '    "mode": "no"\n'
        '    "arm.gains": [1.0, 2.5]\n'
    )


def read_by_ros(folder: Path, params: dict[str, Any]) -> dict[str, Any]:
    """What a node has as its parameters."""
    file = folder / "params.yaml"
    file.write_text(params_text(params), encoding="utf-8")
    context = Context()
    rclpy.init(args=["--ros-args", "--params-file", str(file)], context=context)
    try:
        node = Node("reader", context=context, automatically_declare_parameters_from_overrides=True)
        found = {name: node.get_parameter(name).value for name in params}
        node.destroy_node()
    finally:
        rclpy.shutdown(context=context)
    return {
        name: value if isinstance(value, (str, int, float)) else list(value) for name, value in found.items()
    }


def test_values_arrive_unchanged(tmp_path: Path) -> None:
    params: dict[str, Any] = {f"text_{number}": text for number, text in enumerate(TEXTS)}
    params |= {"texts": TEXTS, "whole": 1.0, "small": 1e-7, "large": 1e300, "negative": -0.0}
    params |= {"least": -(2**63), "most": 2**63 - 1, "yes": True, "no": False, "both": [True, False]}
    found = read_by_ros(tmp_path, params)
    assert found == params
    assert {name: type(value) for name, value in found.items()} == {
        name: type(value) for name, value in params.items()
    }
    assert math.copysign(1.0, found["negative"]) == -1.0


@settings(max_examples=25)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1))
def test_any_text_arrives_unchanged(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    assert read_by_ros(tmp_path_factory.mktemp("params"), {"texts": texts}) == {"texts": texts}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1, "a"], "the parameter 'x' is a list of different kinds of values, which ROS does not have"),
        ([True, 1], "the parameter 'x' is a list of different kinds of values, which ROS does not have"),
        ([], "the parameter 'x' is an empty list, whose kind ROS cannot tell"),
        ([{"a": 1}], "the parameter 'x' holds a dict, which ROS does not have"),
        (2**63, "the parameter 'x' is 9223372036854775808, which does not fit into 64 bits"),
    ],
)
def test_what_ros_does_not_have_is_named(value: object, message: str) -> None:
    with pytest.raises(ParamsError) as caught:
        params_text({"good": 1, "x": value})
    assert str(caught.value) == message
    assert fitting({"good": 1, "x": value}) == {"good": 1}
