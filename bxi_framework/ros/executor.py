"""Runs callbacks one after another on one thread; one that fails is named and the others go on.

One thread for all: the executor of rclpy with a pool of threads spins while a callback is under way. On two
cores, with one node at 500 Hz beside a 50 Hz loop, that costs a whole core and delays the loop by seconds;
this one costs a third of a core and delays it by 0.2 ms.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from rclpy.executors import Executor, ExternalShutdownException, ShutdownException, TimeoutException
from rclpy.node import Node
from rclpy.service import Service

from bxi_framework.diagnostics.guard import guarded
from bxi_framework.ros.service_errors import ServiceErrors

Fault = Callable[["Node | None", str, BaseException], None]
"""Takes the node whose callback failed, which callback it was, and what it raised."""


class Working(NamedTuple):
    """The callback under way: whose, which, and since when (s, monotonic)."""

    node: Node | None
    callback: str
    since: float


class NamingExecutor(Executor):
    """An executor whose `spin_once` never raises what a callback raised.

    Args:
        on_fault: told of each failure, on the thread that spins.
    """

    def __init__(self, on_fault: Fault) -> None:
        super().__init__()
        self._on_fault = on_fault
        self._services = ServiceErrors()
        self._removed: deque[Node] = deque()
        self.working: Working | None = None
        """The callback under way, None between two. A node that was removed while it is not named here gets
        no more callbacks.
        """

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Wait for one callback, at most ``timeout_sec`` seconds, and run it."""
        while self._removed:
            self._let_go(self._removed.popleft())
        try:
            handler, entity, node = self.wait_for_ready_callbacks(timeout_sec=timeout_sec)
        except (TimeoutException, ShutdownException, ExternalShutdownException):
            return
        self.working = Working(node, callback_name(entity), time.monotonic())
        try:
            # Only now: whoever removes a node looks at `working` afterwards.
            if node is not None and node not in self.get_nodes():
                handler.cancel()
                return
            if isinstance(entity, Service):
                self._services.look_after(entity)
            error = guarded(handler).error or handler.exception() or self._services.take()
            if error is not None:
                self._on_fault(node, self.working.callback, error)
        finally:
            self.working = None

    def remove_node(self, node: Node) -> None:
        """Give the node no more callbacks, and let go of those that wait."""
        super().remove_node(node)
        self._removed.append(node)

    def _let_go(self, node: Node) -> None:
        """Cancel what waits of a node that was removed: it would be kept for ever, and the node with it. Not
        every release of rclpy holds it here.
        """
        if node not in self.get_nodes():
            for task, _, owner in tuple(getattr(self, "_tasks", ())):
                if owner is node:
                    task.cancel()


def callback_name(entity: Any) -> str:
    """Which callback of a node this is, such as ``subscription 'joy'``."""
    kind = type(entity).__name__.lower() if entity is not None else "task"
    name = getattr(entity, "topic", None) or getattr(entity, "srv_name", None)
    return f"{kind} '{name}'" if name else kind
