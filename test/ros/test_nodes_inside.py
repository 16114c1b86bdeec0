"""Nodes inside this process: whatever one of them does, the others and their supervisor go on."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from ros.peer import Peer, peer
from std_msgs.msg import String
from std_srvs.srv import Empty, SetBool, Trigger
from supervision.living import until

from bxi_framework.manifest.node_decl import NodeDecl, RestartDecl
from bxi_framework.mod_api import NodeBuildContext
from bxi_framework.ros.nodes import InProcessBackend
from bxi_framework.supervision import Life, NodeSpec, NodeStatus, Phase, Sight, Supervisor

ONCE = RestartDecl(max_attempts=0)
AGAIN = RestartDecl(max_attempts=2, delay=0.0, backoff=1.0)
PATIENT = 60.0

Factory = Callable[[NodeBuildContext], Any]


@pytest.fixture(scope="module", autouse=True)
def _ros() -> Iterator[None]:
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    yield
    rclpy.shutdown()


class House:
    """A supervisor over nodes made by the test's own factories."""

    def __init__(self, restart: RestartDecl = ONCE, **factories: Factory) -> None:
        self.lines: list[tuple[str, str, str]] = []
        self.backend = InProcessBackend(self._log, PATIENT)
        specs = [_spec(name, factory, restart) for name, factory in factories.items()]
        self.supervisor = Supervisor(specs, self.backend, time.monotonic, self._log)
        self.supervisor.start()
        self.supervisor.poll()

    def _log(self, level: str, source: str, said: str) -> None:
        self.lines.append((level, source, said))

    def __enter__(self) -> House:
        return self

    def __exit__(self, *_: object) -> None:
        self.supervisor.stop()
        until(lambda: self.supervisor.poll() or self.supervisor.idle, "all nodes end")
        self.backend.close()

    def status(self, name: str) -> NodeStatus:
        self.supervisor.poll()
        return next(status for status in self.supervisor.statuses if status.name == f"test.mod/{name}")

    def reach(self, name: str, phase: Phase) -> NodeStatus:
        until(lambda: self.status(name).phase is phase, lambda: f"{name} is {phase.value}; {self.lines}")
        return self.status(name)


def _spec(name: str, factory: Factory, restart: RestartDecl) -> NodeSpec:
    full = f"test.mod/{name}"
    decl = NodeDecl(full, name, "nodes:create_node", restart=restart)
    context = NodeBuildContext(name, "test.mod", {}, (), "", {})
    return NodeSpec(full, "test.mod", Path(__file__).parent, name, (), context, decl, factory)


def echo(context: NodeBuildContext) -> Node:
    """A node that says everything again."""
    node = Node(context.node_name)
    said = node.create_publisher(String, f"{context.node_name}/said", 10)
    node.create_subscription(String, f"{context.node_name}/say", said.publish, 10)
    return node


def answers(operator: Peer, name: str = "echo") -> None:
    """The echo of that name works."""
    said = operator.hear(String, f"{name}/said", 10)  # type: ignore[arg-type]
    said.clear()
    say = operator.sender(String, f"{name}/say")

    def heard() -> bool:
        say(String(data="hello"))
        return bool(said)

    operator.until(heard, f"an answer of {name}")


def fail(*_: object) -> None:
    raise RuntimeError("told to\nbreak")


def failing(make: Callable[[Node], object]) -> Factory:
    """A node that ``make`` gives a callback which raises."""

    def create(context: NodeBuildContext) -> Node:
        node = Node(context.node_name)
        make(node)
        return node

    return create


async def fail_later(*_: object) -> None:
    fail()


KINDS: list[tuple[str, Callable[[Node], object]]] = [
    ("timer", lambda node: node.create_timer(0.01, fail)),
    ("subscription 'poke'", lambda node: node.create_subscription(String, "poke", fail, 10)),
    ("subscription 'poke'", lambda node: node.create_subscription(String, "poke", fail_later, 10)),
    ("service 'call'", lambda node: node.create_service(Trigger, "call", fail)),
]


