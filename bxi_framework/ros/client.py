"""Asks a running control node: sends a request and waits for its verdict, or reads its state."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, KeyValue
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String

from bxi_framework.machine.requests import Verdict
from bxi_framework.ros import qos
from bxi_framework.ros.options import NoAnswerError
from bxi_framework.ros.surroundings import find_log_folder
from bxi_framework.ros.texts import NODE

CONTROL: Final = "bxi_control"

_NUMBERS: Final[Mapping[str, Callable[[str], object]]] = MappingProxyType(
    {
        "age": float,
        "pid": int,
        "exit_code": int,
        "restarts": int,
        "next_attempt": float,
        "cpu_percent": float,
        "callbacks_per_s": float,
        "longest_callback_ms": float,
    }
)


def ask(verb: str, args: Mapping[str, object], namespace: str, timeout: float) -> Verdict:
    """Send one request and wait for its verdict, at most ``timeout`` seconds.

    Raises:
        NoAnswerError: no control node was found, or it did not answer in time.
    """
    with _Asker(namespace, timeout) as asker:
        asked = uuid.uuid4().hex
        request = String(data=json.dumps({"id": asked, "verb": verb, "args": dict(args)}))
        answers: list[Verdict] = []

        def hear(message: String) -> None:
            answer = json.loads(message.data)
            if answer["id"] == asked:
                answers.append(Verdict(answer["ok"], answer["reason"]))

        asker.node.create_subscription(String, f"{CONTROL}/verdict", hear, qos.answers())
        publisher = asker.node.create_publisher(String, f"{CONTROL}/request", qos.events())
        if not asker.wait(lambda: publisher.get_subscription_count() > 0):
            raise NoAnswerError(_nobody(namespace, timeout))
        publisher.publish(request)
        if not asker.wait(lambda: bool(answers)):
            raise NoAnswerError(f"the control node did not answer within {timeout:g} s")
        return answers[0]


def read_state(namespace: str, timeout: float) -> dict[str, Any]:
    """What the control node last said on ``~/state``; waits at most ``timeout`` seconds.

    Raises:
        NoAnswerError: no control node was found.
    """
    with _Asker(namespace, timeout) as asker:
        states: list[dict[str, Any]] = []
        asker.node.create_subscription(
            String,
            f"{CONTROL}/state",
            lambda message: states.append(json.loads(message.data)),
            qos.standing(),
        )
        if not asker.wait(lambda: bool(states)):
            raise NoAnswerError(_nobody(namespace, timeout))
        return states[-1]


def read_nodes(namespace: str, timeout: float) -> list[dict[str, Any]]:
    """The nodes of Mods as ``/diagnostics`` shows them, each as `NodeStatus.as_dict` makes it; waits at most
    ``timeout`` seconds.

    Raises:
        NoAnswerError: no control node was found.
    """
    with _Asker(namespace, timeout) as asker:
        arrays: list[DiagnosticArray] = []
        owner = _place(namespace)

        def hear(message: DiagnosticArray) -> None:
            if any(status.hardware_id == owner for status in message.status):
                arrays.append(message)

        asker.node.create_subscription(DiagnosticArray, "/diagnostics", hear, qos.events())
        if not asker.wait(lambda: bool(arrays)):
            raise NoAnswerError(_nobody(namespace, timeout))
        head = f"{CONTROL}: {NODE}"
        return [
            {"name": status.name[len(head) :], **{pair.key: _figure(pair) for pair in status.values}}
            for status in arrays[-1].status
            if status.name.startswith(head)
        ]


def _figure(pair: KeyValue) -> object:
    """A value of a node's status as it was before it became text."""
    if pair.key == "last_lines":
        return pair.value.split("\n") if pair.value else []
    if pair.key not in _NUMBERS:
        return pair.value
    return _NUMBERS[pair.key](pair.value) if pair.value else None


class _Asker:
    """A node of its own in a context of its own, with one deadline for everything."""

    def __init__(self, namespace: str, timeout: float) -> None:
        self._context = Context()
        self._deadline = time.monotonic() + timeout
        try:
            find_log_folder()
            rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
            self.node = Node(
                f"bxi_cli_{os.getpid()}",
                context=self._context,
                namespace=namespace or None,
                use_global_arguments=False,
                enable_rosout=False,
                start_parameter_services=False,
            )
        except Exception as error:
            self._context.try_shutdown()
            raise NoAnswerError(f"ROS 2 cannot be used: {' '.join(str(error).split())}") from None
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def __enter__(self) -> _Asker:
        return self

    def __exit__(self, *_: object) -> None:
        # From the top down: what uses a part goes before the part.
        self._executor.remove_node(self.node)
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()
        self._context.destroy()

    def wait(self, done: Callable[[], bool]) -> bool:
        """Spin until ``done``; False if the deadline came first."""
        while not done():
            if time.monotonic() > self._deadline:
                return False
            self._executor.spin_once(timeout_sec=0.02)
        return True


def _place(namespace: str) -> str:
    """Where the control node of a namespace is."""
    return f"/{namespace.strip('/')}/{CONTROL}" if namespace.strip("/") else f"/{CONTROL}"


def _nobody(namespace: str, timeout: float) -> str:
    domain = os.environ.get("ROS_DOMAIN_ID") or "0"
    return (
        f"no control node answered as {_place(namespace)} in ROS domain {domain} within {timeout:g} s. "
        "Start one with 'bxi run', or set ROS_DOMAIN_ID and --namespace as it was started."
    )
