"""What a node waits for stands in its status, and a state waits for its nodes only so long."""

from __future__ import annotations

from pathlib import Path

from supervision.desk import Desk, spec
from supervision.rig import Fleet, act, python, write_fleet

from bxi_framework.manifest.node_decl import RestartDecl
from bxi_framework.supervision import Life, Phase, Sight
from bxi_framework.supervision.preparation import PATIENCE

FACTORY = "it waits for create_node() to return"


def test_a_starting_node_shows_what_it_waits_for_until_it_runs() -> None:
    desk = Desk(spec("a"))
    desk.fake.starts_as = Life.STARTING
    desk.up()
    desk.fake.lives["a"] = Sight(Life.STARTING, pid=1, reason=FACTORY)
    desk.wait()
    assert (desk.status("a").phase, desk.status("a").reason) == (Phase.STARTING, FACTORY)
    desk.fake.run("a")
    desk.wait()
    assert (desk.status("a").phase, desk.status("a").reason) == (Phase.RUNNING, "")


def test_a_node_whose_delay_is_over_shows_the_dependency_and_its_last_end() -> None:
    once = RestartDecl(max_attempts=0)
    desk = Desk(spec("base", restart=once), spec("arm", "base"))
    desk.up()
    desk.wait()
    desk.die("base")
    desk.die("arm")
    status = desk.status("arm")
    assert (status.phase, status.reason, status.next_at) == (
        Phase.RESTARTING,
        "it ended with status 1",
        desk.now + 1.0,
    )
    for _ in range(3):
        desk.wait(1.0)
    status = desk.status("arm")
    assert status.reason == ("it depends on 'base', which is faulted; its last end: it ended with status 1")
    assert (status.phase, status.next_at) == (Phase.RESTARTING, None)


def test_processes_say_what_their_start_waits_for(tmp_path: Path) -> None:
    nodes = {"slow": python("hanging_factory"), "quick": act("hold")}
    with Fleet(write_fleet(tmp_path, nodes)) as fleet:
        fleet.start("slow", "quick")
        assert fleet.look("quick").reason == "it waits for its process"
        fleet.reach("quick", Life.RUNNING)
        assert fleet.look("quick").reason == ""
        fleet.says("slow", "holding")
        sight = fleet.look("slow")
        assert (sight.life, sight.reason) == (Life.STARTING, FACTORY)


def test_a_node_of_a_state_that_needs_a_minute_is_given_up_in_time_and_ended() -> None:
    desk = Desk(spec("slow", states=("look",)), spec("other"))
    desk.fake.starts_as = Life.STARTING
    desk.up()
    desk.fake.run("other")
    desk.states = frozenset(("look",))
    start = desk.ask_for("slow")
    desk.fake.lives["slow"] = Sight(Life.STARTING, pid=1, reason=FACTORY)
    minute = 0.0
    while start.outcome is None:
        desk.wait(0.5)
        minute += 0.5
        assert minute < 60.0
    assert minute == PATIENCE
    assert start.outcome == f"the node 'slow', which it needs, is starting after {PATIENCE:g} s: {FACTORY}"
    # The switch is refused, so nobody needs it any more.
    desk.start = None
    desk.enter()
    assert desk.take()[-1] == "stop slow"
    assert desk.phases() == {"slow": Phase.STOPPED, "other": Phase.RUNNING}
    again = desk.ask_for("slow")
    desk.enter("look")
    desk.fake.run("slow")
    desk.wait()
    assert again.outcome == ""
