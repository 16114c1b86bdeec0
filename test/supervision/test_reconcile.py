"""The supervisor's step: starts in order, stops in reverse, and starts again as the policy says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxi_framework.manifest.node_decl import NodeDecl, RestartDecl
from bxi_framework.mod_api.node import NodeBuildContext
from bxi_framework.supervision import Life, NodeSpec, Phase, Sight, Supervisor

POLICY = RestartDecl(max_attempts=3, delay=1.0, backoff=2.0, reset_after=60.0, non_retryable_exit_codes=(7,))


def spec(name: str, *depends_on: str, execution: str = "process", restart: RestartDecl = POLICY) -> NodeSpec:
    decl = NodeDecl(name, name, "x", execution=execution, restart=restart, depends_on=depends_on)
    context = NodeBuildContext(name, "test.mod", {}, (), "", {})
    return NodeSpec(name, "test.mod", Path(), name, depends_on, context, decl, None)


class Fake:
    """A backend whose nodes live as the test says, and that keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.lives: dict[str, Sight] = {}
        self.starts_as = Life.RUNNING

    def start(self, spec: NodeSpec) -> None:
        assert spec.name not in self.lives, "it runs already"
        self.asked.append(f"start {spec.name}")
        self.lives[spec.name] = Sight(self.starts_as, pid=1)

    def look(self, name: str) -> Sight:
        return self.lives[name]

    def stop(self, name: str) -> None:
        self.asked.append(f"stop {name}")
        self.lives[name] = Sight(Life.ENDED)

    def forget(self, name: str) -> None:
        del self.lives[name]

    def close(self) -> None:
        self.lives.clear()

    def die(self, name: str, code: int = 1) -> None:
        self.lives[name] = Sight(Life.ENDED, exit_code=code, reason="it crashed", last_lines=("bye",))


class Desk:
    """A supervisor over a fake backend and a clock that the test turns."""

    def __init__(self, *specs: NodeSpec) -> None:
        self.now = 100.0
        self.fake = Fake()
        self.log: list[tuple[str, str, str]] = []
        self.supervisor = Supervisor(
            specs,
            self.fake,
            lambda: self.now,
            lambda level, source, said: self.log.append((level, source, said)),
        )

    def phases(self) -> dict[str, Phase]:
        return {status.name: status.phase for status in self.supervisor.statuses}

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.supervisor.poll()


def test_nodes_start_after_what_they_depend_on_and_stop_before_it() -> None:
    desk = Desk(spec("c", "b"), spec("b", "a"), spec("a"))
    desk.supervisor.start()
    assert desk.fake.asked == ["start a", "start b", "start c"]
    assert set(desk.phases().values()) == {Phase.RUNNING}
    desk.fake.asked.clear()
    assert desk.supervisor.stop(lambda: None, 5.0)
    assert desk.fake.asked == ["stop c", "stop b", "stop a"]
    assert set(desk.phases().values()) == {Phase.STOPPED}


def test_a_node_waits_until_what_it_depends_on_really_runs() -> None:
    desk = Desk(spec("a"), spec("b", "a"))
    desk.fake.starts_as = Life.STARTING
    desk.supervisor.start()
    assert desk.phases() == {"a": Phase.STARTING, "b": Phase.WAITING}
    assert (
        "warning",
        "b",
        "node of 'test.mod' is not started: it depends on 'a', which does not run",
    ) in desk.log
    desk.fake.lives["a"] = Sight(Life.RUNNING, pid=1)
    desk.wait(0.1)
    assert desk.fake.asked == ["start a", "start b"]


def test_delays_grow_and_the_attempts_end() -> None:
    desk = Desk(spec("a"))
    desk.supervisor.start()
    for delay in (1.0, 2.0, 4.0):
        desk.fake.die("a")
        desk.wait(0.0)
        assert desk.phases()["a"] is Phase.RESTARTING
        starts = desk.fake.asked.count("start a")
        desk.wait(delay - 0.01)
        assert desk.fake.asked.count("start a") == starts
        desk.wait(0.01)
        assert desk.fake.asked.count("start a") == starts + 1
    desk.fake.die("a")
    desk.wait(0.0)
    (status,) = desk.supervisor.statuses
    assert (status.phase, status.reason, status.exit_code) == (Phase.FAULTED, "it crashed", 1)
    assert (status.last_lines, status.restarts) == (("bye",), 3)
    desk.wait(1000.0)
    assert desk.fake.asked.count("start a") == 4
    assert ("error", "a", "node of 'test.mod' failed: it crashed") in desk.log


def test_a_stable_run_forgets_the_attempts() -> None:
    desk = Desk(spec("a"))
    desk.supervisor.start()
    for _ in range(3):
        desk.fake.die("a")
        desk.wait(0.0)
        desk.wait(10.0)
    desk.wait(60.0)
    assert desk.supervisor.statuses[0].restarts == 0
    desk.fake.die("a")
    desk.wait(0.0)
    assert desk.phases()["a"] is Phase.RESTARTING and desk.supervisor.statuses[0].restarts == 1


@pytest.mark.parametrize(("execution", "code"), [("process", 7), ("in_process", 1)])
def test_some_ends_are_final(execution: str, code: int) -> None:
    desk = Desk(spec("a", execution=execution))
    desk.supervisor.start()
    desk.fake.die("a", code)
    desk.wait(0.0)
    assert desk.phases()["a"] is Phase.FAULTED


def test_starting_anew_gives_a_faulted_node_another_chance() -> None:
    desk = Desk(spec("a", execution="in_process"))
    desk.supervisor.start()
    desk.fake.die("a")
    desk.wait(0.0)
    desk.supervisor.stop(lambda: None, 1.0)
    desk.supervisor.start()
    assert desk.phases()["a"] is Phase.RUNNING


def test_a_node_that_does_not_end_in_time_is_told_to_the_caller() -> None:
    desk = Desk(spec("a"))
    desk.supervisor.start()
    desk.fake.stop = lambda name: None  # type: ignore[method-assign]

    def pass_time() -> None:
        desk.now += 0.5

    assert desk.supervisor.stop(pass_time, 2.0) is False
    assert desk.phases()["a"] is Phase.STOPPING


EVENTS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(("die", "final", "wait"))), max_size=40)


@given(EVENTS)
def test_whatever_happens_order_and_policy_hold(events: list[tuple[str, str]]) -> None:
    desk = Desk(spec("a"), spec("b", "a"), spec("c", "b"))
    desk.supervisor.start()
    for name, event in events:
        if event == "wait":
            desk.wait(3.0)
        elif name in desk.fake.lives:
            desk.fake.die(name, 7 if event == "final" else 1)
            desk.wait(0.0)
        for status in desk.supervisor.statuses:
            assert status.restarts <= POLICY.max_attempts
            assert (status.name in desk.fake.lives) == (status.phase in (Phase.STARTING, Phase.RUNNING))
    before = len(desk.fake.asked)
    assert desk.supervisor.stop(lambda: None, 5.0)
    stopped = [word.split()[1] for word in desk.fake.asked[before:]]
    assert stopped == sorted(stopped, reverse=True)
    assert desk.fake.lives == {}
