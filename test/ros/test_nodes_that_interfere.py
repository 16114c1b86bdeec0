"""Nodes in this process whose code reaches for what is not theirs: ROS, the process, threads, executors."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from ros.peer import peer
from ros.test_nodes_inside import AGAIN, Factory, House, answers, echo, failing
from std_msgs.msg import String
from supervision.living import until

from bxi_framework.mod_api import NodeBuildContext
from bxi_framework.ros.refusals import Refusals
from bxi_framework.supervision import Phase

LINES: list[tuple[str, str, str]] = []


@pytest.fixture(scope="module", autouse=True)
def _ros() -> Iterator[None]:
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    with Refusals(lambda *line: LINES.append(line), dict):
        yield
    rclpy.shutdown()


def in_timer(act: Callable[[Node], object]) -> Factory:
    """A node that does this in its timer."""
    return failing(lambda node: node.create_timer(0.02, lambda: act(node)))


def in_factory(act: Callable[[Node], object]) -> Factory:
    """A node that does this before its factory returns."""
    return failing(act)


CALLS: list[tuple[str, Callable[[Node], object]]] = [
    ("rclpy.shutdown()", lambda node: rclpy.shutdown()),
    ("rclpy.try_shutdown()", lambda node: rclpy.try_shutdown()),
    ("rclpy.shutdown()", lambda node: rclpy.shutdown(context=node.context)),
    ("rclpy.shutdown()", lambda node: rclpy.utilities.shutdown()),
    ("Context.shutdown()", lambda node: node.context.shutdown()),
    ("Context.try_shutdown()", lambda node: node.context.__exit__(None, None, None)),
    ("rclpy.spin()", lambda node: rclpy.spin(node)),
    ("os._exit()", lambda node: os._exit(3)),
    ("os.abort()", lambda node: os.abort()),
    ("os.execv()", lambda node: os.execv("/bin/true", ["true"])),
    ("os.execve()", lambda node: os.execlpe("true", "true", {})),
]


@pytest.mark.parametrize("where", [in_timer, in_factory])
@pytest.mark.parametrize(("what", "act"), CALLS)
def test_calls_that_would_end_everything_are_refused_and_named(
    what: str, act: Callable[[Node], object], where: Callable[[Callable[[Node], object]], Factory]
) -> None:
    LINES.clear()
    with House(rude=where(act), echo=echo) as house, peer() as operator:
        reason = house.reach("rude", Phase.FAULTED).reason
        assert f"the node 'test.mod/rude' of 'test.mod' called {what}" in reason
        assert "that is refused" in reason
        assert [(level, source) for level, source, _ in LINES] == [("error", "refused")]
        answers(operator)


@pytest.mark.parametrize("name", ["spin_once", "spin_until_future_complete"])
def test_a_callback_cannot_spin_and_a_factory_may(name: str) -> None:
    def spin(node: Node) -> None:
        done: Any = rclpy.Future()
        done.set_result(None)
        getattr(rclpy, name)(node, **({"future": done} if "future" in name else {}), timeout_sec=0.01)

    with House(patient=in_factory(spin), rude=in_timer(spin), echo=echo) as house, peer() as operator:
        house.reach("patient", Phase.RUNNING)
        assert f"called rclpy.{name}()" in house.reach("rude", Phase.FAULTED).reason
        answers(operator)
        assert house.status("patient").phase is Phase.RUNNING


@pytest.mark.parametrize("name", ["shutdown", "spin", "spin_once"])
def test_the_shared_executor_is_not_for_callbacks(name: str) -> None:
    with (
        House(rude=in_timer(lambda node: getattr(node.executor, name)()), echo=echo) as house,
        peer() as operator,
    ):
        assert "share it" in house.reach("rude", Phase.FAULTED).reason
        answers(operator)


def test_a_node_that_destroys_itself_is_faulted() -> None:
    with (
        House(AGAIN, gone=in_timer(lambda node: node.destroy_node()), echo=echo) as house,
        peer() as operator,
    ):
        status = house.reach("gone", Phase.FAULTED)
        assert status.reason == "timer: its own code destroyed the node; the framework does that at its end"
        assert status.restarts == 2
        answers(operator)
        until(lambda: "gone" not in operator.node.get_node_names(), "it is off the graph")


def test_a_node_that_is_destroyed_by_another_thread_is_faulted() -> None:
    made: list[Node] = []

    def create(context: NodeBuildContext) -> Node:
        made.append(Node(context.node_name))
        return made[0]

    with House(gone=create, echo=echo) as house, peer() as operator:
        house.reach("gone", Phase.RUNNING)
        made[0].destroy_node()
        assert house.reach("gone", Phase.FAULTED).reason.startswith("its own code destroyed the node")
        answers(operator)


def spinning(node: Node, *, daemon: bool = True) -> threading.Thread:
    """A thread that spins a node on an executor of its own."""

    def spin() -> None:
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        executor.spin()

    thread = threading.Thread(target=spin, name="own-spin", daemon=daemon)
    thread.start()
    return thread


def test_a_node_on_an_executor_of_its_own_is_faulted_and_that_executor_ends() -> None:
    threads: list[threading.Thread] = []

    def steal(node: Node) -> None:
        threads.append(spinning(node, daemon=False))

    with House(own=in_timer(steal), echo=echo) as house, peer() as operator:
        assert "took the node to another executor" in house.reach("own", Phase.FAULTED).reason
        answers(operator)
        for thread in threads:
            thread.join(20.0)
            assert not thread.is_alive()
        until(lambda: "own" not in operator.node.get_node_names(), "it is off the graph")


def on_executor(context: NodeBuildContext) -> Node:
    node = Node(context.node_name)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    node.kept = executor  # type: ignore[attr-defined]
    return node


def of_own_context(context: NodeBuildContext) -> Node:
    own = Context()
    rclpy.init(context=own)
    return Node(context.node_name, context=own)


def destroyed(context: NodeBuildContext) -> Node:
    node = Node(context.node_name)
    node.destroy_node()
    return node


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        (
            on_executor,
            "create_node() returned a node that is on an executor already (SingleThreadedExecutor)",
        ),
        (of_own_context, "create_node() returned a node in a ROS context of its own"),
        (destroyed, "create_node() returned a node that it has destroyed"),
    ],
)
def test_a_factory_whose_node_cannot_be_run_is_named(factory: Factory, reason: str) -> None:
    with House(odd=factory, echo=echo) as house, peer() as operator:
        assert house.reach("odd", Phase.FAULTED).reason.startswith(reason)
        answers(operator)
        until(lambda: "odd" not in operator.node.get_node_names(), "it is off the graph")


def test_a_factory_that_hands_in_the_node_of_another_costs_only_itself() -> None:
    made: list[Node] = []

    def first(context: NodeBuildContext) -> Node:
        made.append(echo(context))
        return made[0]

    with House(echo=first, thief=lambda context: made[0]) as house, peer() as operator:
        reason = house.reach("thief", Phase.FAULTED).reason
        assert reason == "create_node() returned the node of 'test.mod/echo', expected one of its own"
        answers(operator)
        assert house.status("echo").phase is Phase.RUNNING


def fail() -> None:
    raise ValueError("the task is lost")


async def fail_soon() -> None:
    fail()


async def fail_later(node: Node) -> None:
    done = node.executor.create_future()  # type: ignore[union-attr]
    node.create_timer(0.02, lambda: done.done() or done.set_result(None))
    await done
    fail()


def once(act: Callable[[Node], object]) -> Factory:
    """A node that does this in its timer the first time."""

    def create(context: NodeBuildContext) -> Node:
        node = Node(context.node_name)

        def run() -> None:
            timer.cancel()
            act(node)

        timer = node.create_timer(0.02, run)
        return node

    return create


TASKS: list[tuple[str, Callable[[Node], object]]] = [
    ("task 'fail'", lambda node: node.executor.create_task(fail)),  # type: ignore[union-attr]
    ("task 'fail_soon'", lambda node: node.executor.create_task(fail_soon)),  # type: ignore[union-attr]
    ("task 'fail_later'", lambda node: node.executor.create_task(fail_later, node)),  # type: ignore[union-attr]
]


@pytest.mark.parametrize(("task", "act"), TASKS)
def test_a_task_that_fails_costs_the_node_that_asked_for_it(task: str, act: Callable[[Node], object]) -> None:
    with House(fragile=once(act), echo=echo) as house, peer() as operator:
        status = house.reach("fragile", Phase.FAULTED)
        assert status.reason.startswith(f"{task} failed: {__file__}:")
        assert status.reason.endswith(": ValueError: the task is lost")
        assert status.last_lines[-1] == "ValueError: the task is lost"
        answers(operator)


def test_a_task_whose_error_is_handled_is_no_failure() -> None:
    seen = threading.Event()

    async def careful(node: Node) -> None:
        try:
            await node.executor.create_task(fail_soon)  # type: ignore[union-attr]
        except ValueError:
            seen.set()

    with House(careful=once(lambda node: node.executor.create_task(careful, node))) as house:  # type: ignore[union-attr]
        until(lambda: house.status("careful") and seen.is_set(), "it is handled")
        asyncio.run(asyncio.sleep(0.6))
        assert house.status("careful").phase is Phase.RUNNING


def test_a_done_callback_that_fails_costs_its_node() -> None:
    def act(node: Node) -> None:
        future = node.executor.create_future()  # type: ignore[union-attr]
        future.add_done_callback(lambda _: fail())
        future.set_result(None)

    with House(fragile=once(act), echo=echo) as house, peer() as operator:
        assert house.reach("fragile", Phase.FAULTED).reason.endswith("ValueError: the task is lost")
        answers(operator)


def test_a_node_that_no_factory_made_is_named_when_it_fails() -> None:
    def act(node: Node) -> None:
        extra = Node("stowaway")
        extra.create_subscription(String, "poke", lambda _: fail(), 10)
        node.executor.add_node(extra)  # type: ignore[union-attr]

    with House(host=once(act), echo=echo) as house, peer() as operator:
        operator.sender(String, "poke")(String())
        said = (
            "error",
            "mod-nodes",
            "subscription 'poke' of the node 'stowaway', which no factory made, failed: "
            "ValueError: the task is lost",
        )
        until(lambda: said in house.lines, lambda: str(house.lines))
        answers(operator)
        assert house.status("host").phase is Phase.RUNNING
