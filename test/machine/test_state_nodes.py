"""Switches to states whose nodes must run first, and which states' nodes are needed at each moment."""

from __future__ import annotations

from machine.actors import Stage, bare
from machine.rigs import Rig, rig, route
from machine.test_preparation import ByHand

from bxi_framework.diagnostics.guard import Outcome
from bxi_framework.machine.preparation import NotReadyError
from bxi_framework.machine.requests import Stop

HOLD = {"type": "hold", "duration": 0.04}
NODES = {"idle": ("test.mod/lamp",), "goal": ("test.mod/eye", "test.mod/ear"), "haven": ("test.mod/eye",)}


def robot(worker: ByHand) -> Rig:
    """`idle`, from which ways lead to `goal` and to `haven`, the stop state; one tick has passed."""
    built = rig(
        {"idle": bare(0.0), "haven": bare(0.1), **Stage().actors(goal=0.5)},
        routes=[
            route("idle", "go", "goal", HOLD),
            route("idle", "rest", "haven", "instant"),
            route("goal", "back", "idle", "instant"),
        ],
        events={"go": ("btn_1", 1), "rest": ("btn_2", 1), "back": ("btn_3", 1)},
        stop="haven",
        fault="haven",
        preparation=worker,
        nodes=NODES,
    )
    built.tick()
    return built


def in_use(built: Rig) -> set[str]:
    return {name.removeprefix("test.mod/") for name in built.engine.in_use}


def test_a_switch_names_the_nodes_that_it_waits_for() -> None:
    worker = ByHand()
    built = robot(worker)
    built.press("btn_1")
    built.ticks(3)
    assert worker.nodes == [("test.mod/eye", "test.mod/ear")]
    view = built.engine.snapshot()
    assert (view.state, view.preparing, view.transition) == ("test.mod/idle", "test.mod/goal", None)
    assert view.preparation is not None
    assert view.preparation.awaits == "the nodes test.mod/eye, test.mod/ear"
    worker.work()
    built.ticks(4)
    assert built.state == "goal"
    # Nothing else has to be prepared there, and still its node is waited for.
    built.press("btn_3")
    built.tick()
    assert (worker.nodes[-1], built.state) == (("test.mod/lamp",), "goal")


def test_nodes_that_do_not_run_refuse_the_switch_with_that_reason_alone() -> None:
    worker = ByHand()
    built = robot(worker)
    built.press("btn_1")
    built.tick()
    worker.outcome = Outcome(NotReadyError("the node 'test.mod/eye', which it needs, has failed: no lens"))
    built.ticks(2)
    view = built.engine.snapshot()
    assert (view.state, view.preparing, view.transition) == ("test.mod/idle", None, None)
    assert view.ignored is not None
    assert (view.ignored.name, view.ignored.reason) == (
        "test.mod/go",
        "the node 'test.mod/eye', which it needs, has failed: no lens",
    )
    assert in_use(built) == {"idle"}


def test_the_stop_state_waits_for_no_nodes() -> None:
    worker = ByHand()
    built = robot(worker)
    built.press("btn_2")
    built.tick()
    assert (built.state, worker.nodes) == ("haven", [])
    assert in_use(built) == {"haven"}, "its nodes are needed all the same"

    built = robot(worker)
    built.press("btn_1")
    built.tick()
    built.engine.post(Stop("test"))
    built.tick()
    assert (built.state, in_use(built)) == ("haven", {"haven"})


def test_nodes_are_needed_from_the_preparation_of_their_state_until_it_is_left() -> None:
    worker = ByHand()
    built = robot(worker)
    assert in_use(built) == {"idle"}
    built.press("btn_1")
    built.tick()
    assert in_use(built) == {"idle", "goal"}, "it gets ready"
    worker.work()
    built.tick()
    assert built.engine.snapshot().transition is not None
    assert in_use(built) == {"idle", "goal"}, "on the way"
    built.ticks(3)
    assert (built.state, in_use(built)) == ("goal", {"goal"})


def test_no_node_is_needed_for_a_switch_whose_delay_still_runs() -> None:
    built = rig(
        {"idle": bare(0.0), "goal": bare(0.5)},
        routes=[route("idle", "go", "goal", HOLD, delay=0.1)],
        events={"go": ("btn_1", 1)},
        nodes=NODES,
    )
    built.tick()
    built.press("btn_1")
    built.ticks(3)
    assert built.engine.snapshot().pending is not None
    assert in_use(built) == {"idle"}
    built.ticks(10)
    assert built.state == "goal", "on the bench a switch goes on as if its nodes ran"


def test_a_state_that_fails_needs_no_nodes_any_more() -> None:
    stage = Stage(broken={"goal.on_update": ValueError("x")})
    built = rig(
        {**stage.actors(idle=0.0, goal=0.5), "haven": bare(0.1)},
        routes=[route("idle", "go", "goal", "instant"), route("idle", "rest", "haven", "instant")],
        events={"go": ("btn_1", 1), "rest": ("btn_2", 1)},
        fault="haven",
        nodes=NODES,
    )
    built.tick()
    built.press("btn_1")
    built.ticks(6)
    assert (built.state, in_use(built)) == ("haven", {"haven"})
