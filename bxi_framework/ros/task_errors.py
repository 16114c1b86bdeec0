"""Errors of tasks and coroutines that nodes have handed to their executor: whose they are, who fetches them.

rclpy would keep such an error in the task until the task is collected, and then print a line without a trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary, ref

from rclpy.node import Node
from rclpy.task import Task

GRACE: Final = 0.3
"""Seconds within which code that waits for a task must have fetched its error, so that it is no failure."""


class _Waiting(NamedTuple):
    """A task that has failed and whose error may still be fetched, until ``due`` (s)."""

    task: Task[Any]
    owner: Node | None
    due: float


class TaskErrors:
    """The tasks of one executor; all but `own` on its thread.

    Args:
        now: monotonic seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._owners: WeakKeyDictionary[Task[Any], tuple[ref[Node] | None, str]] = WeakKeyDictionary()
        self._waiting: list[_Waiting] = []

    def own(self, task: Task[Any], owner: Node | None, callback: Callable[..., Any]) -> None:
        """A task was made for a callback, by code of a node if that is known."""
        name = getattr(callback, "__name__", "") or type(callback).__name__
        self._owners[task] = (None if owner is None else ref(owner), f"task '{name}'")

    def owner_of(self, task: Task[Any]) -> Node | None:
        """The node whose code made a task; None if nobody knows."""
        owner, _ = self._owners.get(task, (None, ""))
        return None if owner is None else owner()

    def name_of(self, task: Task[Any]) -> str:
        """A task by the function that it runs."""
        return self._owners.get(task, (None, "task"))[1]

    def note(self, task: Task[Any], owner: Node | None) -> None:
        """A task has run; look at it again later if it has failed."""
        # By the attribute: the method would count as fetching.
        if getattr(task, "_exception", None) is not None:
            self._waiting.append(_Waiting(task, owner, self._now() + GRACE))

    def due(self) -> Iterator[tuple[Node | None, str, BaseException]]:
        """The failures that nobody has fetched in time: whose, which task, and the error."""
        if not self._waiting:
            return
        now = self._now()
        ready = [each for each in self._waiting if each.due <= now]
        self._waiting = [each for each in self._waiting if each.due > now]
        for task, owner, _ in ready:
            fetched = getattr(task, "_exception_fetched", False)
            error = task.exception()
            if error is not None and not fetched:
                yield owner, self.name_of(task), error
