"""Two nodes with one ROS name are told, with the names of both."""

from __future__ import annotations

from pathlib import Path

import pytest
from ros.node_robot import robot
from supervision.rig import ID, python

from bxi_framework.manifest.node_decl import NodeDecl
from bxi_framework.mod_api.node import NodeBuildContext
from bxi_framework.ros.node_names import NodeNames, ros_name
from bxi_framework.supervision import NodeSpec


def spec(name: str = "eye", namespace: str = "", runtime: str = "python") -> NodeSpec:
    full = f"a.b/{name}"
    decl = NodeDecl(full, name, "x", execution="process", runtime=runtime, namespace=namespace)
    return NodeSpec(
        full, "a.b", Path(), name, (), NodeBuildContext(name, "a.b", {}, (), namespace, {}), decl, None
    )


@pytest.mark.parametrize(
    ("node", "name"),
    [
        (spec(), "/eye"),
        (spec(namespace="/robot/arm/"), "/robot/arm/eye"),
        (spec(namespace="arm"), "/arm/eye"),
        (spec(runtime="command"), ""),
        (spec(runtime="command", namespace="arm"), "/arm/eye"),
    ],
)
def test_the_name_that_a_process_is_told_to_take(node: NodeSpec, name: str) -> None:
    assert ros_name(node) == name


def test_each_pair_is_told_once_and_a_name_is_free_after_the_end() -> None:
    lines: list[tuple[str, str, str]] = []
    names = NodeNames("/bxi_control", lambda *line: lines.append(line))
    names.take("a.b/eye", "/eye")
    names.take("a.b/eye", "/eye")
    names.take("c.d/other", "/other")
    assert lines == []
    for _ in range(2):
        names.take("c.d/eye", "/eye")
        names.release("c.d/eye")
    names.take("c.d/ctl", "/bxi_control")
    assert [(level, source) for level, source, _ in lines] == [("warning", "c.d/eye"), ("warning", "c.d/ctl")]
    assert lines[0][2].startswith("the node 'c.d/eye' has the same ROS name as the node 'a.b/eye', '/eye': ")
    assert "as the control node, '/bxi_control': " in lines[1][2]
    names.release("a.b/eye")
    names.take("e.f/eye", "/eye")
    assert len(lines) == 2


def test_nodes_inside_and_processes_are_compared(tmp_path: Path) -> None:
    nodes = {
        "same": python("talker", depends_on=["bxi_control"]),
        "bxi_control": {"entrypoint": "inside:create_echo"},
        "double": {"entrypoint": "inside:create_named", "params": {"name": "same"}, "depends_on": ["same"]},
    }
    with robot(tmp_path, nodes) as made:
        made.reach("double", "running")
        line = made.run.wait_for("the same ROS name as the control node, '/bxi_control'")
        assert f"{ID}/bxi_control: the node '{ID}/bxi_control'" in line
        line = made.run.wait_for(f"the same ROS name as the node '{ID}/same', '/same'")
        assert f"{ID}/double: the node '{ID}/double'" in line
        assert made.run.end()[0] == 0
