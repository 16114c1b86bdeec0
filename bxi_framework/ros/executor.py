"""Runs callbacks one after another on one thread; one that fails is named and the others go on.

One thread for all: the executor of rclpy with a pool of threads spins while a callback is under way. On two
cores, with one node at 500 Hz beside a 50 Hz loop, that costs a whole core and delays the loop by seconds;
this one costs a third of a core and delays it by 0.2 ms.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from threading import get_ident
from typing import Any, Final, NamedTuple

from rclpy.executors import Executor, ExternalShutdownException, ShutdownException, TimeoutException
from rclpy.node import Node
from rclpy.service import Service
from rclpy.task import Task

from bxi_framework.diagnostics.guard import guarded
from bxi_framework.ros.node_health import NodeGoneError, trouble_of
from bxi_framework.ros.refusals import RefusedError, at_work
from bxi_framework.ros.service_errors import ServiceErrors
from bxi_framework.ros.task_errors import TaskErrors

Fault = Callable[["Node | None", str, BaseException], None]
"""Takes the node whose callback failed, which callback it was, and what it raised."""

Spent = Callable[[Node, str, int, int], None]
"""Takes the node, which callback it was, the CPU time (ns) of the thread since the last callback, and
how long (ns) the callback ran.
"""


def _keep_nothing(*spent: object) -> None:
    """Nobody wants to know."""


class Working(NamedTuple):
    """The callback under way: whose, which, and since when (s, monotonic)."""

    node: Node | None
    callback: str
    since: float


class NamingExecutor(Executor):
    """An executor whose `spin_once` never raises what a callback raised.

    Args:
        on_fault: told of each failure, on the thread that spins.
        whose: who a node is, in a sentence and by its full name; None if callbacks are the framework's own.
        on_spent: told what each callback took, on the thread that spins.
    """

    is_shared: Final = True
    """It belongs to the framework, not to the nodes on it."""

    def __init__(
        self,
        on_fault: Fault,
        whose: Callable[[Node], tuple[str, str]] | None = None,
        on_spent: Spent = _keep_nothing,
    ) -> None:
        super().__init__()
        self._on_spent = on_spent
        self._cpu = 0
        self._on_fault = on_fault
        self._whose = whose
        self._services = ServiceErrors()
        self._task_errors = TaskErrors(time.monotonic)
        self._removed: deque[Node] = deque()
        self._thread: int | None = None
        self.working: Working | None = None
        """The callback under way, None between two. A node that was removed while it is not named here gets
        no more callbacks.
        """

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Wait for one callback, at most ``timeout_sec`` seconds, and run it.

        Raises:
            RefusedError: a callback of this executor calls it.
        """
        self._refuse_inside("spin_once()")
        while self._removed:
            self._let_go(self._removed.popleft())
        for lost in self._task_errors.due():
            self._on_fault(*lost)
        try:
            handler, entity, node = self.wait_for_ready_callbacks(timeout_sec=timeout_sec)
        except (TimeoutException, ShutdownException, ExternalShutdownException):
            self._cpu = time.thread_time_ns()
            return
        free = entity is None and node is None
        name = self._task_errors.name_of(handler) if free else callback_name(entity)
        node = self._task_errors.owner_of(handler) if free else node
        self._thread = get_ident()
        self.working = Working(node, name, time.monotonic())
        try:
            # Only now: whoever removes a node looks at `working` afterwards.
            if node is not None and node not in self.get_nodes():
                handler.cancel()
                return
            if isinstance(entity, Service):
                self._services.look_after(entity)
            error = self._run(handler, node)
            if free and error is None:
                self._task_errors.note(handler, node)
            elif error is None:
                error = handler.exception()
            error = error or self._services.take() or self._trouble(node)
            if error is not None:
                self._on_fault(node, name, error)
        finally:
            since, self.working = self.working.since, None
            cpu, self._cpu = self._cpu, time.thread_time_ns()
            if node is not None:
                self._on_spent(node, name, self._cpu - cpu, round((time.monotonic() - since) * 1e9))

    def create_task(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> Task[Any]:
        """Run a callback or coroutine soon; what it raises and nobody fetches fails the node that asked."""
        task: Task[Any] = super().create_task(callback, *args, **kwargs)
        bound = getattr(callback, "__self__", None)
        inside = self.working if self._thread == get_ident() else None
        owner = inside.node if inside is not None else bound if isinstance(bound, Node) else None
        self._task_errors.own(task, owner, callback)
        return task

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """End.

        Raises:
            RefusedError: a callback of this executor calls it.
        """
        self._refuse_inside("shutdown()")
        return super().shutdown(timeout_sec)

    def remove_node(self, node: Node) -> None:
        """Give the node no more callbacks, and let go of those that wait."""
        super().remove_node(node)
        self._removed.append(node)

    def _run(self, handler: Task[Any], node: Node | None) -> BaseException | None:
        if self._whose is None or node is None:
            return guarded(handler).error
        with at_work(*self._whose(node), callback=True):
            return guarded(handler).error

    def _trouble(self, node: Node | None) -> BaseException | None:
        """What a callback has done to its node so that it can have no more."""
        if self._whose is None or node is None:
            return None
        trouble = trouble_of(node, self)
        return None if not trouble else NodeGoneError(trouble)

    def _refuse_inside(self, what: str) -> None:
        if self.working is not None and self._thread == get_ident():
            raise RefusedError(
                f"the executor's {what} was called in one of its callbacks, and is refused: "
                "all nodes inside this process share it"
            )

    def _let_go(self, node: Node) -> None:
        """Cancel what waits of a node that was removed: it would be kept for ever, and the node with it. Not
        every release of rclpy holds it here.
        """
        if node not in self.get_nodes():
            for task, _, owner in tuple(getattr(self, "_tasks", ())):
                if owner is node or (owner is None and self._task_errors.owner_of(task) is node):
                    task.cancel()


def callback_name(entity: Any) -> str:
    """Which callback of a node this is, such as ``subscription 'joy'``."""
    kind = type(entity).__name__.lower() if entity is not None else "task"
    name = getattr(entity, "topic", None) or getattr(entity, "srv_name", None)
    return f"{kind} '{name}'" if name else kind
