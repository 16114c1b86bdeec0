"""Carries wishes to the tick and verdicts back; nobody waits at either end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from queue import SimpleQueue

from rclpy.node import Node

from bxi_framework.machine.requests import Reply, Verdict, Wish

PATIENCE_NS = 1_000_000_000
"""A wish that the loop has not judged by then is answered without it."""


class Postbox:
    """Posts wishes and hands each verdict to its asker on the thread that spins the node.

    Args:
        node: brings the verdicts over from the control thread.
        post: takes a wish for the next tick.
        running: says whether there will be a next tick.
        now_ns: monotonic time.
    """

    def __init__(
        self,
        node: Node,
        post: Callable[[Wish], None],
        running: Callable[[], bool],
        now_ns: Callable[[], int],
    ) -> None:
        self._node = node
        self._post = post
        self._running = running
        self._now_ns = now_ns
        self._numbers = count()
        self._open: dict[int, tuple[int, Reply]] = {}
        self._answers: SimpleQueue[tuple[int, Verdict]] = SimpleQueue()
        self._guard = node.create_guard_condition(self._deliver)

    def post(self, wish: Wish, answer: Reply) -> None:
        """Hand in a wish; ``answer`` is called exactly once, on the node's thread."""
        if not self._running():
            answer(Verdict(False, "the control loop is not running; activate the control node first"))
            return
        number = next(self._numbers)
        self._open[number] = (self._now_ns() + PATIENCE_NS, answer)

        def reply(verdict: Verdict) -> None:
            self._answers.put((number, verdict))
            self._guard.trigger()

        self._post(replace(wish, reply=reply))

    def look_after(self) -> None:
        """Answer what has waited too long; called now and then."""
        self._deliver()
        now = self._now_ns()
        for number, (deadline, answer) in list(self._open.items()):
            if now > deadline:
                del self._open[number]
                seconds = PATIENCE_NS / 1e9
                answer(Verdict(False, f"the control loop gave no answer within {seconds:g} s"))

    def destroy(self) -> None:
        """Answer everybody who still waits and take the way back down."""
        for _, answer in self._open.values():
            answer(Verdict(False, "the control node has ended"))
        self._open.clear()
        self._node.destroy_guard_condition(self._guard)

    def _deliver(self) -> None:
        while not self._answers.empty():
            number, verdict = self._answers.get()
            asked = self._open.pop(number, None)
            if asked is not None:
                asked[1](verdict)
