"""What people and states ask of the supervisor, and the thread on which it does that."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest
from supervision.desk import Desk, Fake, spec
from supervision.living import until

from bxi_framework.diagnostics.guard import Outcome
from bxi_framework.loading.preparation import InlinePreparation
from bxi_framework.machine.preparation import NotReadyError
from bxi_framework.machine.requests import Verdict
from bxi_framework.supervision import Life, NodeSpec, Phase, Sight, Supervisor
from bxi_framework.supervision.preparation import NodePreparation
from bxi_framework.supervision.rounds import Rounds


def test_a_restart_by_hand_gives_a_faulted_node_all_its_attempts() -> None:
    desk = Desk(spec("a"))
    desk.up()
    desk.die("a")
    desk.wait(1.0)
    desk.die("a", 7)
    assert (desk.phases()["a"], desk.status("a").restarts) == (Phase.FAULTED, 1)
    assert desk.restart("a") == Verdict(True)
    assert (desk.phases()["a"], desk.status("a").restarts) == (Phase.RUNNING, 0)
    desk.die("a")
    assert (desk.phases()["a"], desk.status("a").restarts) == (Phase.RESTARTING, 1)


def test_a_restart_by_hand_does_not_wait_for_the_next_attempt() -> None:
    desk = Desk(spec("a"))
    desk.up()
    desk.die("a")
    desk.take()
    assert desk.restart("a").ok
    assert desk.take() == ["start a"]


def test_a_restart_of_what_runs_takes_those_that_depend_on_it_along() -> None:
    desk = Desk(spec("a"), spec("b", "a"), spec("other"))
    desk.up()
    desk.take()
    assert desk.restart("a").ok
    desk.wait()
    assert desk.take() == ["stop b", "stop a", "start a", "start b"]
    assert set(desk.phases().values()) == {Phase.RUNNING}


def test_a_stop_by_hand_holds_until_a_restart() -> None:
    desk = Desk(spec("a"), spec("b", "a"))
    desk.up()
    desk.take()
    assert desk.halt("a") == Verdict(True, "with it ends what depends on it: b")
    assert desk.take() == ["stop b", "stop a"]
    assert desk.status("a").reason == "it was stopped by hand"
    assert desk.status("b").reason.startswith("it depends on 'a', which should not run")
    desk.wait(1000.0)
    assert desk.take() == []
    assert desk.halt("a") == Verdict(False, "'a' was stopped by hand already")
    refused = "the node 'a', which it needs, was stopped by hand; restart it first"
    assert desk.restart("b") == Verdict(False, refused)
    assert desk.restart("a") == Verdict(True)
    desk.wait()
    assert desk.take() == ["start a", "start b"]


def test_a_faulted_node_may_be_stopped_and_the_next_activation_starts_it() -> None:
    desk = Desk(spec("a"))
    desk.up()
    desk.die("a", 7)
    assert desk.halt("a").ok
    assert desk.phases()["a"] is Phase.STOPPED
    desk.down()
    desk.up()
    assert desk.phases()["a"] is Phase.RUNNING


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("test.mod/camra", "no node 'test.mod/camra'. Did you mean 'test.mod/camera'?"),
        ("test.mod/lidar", "'test.mod/lidar' is unavailable: no driver"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(name: str, reason: str) -> None:
    desk = Desk(spec("test.mod/camera"), unavailable={"test.mod/lidar": "no driver"})
    desk.up()
    assert desk.restart(name) == Verdict(False, reason)
    assert desk.halt(name) == Verdict(False, reason)


def test_nothing_is_started_while_the_control_node_is_not_active() -> None:
    desk = Desk(spec("a"))
    refused = Verdict(False, "the control node is not active")
    assert desk.restart("a") == refused
    assert desk.halt("a") == refused
    assert desk.fake.asked == []


def test_unavailable_nodes_are_shown() -> None:
    desk = Desk(spec("test.mod/camera"), unavailable={"test.mod/lidar": "no driver"})
    desk.now += 2.0
    assert desk.status("test.mod/lidar").as_dict(desk.now) == {
        "name": "test.mod/lidar",
        "mod": "test.mod",
        "label": "lidar",
        "state": "unavailable",
        "age": 2.0,
        "reason": "no driver",
        "pid": None,
        "exit_code": None,
        "restarts": 0,
        "next_attempt": None,
        "last_lines": [],
    }


def test_all_figures_of_a_node_that_is_to_start_again() -> None:
    desk = Desk(spec("a"))
    desk.up()
    desk.die("a", 3)
    shown = desk.status("a").as_dict(desk.now + 0.25)
    assert {key: shown[key] for key in ("state", "age", "exit_code", "restarts", "next_attempt")} == {
        "state": "restarting",
        "age": 0.25,
        "exit_code": 3,
        "restarts": 1,
        "next_attempt": 0.75,
    }
    assert (shown["reason"], shown["last_lines"]) == ("it ended with status 3", ["bye"])


# Nodes that run only in some states.


def test_nodes_of_a_state_stop_after_the_last_state_that_needs_them() -> None:
    desk = Desk(spec("a", states=("s", "t")), spec("b", "a", states=("t",)))
    desk.up()
    assert desk.take() == []
    desk.enter("s")
    assert desk.take() == ["start a"]
    desk.enter("s", "t")
    desk.enter("t")
    assert desk.take() == ["start b"]
    desk.enter("other")
    assert desk.take() == ["stop b", "stop a"]
    assert desk.status("a").reason == "none of its states is in control"


def test_a_start_is_answered_once_all_its_nodes_run() -> None:
    desk = Desk(spec("base"), spec("a", "base", states=("s",)), spec("b", states=("s",)))
    desk.fake.starts_as = Life.STARTING
    desk.up()
    start = desk.ask_for("a", "b")
    desk.enter("s")
    assert start.outcome is None
    desk.fake.run("b")
    desk.fake.run("base")
    desk.wait(1.0)
    assert (start.outcome, desk.phases()["a"]) == (None, Phase.STARTING)
    desk.fake.run("a")
    desk.wait(1.0)
    assert start.outcome == ""


def test_a_program_that_cannot_say_when_it_is_ready_is_given_a_moment() -> None:
    desk = Desk(spec("a", states=("s",), runtime="executable"))
    desk.up()
    start = desk.ask_for("a")
    desk.enter("s")
    desk.wait(0.4)
    assert (desk.phases()["a"], start.outcome) == (Phase.RUNNING, None)
    desk.die("a")
    desk.wait(1.0)
    desk.wait(0.4)
    assert start.outcome is None
    desk.wait(0.1)
    assert start.outcome == ""


def test_a_start_of_what_runs_already_is_answered_at_once() -> None:
    desk = Desk(spec("a", states=("s", "t")))
    desk.up()
    desk.enter("s")
    desk.wait()
    assert desk.ask_for("a").outcome == ""
    assert desk.take() == ["start a"]


def test_a_start_fails_with_the_first_node_that_is_given_up() -> None:
    desk = Desk(spec("a", states=("s",)))
    desk.fake.starts_as = Life.STARTING
    desk.up()
    start = desk.ask_for("a")
    desk.enter("s")
    desk.die("a")
    assert start.outcome is None, "its policy allows a further start"
    desk.wait(1.0)
    desk.die("a", 7)
    assert start.outcome == "the node 'a', which it needs, has failed: it ended with status 7"
    desk.enter()
    desk.enter("s")
    assert desk.take() == ["start a", "start a"], "a failed node is not started by itself"
    assert desk.ask_for("a").outcome is None, "whoever asks again gets all attempts again"
    assert desk.take() == ["start a"]


def test_a_start_that_takes_too_long_fails_with_what_is_waited_for() -> None:
    desk = Desk(spec("a", states=("s",)))
    desk.fake.starts_as = Life.STARTING
    desk.up()
    start = desk.ask_for("a")
    desk.enter("s")
    desk.wait(9.9)
    assert start.outcome is None
    desk.wait(0.1)
    assert start.outcome == "the node 'a', which it needs, is starting after 10 s"


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        ("unavailable", "the node 'gone', which it needs, is unavailable: no driver"),
        ("halted", "the node 'a', which it needs, was stopped by hand; restart it first"),
        ("needed", "the node 'base', which it needs, has failed: it ended with status 7"),
    ],
)
def test_a_start_that_is_hopeless_fails_at_once(trouble: str, reason: str) -> None:
    desk = Desk(spec("base"), spec("a", "base", states=("s",)), unavailable={"gone": "no driver"})
    desk.up()
    if trouble == "halted":
        assert desk.halt("a").ok
    if trouble == "needed":
        desk.die("base", 7)
    assert desk.ask_for("gone" if trouble == "unavailable" else "a").outcome == reason


def test_a_node_that_dies_in_its_state_follows_its_policy_and_keeps_nobody_there() -> None:
    desk = Desk(spec("a", states=("s",)))
    desk.up()
    desk.enter("s")
    desk.die("a")
    desk.wait(1.0)
    assert desk.take() == ["start a", "start a"]
    desk.die("a")
    desk.enter("t")
    assert desk.phases()["a"] is Phase.STOPPED
    desk.wait(1000.0)
    assert desk.take() == []


def test_a_restart_of_a_node_whose_states_are_elsewhere_says_when_it_starts() -> None:
    desk = Desk(spec("a", states=("s", "t")))
    desk.up()
    assert desk.restart("a") == Verdict(True, "it starts with its states: s, t")
    assert desk.take() == []


# The part of a switch.


class Job:
    """A job that counts."""

    def __init__(self) -> None:
        self.done = 0

    def __call__(self) -> None:
        self.done += 1


def test_a_job_waits_for_its_nodes() -> None:
    preparation, job = NodePreparation(InlinePreparation()), Job()
    preparation.begin(job, ["a"])
    assert preparation.asked is not None and preparation.asked.names == ("a",)
    assert preparation.poll() is None
    assert job.done == 0
    preparation.asked.outcome = ""
    assert preparation.poll() == Outcome()
    assert (job.done, preparation.asked, preparation.poll()) == (1, None, None)


def test_a_job_whose_nodes_do_not_run_is_not_done() -> None:
    preparation, job = NodePreparation(InlinePreparation()), Job()
    preparation.begin(job, ["a"])
    assert preparation.asked is not None
    preparation.asked.outcome = "it is broken"
    outcome = preparation.poll()
    assert outcome is not None and isinstance(outcome.error, NotReadyError)
    assert (str(outcome.error), job.done, preparation.poll()) == ("it is broken", 0, None)


def test_what_was_not_begun_is_not_cleaned_up() -> None:
    preparation, job, cleanup = NodePreparation(InlinePreparation()), Job(), Job()
    preparation.begin(job, ["a"])
    preparation.cancel(cleanup)
    assert (preparation.asked, cleanup.done) == (None, 0)
    preparation.begin(job)
    preparation.cancel(cleanup)
    assert (job.done, cleanup.done) == (1, 1)
    preparation.begin(job, ["a"])
    preparation.close()
    assert preparation.asked is None


# Its own thread.


class Slow(Fake):
    """Nodes take a few looks to start and to end, and the backend notices a second thread."""

    def __init__(self) -> None:
        super().__init__()
        self.starts_as = Life.STARTING
        self.stubborn = True
        self.threads: set[str] = set()

    def look(self, name: str) -> Sight:
        self.threads.add(threading.current_thread().name)
        sight = super().look(name)
        if sight.life is Life.STARTING:
            self.run(name)
        elif sight.life is Life.STOPPING:
            self.let_end(name)
        return sight


def supervised(
    specs: Sequence[NodeSpec], fake: Fake, log: Callable[[str, str, str], None]
) -> tuple[Supervisor, Rounds]:
    clock = iter(range(10**9))
    supervisor = Supervisor(specs, fake, lambda: next(clock) / 1000.0, log)
    rounds = Rounds(supervisor, log)
    rounds.start()
    return supervisor, rounds


def test_on_its_own_thread_nobody_waits_for_nodes_but_at_the_end() -> None:
    fake = Slow()
    supervisor, rounds = supervised([spec("a"), spec("b", "a")], fake, lambda *line: None)
    supervisor.start()
    until(lambda: {s.phase for s in supervisor.statuses} == {Phase.RUNNING}, "both run")
    assert rounds.stop_nodes(20.0)
    assert supervisor.idle
    assert fake.asked == ["start a", "start b", "stop b", "stop a"]
    assert fake.threads == {"nodes"}
    assert rounds.end(20.0)


def test_a_node_that_does_not_end_in_time_is_told_to_the_caller() -> None:
    fake = Fake()
    fake.stubborn = True
    supervisor, rounds = supervised([spec("a")], fake, lambda *line: None)
    supervisor.start()
    until(lambda: supervisor.statuses[0].phase is Phase.RUNNING, "it runs")
    assert not rounds.stop_nodes(0.1)
    assert supervisor.statuses[0].phase is Phase.STOPPING
    assert rounds.end(20.0)


def test_a_look_that_fails_is_told_once_and_tried_again() -> None:
    lines: list[tuple[str, str, str]] = []
    failing = threading.Event()

    class Failing(Fake):
        def look(self, name: str) -> Sight:
            if failing.is_set():
                raise OSError("no more files")
            return super().look(name)

    supervisor, rounds = supervised([spec("a")], Failing(), lambda *line: lines.append(line))
    supervisor.start()
    until(lambda: supervisor.statuses[0].phase is Phase.RUNNING, "it runs")
    failing.set()
    until(lambda: lines, "the failure is told")
    failing.clear()
    assert rounds.stop_nodes(20.0)
    assert rounds.end(20.0)
    said = "looking after the nodes failed: OSError: no more files; it is tried again"
    assert [line for line in lines if line[0] == "error"] == [("error", "nodes", said)]