@pytest.mark.parametrize(("callback", "make"), KINDS)
def test_a_callback_that_raises_is_named_and_costs_its_node_alone(
    callback: str, make: Callable[[Node], object]
) -> None:
    with House(echo=echo, fragile=failing(make)) as house, peer() as operator:
        house.reach("echo", Phase.RUNNING)
        if "poke" in callback:
            house.reach("fragile", Phase.RUNNING)
            operator.sender(String, "poke")(String())
        if "call" in callback:
            answer = operator.call(Trigger, "call", Trigger.Request())
            assert answer.success is False
            assert answer.message == "the service failed: RuntimeError: told to break"
        status = house.reach("fragile", Phase.FAULTED)
        assert status.reason.startswith(f"{callback} failed: {__file__}:")
        assert status.reason.endswith(": RuntimeError: told to break")
        assert status.last_lines[-2:] == ("RuntimeError: told to", "break")
        assert any(
            f'File "{__file__}", line ' in line and line.endswith("in fail") for line in status.last_lines
        )
        assert status.last_lines[0].startswith(f'File "{__file__}"'), "nothing of the framework"
        assert ("error", "test.mod/fragile", f"node of 'test.mod' failed: {status.reason}") in house.lines
        answers(operator)
        until(lambda: "fragile" not in operator.node.get_node_names(), "the failed node is off the graph")


def test_callers_get_an_error_where_the_answer_has_room_for_one() -> None:
    with (
        House(flag=failing(lambda node: node.create_service(SetBool, "flag", fail))) as house,
        peer() as operator,
    ):
        answer = operator.call(SetBool, "flag", SetBool.Request(data=True))
        assert (answer.success, answer.message) == (False, "the service failed: RuntimeError: told to break")
        house.reach("flag", Phase.FAULTED)


def test_callers_without_room_for_an_error_see_the_service_go() -> None:
    with (
        House(empty=failing(lambda node: node.create_service(Empty, "nothing", fail))) as house,
        peer() as operator,
    ):
        client = operator.node.create_client(Empty, "nothing")
        operator.until(client.service_is_ready)
        future = client.call_async(Empty.Request())
        status = house.reach("empty", Phase.FAULTED)
        assert status.reason.startswith("service 'nothing' failed: ")
        operator.until(lambda: not client.service_is_ready())
        assert not future.done()


def test_a_failed_node_starts_again_if_its_manifest_asks_for_it() -> None:
    with House(AGAIN, fragile=failing(lambda node: node.create_timer(0.01, fail))) as house:
        status = house.reach("fragile", Phase.FAULTED)
        assert status.restarts == 2
        made = [line for line in house.lines if line[2].startswith("RuntimeError: told to")]
        assert len(made) == 3


def test_what_has_failed_leaves_nothing_behind() -> None:
    made: list[weakref.ref[Node]] = []

    def create(context: NodeBuildContext) -> Node:
        node = Node(context.node_name)
        node.create_timer(0.005, fail)
        node.create_timer(0.005, fail)
        made.append(weakref.ref(node))
        return node

    attempts = RestartDecl(max_attempts=20, delay=0.0, backoff=1.0)
    with House(attempts, fragile=create, echo=echo) as house, peer() as operator:
        house.reach("fragile", Phase.FAULTED)
        assert len(made) == 21
        house.reach("echo", Phase.RUNNING)
        answers(operator)
        until(lambda: gc.collect() is None or not any(node() for node in made), "the nodes are gone")
    assert "mod-nodes" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        (lambda context: None, "create_node() returned a NoneType, expected a rclpy node"),
        (lambda context: fail(), "RuntimeError: told to break"),
        (lambda context: exec("raise SystemExit(3)"), "SystemExit: 3"),
    ],
)
def test_a_factory_that_makes_no_node_is_named(factory: Factory, reason: str) -> None:
    with House(odd=factory, echo=echo) as house, peer() as operator:
        assert house.reach("odd", Phase.FAULTED).reason.endswith(reason)
        answers(operator)


def test_a_slow_factory_holds_up_nobody() -> None:
    gate = threading.Event()

    def slow(context: NodeBuildContext) -> Node:
        assert gate.wait(20.0)
        return Node(context.node_name)

    with House(echo=echo, slow=slow) as house, peer() as operator:
        assert house.reach("slow", Phase.STARTING).reason.startswith("it waits for ")
        answers(operator)
        begin = time.monotonic()
        assert house.status("slow").phase is Phase.STARTING
        assert time.monotonic() - begin < 10.0, "the look does not wait for the factory"
        gate.set()
        house.reach("slow", Phase.RUNNING)


