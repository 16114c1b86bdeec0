"""The wall clock, which people and networks set, names files and stamps messages; nothing waits for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "bxi_framework"
WALL = frozenset(("time", "time_ns", "localtime", "gmtime", "ctime", "get_clock"))

STAMPS = {
    "distribution/doctor/machine.py": "whether the clock of the machine is set",
    "ros/log.py": "the time before each line",
    "ros/session.py": "names and times of flight records",
    "ros/frames.py": "the header of joint_commands",
    "ros/health.py": "the header of the diagnostics",
}
"""Who may read the wall clock, and what for."""


def wall_clock_reads(tree: ast.AST) -> Iterator[str]:
    """Where a module reads the wall clock or that of ROS, which follows it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in WALL:
            from_time = isinstance(node.value, ast.Name) and node.value.id == "time"
            if from_time or node.attr == "get_clock":
                yield f"{node.lineno}: {node.attr}"
        elif isinstance(node, ast.ImportFrom) and node.module in ("time", "datetime"):
            yield f"{node.lineno}: from {node.module}"
        elif isinstance(node, ast.Import) and any(name.name == "datetime" for name in node.names):
            yield f"{node.lineno}: datetime"


def timers_of_the_nodes_clock(tree: ast.AST) -> Iterator[str]:
    """Timers without a clock of their own: they stand still when the time is set back."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "create_timer"
            and not any(keyword.arg == "clock" for keyword in node.keywords)
        ):
            yield f"{node.lineno}: create_timer"


def sources() -> list[tuple[str, ast.AST]]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return [
        (path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths
    ]


def test_only_stamps_are_of_the_wall_clock() -> None:
    found = {name for name, tree in sources() if list(wall_clock_reads(tree))}
    assert found == set(STAMPS)


def test_no_timer_follows_the_wall_clock() -> None:
    found = {name: list(timers_of_the_nodes_clock(tree)) for name, tree in sources()}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "line",
    [
        "time.time()",
        "now = time.time_ns",
        "from time import time",
        "import datetime",
        "from datetime import datetime",
        "stamp = node.get_clock().now()",
    ],
)
def test_the_fence_stops_what_it_is_for(line: str) -> None:
    assert list(wall_clock_reads(ast.parse(line)))
    assert list(timers_of_the_nodes_clock(ast.parse("node.create_timer(1.0, tell)")))


def test_the_fence_lets_monotonic_time_through() -> None:
    tree = ast.parse("import time\ntime.monotonic()\nnode.create_timer(1.0, tell, clock=steady)")
    assert not list(wall_clock_reads(tree)) and not list(timers_of_the_nodes_clock(tree))
