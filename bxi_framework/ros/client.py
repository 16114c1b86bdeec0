"""Asks a running control node: sends a request and waits for its verdict, or reads its state."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String

from bxi_framework.machine.requests import Verdict
from bxi_framework.ros import qos
from bxi_framework.ros.options import NoAnswerError
from bxi_framework.ros.surroundings import find_log_folder

CONTROL: Final = "bxi_control"


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
            raise NoAnswerError(f"ROS 2 cannot be used: {' '.join(str(error).split())}") from None
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def __enter__(self) -> _Asker:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()

    def wait(self, done: Callable[[], bool]) -> bool:
        """Spin until ``done``; False if the deadline came first."""
        while not done():
            if time.monotonic() > self._deadline:
                return False
            self._executor.spin_once(timeout_sec=0.02)
        return True


def _nobody(namespace: str, timeout: float) -> str:
    domain = os.environ.get("ROS_DOMAIN_ID") or "0"
    place = f"/{namespace.strip('/')}/{CONTROL}" if namespace.strip("/") else f"/{CONTROL}"
    return (
        f"no control node answered as {place} in ROS domain {domain} within {timeout:g} s. "
        "Start one with 'bxi run', or set ROS_DOMAIN_ID and --namespace as it was started."
    )
