"""A node that fails in the same way all the time does not fill the log."""

from __future__ import annotations

from supervision.desk import Desk, spec

from bxi_framework.manifest.node_decl import RestartDecl
from bxi_framework.supervision.fold import FREE, WHILE, Fold


class Clock:
    """Time that a test turns."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_same_is_said_a_few_times_then_once_in_a_while_with_a_count() -> None:
    clock = Clock()
    fold = Fold(clock)
    assert [fold.admits("a", "broken") for _ in range(FREE + 4)] == [""] * FREE + [None] * 4
    clock.now += WHILE
    assert fold.admits("a", "broken") == " (and 4 times more since this was said last)"
    assert fold.admits("a", "broken") == ""


def test_something_else_and_another_node_are_always_said() -> None:
    fold = Fold(Clock())
    for _ in range(FREE):
        fold.admits("a", "broken")
    assert fold.admits("a", "broken") is None
    assert fold.admits("b", "broken") == ""
    assert fold.admits("a", "worse") == ""


def test_a_storm_of_restarts_costs_few_lines_and_its_end_is_told() -> None:
    policy = RestartDecl(max_attempts=500, delay=0.05, backoff=1.0, reset_after=3600.0)
    desk = Desk(spec("a", restart=policy))
    desk.up()
    for _ in range(501):
        desk.die("a")
        desk.wait(0.05)
    assert len(desk.log) < 30
    passed = [said for _, _, said in desk.log if "times more" in said]
    assert len(passed) >= 2
    assert desk.log[-1] == ("error", "a", "node of 'test.mod' failed: it ended with status 1")
