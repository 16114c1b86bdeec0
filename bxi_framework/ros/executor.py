"""Runs callbacks one after another on one thread; one that fails is named and the others go on.

One thread for all: the executor of rclpy with a pool of threads spins while a callback is under way. On two
cores, with one node at 500 Hz beside a 50 Hz loop, that costs a whole core and delays the loop by seconds;
this one costs a third of a core and delays it by 0.2 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any

from rclpy.executors import Executor, ExternalShutdownException, ShutdownException, TimeoutException
from rclpy.node import Node

from bxi_framework.diagnostics.guard import guarded

Fault = Callable[["Node | None", str, BaseException], None]
"""Takes the node whose callback failed, which callback it was, and what it raised."""


class NamingExecutor(Executor):
    """An executor whose `spin_once` never raises what a callback raised.

    Args:
        on_fault: told of each failure, on the thread that spins.
    """

    def __init__(self, on_fault: Fault) -> None:
        super().__init__()
        self._on_fault = on_fault
        self.busy = RLock()
        """Held while a callback runs: whoever holds it may take nodes down."""

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Wait for one callback, at most ``timeout_sec`` seconds, and run it."""
        try:
            handler, entity, node = self.wait_for_ready_callbacks(timeout_sec=timeout_sec)
        except (TimeoutException, ShutdownException, ExternalShutdownException):
            return
        with self.busy:
            error = guarded(handler).error or handler.exception()
            if error is not None:
                self._on_fault(node, callback_name(entity), error)


def callback_name(entity: Any) -> str:
    """Which callback of a node this is, such as ``subscription 'joy'``."""
    kind = type(entity).__name__.lower() if entity is not None else "task"
    name = getattr(entity, "topic", None) or getattr(entity, "srv_name", None)
    return f"{kind} '{name}'" if name else kind