class Trap:
    """Holds whoever comes, until it is opened."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self._gate = threading.Event()

    def __call__(self) -> None:
        self.entered.set()
        self._gate.wait(60.0)

    def open(self) -> None:
        self._gate.set()


def lose_patience(house: House, trap: Trap, happened: Callable[[], object]) -> None:
    """Somebody is in the trap for too long."""
    until(lambda: house.supervisor.poll() or trap.entered.is_set(), "the trap is entered")
    house.backend._longest = 0.2
    until(happened, "it is given up")
    house.backend._longest = PATIENT


def test_a_factory_that_never_returns_is_given_up_and_the_next_node_is_made() -> None:
    trap = Trap()

    def hanging(context: NodeBuildContext) -> Node:
        trap()
        return Node(context.node_name)

    with House(AGAIN, hanging=hanging, echo=echo) as house, peer() as operator:
        lose_patience(house, trap, lambda: house.status("hanging").phase is Phase.FAULTED)
        status = house.status("hanging")
        assert (status.reason, status.restarts) == ("create_node() has not returned for 0.2 s", 0)
        house.reach("echo", Phase.RUNNING)
        answers(operator)
        assert house.backend.stuck
        trap.open()
        until(lambda: not house.backend.stuck, "the thread ends with its factory")
        until(lambda: "hanging" not in operator.node.get_node_names(), "what comes too late is taken down")


def test_a_callback_that_never_returns_is_given_up_and_the_others_go_on() -> None:
    trap = Trap()

    def create(context: NodeBuildContext) -> Node:
        node = Node(context.node_name)
        node.create_timer(0.01, trap)
        return node

    with House(AGAIN, echo=echo, hanging=create) as house, peer() as operator:
        house.reach("echo", Phase.RUNNING)
        lose_patience(house, trap, lambda: house.status("hanging").phase is Phase.FAULTED)
        assert house.status("hanging").reason == "timer does not return"
        answers(operator)
        assert house.backend.stuck
        trap.open()
        until(lambda: not house.backend.stuck, "the thread ends with its callback")
        until(lambda: "hanging" not in operator.node.get_node_names(), "the node is taken down then")
        answers(operator)


def test_a_node_is_taken_down_between_two_callbacks() -> None:
    gate = threading.Event()
    entered = threading.Event()
    ends: list[str] = []

    class Slow(Node):
        def __init__(self, context: NodeBuildContext) -> None:
            super().__init__(context.node_name)
            self.create_timer(0.01, self._work)

        def _work(self) -> None:
            entered.set()
            gate.wait(20.0)
            ends.append("callback")

        def destroy_node(self) -> None:
            ends.append("destroy_node")
            super().destroy_node()

    with House(slow=Slow) as house:
        until(lambda: house.status("slow") and entered.is_set(), "it works")
        house.supervisor.stop()
        assert house.status("slow").phase is Phase.STOPPING
        gate.set()
        house.reach("slow", Phase.STOPPED)
        assert ends == ["callback", "destroy_node"]


def test_a_take_down_that_fails_is_told_and_passed_over() -> None:
    class Odd(Node):
        def destroy_node(self) -> None:
            super().destroy_node()
            raise OSError("no way out")

    with House(odd=lambda context: Odd(context.node_name)) as house:
        house.reach("odd", Phase.RUNNING)
        house.supervisor.stop()
        house.reach("odd", Phase.STOPPED)
        assert ("warning", "test.mod/odd", "destroy_node() failed: OSError: no way out") in house.lines


def test_what_still_runs_when_all_is_closed_is_taken_down() -> None:
    lines: list[tuple[str, str, str]] = []
    backend = InProcessBackend(lambda *line: lines.append(line))
    backend.start(_spec("echo", echo, ONCE))
    until(lambda: backend.look("test.mod/echo") == Sight(Life.RUNNING), "it runs")
    backend.close()
    assert not backend.stuck
    with peer() as operator:
        operator.spin(0.1)
        assert "echo" not in operator.node.get_node_names()
    assert lines == []
