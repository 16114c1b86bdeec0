"""The supervisor's step: starts in order, stops in reverse, and starts again as the policy says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from supervision.desk import POLICY, Desk, spec

from bxi_framework.supervision import Life, Phase, Sight
from bxi_framework.supervision.desired import Desired, unwanted

CHAIN = (spec("a"), spec("b", "a"), spec("c", "b"))


def test_nodes_start_after_what_they_depend_on_and_stop_before_it() -> None:
    desk = Desk(*reversed(CHAIN))
    desk.up()
    assert desk.take() == ["start a", "start b", "start c"]
    assert set(desk.phases().values()) == {Phase.RUNNING}
    desk.down()
    assert desk.take() == ["stop c", "stop b", "stop a"]
    assert set(desk.phases().values()) == {Phase.STOPPED}
    assert desk.supervisor.idle


def test_a_node_waits_until_what_it_depends_on_really_runs() -> None:
    desk = Desk(spec("a"), spec("b", "a"))
    desk.fake.starts_as = Life.STARTING
    desk.up()
    assert desk.phases() == {"a": Phase.STARTING, "b": Phase.STOPPED}
    assert desk.status("b").reason == "it depends on 'a', which is starting"
    assert desk.log == []
    desk.fake.run("a")
    desk.wait(0.1)
    assert desk.take() == ["start a", "start b"]


def test_a_node_ends_only_after_those_that_depend_on_it_are_gone() -> None:
    desk = Desk(*CHAIN)
    desk.fake.stubborn = True
    desk.up()
    desk.take()
    desk.down()
    assert desk.take() == ["stop c"]
    desk.fake.let_end("c")
    desk.wait(5.0)
    assert desk.take() == ["stop b"]
    assert desk.phases() == {"a": Phase.RUNNING, "b": Phase.STOPPING, "c": Phase.STOPPED}


def test_delays_grow_and_the_attempts_end() -> None:
    desk = Desk(spec("a"))
    desk.up()
    for number, delay in enumerate((1.0, 2.0, 4.0), start=1):
        desk.die("a")
        status = desk.status("a")
        assert (status.phase, status.restarts, status.next_at) == (
            Phase.RESTARTING,
            number,
            desk.now + delay,
        )
        desk.take()
        desk.wait(delay - 0.01)
        assert desk.take() == []
        desk.wait(0.01)
        assert desk.take() == ["start a"]
    desk.die("a")
    status = desk.status("a")
    assert (status.phase, status.reason, status.exit_code) == (Phase.FAULTED, "it ended with status 1", 1)
    assert (status.last_lines, status.restarts, status.pid) == (("bye",), 3, None)
    desk.wait(1000.0)
    assert desk.take() == []
    assert ("error", "a", "node of 'test.mod' failed: it ended with status 1") in desk.log
    said = "node of 'test.mod' ended: it ended with status 1; start 2 of 3 follows in 2 s"
    assert ("warning", "a", said) in desk.log


def test_a_stable_run_forgets_the_attempts() -> None:
    desk = Desk(spec("a"))
    desk.up()
    for _ in range(3):
        desk.die("a")
        desk.wait(10.0)
        desk.wait()
    desk.wait(60.0)
    assert desk.status("a").restarts == 0
    desk.die("a")
    assert (desk.phases()["a"], desk.status("a").restarts) == (Phase.RESTARTING, 1)


def test_a_long_start_is_no_stable_run() -> None:
    desk = Desk(spec("a"))
    desk.fake.starts_as = Life.STARTING
    desk.up()
    for _ in range(3):
        desk.wait(61.0)
        desk.die("a")
        desk.wait(10.0)
    desk.wait(61.0)
    desk.die("a")
    assert desk.phases()["a"] is Phase.FAULTED


def test_descendants_that_are_left_count_as_the_node() -> None:
    desk = Desk(spec("a"))
    desk.up()
    desk.fake.lives["a"] = Sight(Life.STOPPING, pid=1)
    desk.wait(0.1)
    assert desk.phases()["a"] is Phase.STOPPING
    assert desk.take() == ["start a"]
    desk.die("a")
    assert desk.phases()["a"] is Phase.RESTARTING


def test_a_node_that_is_wanted_again_while_it_ends_starts_at_once_without_an_attempt() -> None:
    desk = Desk(spec("a", states=("s",)))
    desk.fake.stubborn = True
    desk.up()
    desk.enter("s")
    desk.enter()
    desk.enter("s")
    assert desk.take() == ["start a", "stop a"]
    assert desk.phases()["a"] is Phase.STOPPING
    desk.fake.let_end("a")
    desk.wait()
    assert desk.take() == ["start a"]
    assert (desk.phases()["a"], desk.status("a").restarts) == (Phase.RUNNING, 0)


def test_a_wait_between_two_attempts_ends_when_nobody_wants_the_node() -> None:
    desk = Desk(spec("a"))
    desk.up()
    desk.die("a")
    desk.down()
    status = desk.status("a")
    assert (status.phase, status.next_at, status.reason) == (
        Phase.STOPPED,
        None,
        "the control node is not active",
    )


def test_what_runs_goes_on_when_what_it_depends_on_dies() -> None:
    desk = Desk(spec("a"), spec("b", "a"))
    desk.up()
    desk.die("a", 7)
    assert desk.phases() == {"a": Phase.FAULTED, "b": Phase.RUNNING}
    desk.die("b")
    desk.wait(1.0)
    assert desk.phases()["b"] is Phase.RESTARTING, "it waits for what it depends on"
    assert desk.restart("a").ok
    assert desk.take() == ["start a", "start b", "start a", "start b"]
    assert desk.phases() == {"a": Phase.RUNNING, "b": Phase.RUNNING}


def test_a_wait_for_what_has_failed_is_told_once() -> None:
    desk = Desk(spec("a"), spec("b", "a"))
    desk.fake.starts_as = Life.STARTING
    desk.up()
    desk.die("a", 7)
    desk.wait(1.0)
    desk.wait(1.0)
    said = "node of 'test.mod' is not started: it depends on 'a', which is faulted"
    assert desk.log.count(("warning", "b", said)) == 1
    assert desk.status("b").wanted


def test_who_should_run_is_said_with_the_reason() -> None:
    specs = (spec("a"), spec("b", "a"), spec("c", states=("s", "t")), spec("d", "c", states=("t",)))
    assert set(unwanted(specs, Desired())) == {"a", "b", "c", "d"}
    none = "none of its states is in control"
    assert unwanted(specs, Desired(up=True)) == {"c": none, "d": none}
    assert unwanted(specs, Desired(up=True, states=frozenset("s"))) == {"d": none}
    assert unwanted(specs, Desired(up=True, states=frozenset("tx"))) == {}
    halted = unwanted(specs, Desired(up=True, states=frozenset("t"), halted=frozenset("ac")))
    assert halted == {
        "a": "it was stopped by hand",
        "b": "it depends on 'a', which should not run: it was stopped by hand",
        "c": "it was stopped by hand",
        "d": "it depends on 'c', which should not run: it was stopped by hand",
    }


WORDS = ("die", "final", "run", "end", "wait", "stay", "restart", "halt", "enter", "leave", "up", "down")
EVENTS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(WORDS)), max_size=60)
NEEDS = {"a": (), "b": ("a",), "c": ("b",), "d": ("a",)}


class Checked(Desk):
    """A desk whose backend refuses what must never be asked."""

    def __init__(self) -> None:
        specs = [spec(name, *NEEDS[name]) for name in "abc"]
        super().__init__(*specs, spec("d", *NEEDS["d"], states=("s",)))
        start, stop = self.fake.start, self.fake.stop

        def checked_start(node: object) -> None:
            name = node.name  # type: ignore[attr-defined]
            for needed in NEEDS[name]:
                assert self.fake.lives[needed].life is Life.RUNNING, f"{name} starts without {needed}"
            start(node)  # type: ignore[arg-type]

        def checked_stop(name: str) -> None:
            for other, needs in NEEDS.items():
                gone = other not in self.fake.lives or self.fake.lives[other].life is Life.ENDED
                assert name not in needs or gone, f"{name} is stopped before {other}"
            assert self.fake.lives[name].life is not Life.ENDED
            stop(name)

        self.fake.start, self.fake.stop = checked_start, checked_stop  # type: ignore[method-assign]

    def happen(self, name: str, word: str) -> None:
        """One event; some mean nothing at some times."""
        life = self.fake.lives[name].life if name in self.fake.lives else None
        if word in ("die", "final") and life in (Life.STARTING, Life.RUNNING):
            self.die(name, 7 if word == "final" else 1)
        elif word == "run" and life is Life.STARTING:
            self.fake.run(name)
        elif word == "end" and life is Life.STOPPING:
            self.fake.let_end(name)
        elif word in ("up", "down", "restart", "halt"):
            {"up": self.up, "down": self.down}.get(word, lambda: getattr(self, word)(name))()
        elif word in ("enter", "leave"):
            self.enter(*(("s",) if word == "enter" else ()))
        elif word in ("wait", "stay"):
            self.wait(3.0 if word == "wait" else 70.0)


@given(EVENTS, st.booleans(), st.booleans())
def test_whatever_happens_order_and_policy_hold(
    events: list[tuple[str, str]], slow: bool, stubborn: bool
) -> None:
    desk = Checked()
    desk.fake.starts_as = Life.STARTING if slow else Life.RUNNING
    desk.fake.stubborn = stubborn
    desk.up()
    for name, word in events:
        desk.happen(name, word)
        for status in desk.supervisor.statuses:
            live = status.phase in (Phase.STARTING, Phase.RUNNING, Phase.STOPPING)
            assert (status.name in desk.fake.lives) == live
            assert status.restarts <= POLICY.max_attempts
            assert (status.next_at is not None) == (status.phase is Phase.RESTARTING)
            assert (status.pid is not None) <= live
            if status.phase is Phase.FAULTED:
                assert status.exit_code == 7 or status.restarts == POLICY.max_attempts
    desk.down()
    for _ in NEEDS:
        for name in list(desk.fake.lives):
            if desk.fake.lives[name].life is Life.STOPPING:
                desk.fake.let_end(name)
        desk.wait()
    assert desk.fake.lives == {}
    assert desk.supervisor.idle
