"""Stop, resume, events and wishes from outside, each answered with a verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import Trigger

from bxi_framework.machine.requests import Reply, Resume, SendEvent, Stop, Verdict, Wish
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.ros import qos
from bxi_framework.ros.postbox import Postbox
from bxi_framework.ros.texts import unusable
from bxi_framework.ros.wishes import (
    Refusal,
    RequestId,
    RestartNode,
    SaveRecord,
    StopNode,
    read_request,
    verdict_text,
)
from bxi_framework.supervision import Supervisor


class Requests:
    """The topics ``~/event``, ``~/request``, ``~/verdict`` and the services ``~/stop`` and ``~/resume``.

    Args:
        node: hears and answers.
        postbox: carries wishes to the tick.
        supervisor: takes the wishes about nodes of Mods.
        stop_state: named in the answer to a stop.
        save: writes the flight record for a reason, beside the loop.
        log: told of what could not be done.
    """

    def __init__(
        self,
        node: Node,
        postbox: Postbox,
        supervisor: Supervisor,
        stop_state: str,
        save: Callable[[str, Reply], None],
        log: LogSink,
    ) -> None:
        self._node = node
        self._postbox = postbox
        self._supervisor = supervisor
        self._stop_state = stop_state
        self._save = save
        self._log = log
        self._told: set[str] = set()
        self._verdicts = node.create_publisher(String, "~/verdict", qos.answers())
        self._subscriptions = [
            node.create_subscription(String, "~/event", self._event, qos.events()),
            node.create_subscription(String, "~/request", self._request, qos.events()),
        ]
        # In the node's own group a service that waits for its verdict would keep the verdict from coming.
        group = ReentrantCallbackGroup()
        self._services = [
            node.create_service(Trigger, "~/stop", self._on_stop, callback_group=group),
            node.create_service(Trigger, "~/resume", self._on_resume, callback_group=group),
        ]

    def stop(self, reason: str) -> None:
        """Stop now; nobody waits for the verdict."""
        self._postbox.post(Stop(reason), lambda verdict: self._tell("stop", verdict))

    def destroy(self) -> None:
        """Take topics and services down."""
        for service in self._services:
            self._node.destroy_service(service)
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._node.destroy_publisher(self._verdicts)

    def _event(self, message: String) -> None:
        trouble = unusable(message.data, "the name on ~/event")
        if trouble:
            self._tell_once(f"an event is refused: {trouble}")
            return
        # The engine itself says in the log what it ignores, and why.
        self._postbox.post(SendEvent(message.data), _no_answer)

    def _request(self, message: String) -> None:
        request = read_request(message.data)
        if isinstance(request, Refusal):
            self._answer(request.id, Verdict(False, request.reason))
            return
        asked = request.id

        def answer(verdict: Verdict) -> None:
            self._answer(asked, verdict)

        wish = request.wish
        if isinstance(wish, SaveRecord):
            self._save(wish.reason, answer)
        elif isinstance(wish, RestartNode):
            self._supervisor.restart(wish.name, answer)
        elif isinstance(wish, StopNode):
            self._supervisor.halt(wish.name, answer)
        else:
            self._postbox.post(wish, answer)

    def _answer(self, request_id: RequestId, verdict: Verdict) -> None:
        self._verdicts.publish(String(data=verdict_text(request_id, verdict.ok, verdict.reason)))

    async def _on_stop(self, _: Any, response: Any) -> Any:
        verdict = await self._judged(Stop("service ~/stop"))
        response.success = verdict.ok
        response.message = (
            f"stopped: '{self._stop_state}' is in control until ~/resume; {verdict.reason}"
            if verdict.ok
            else verdict.reason
        )
        return response

    async def _on_resume(self, _: Any, response: Any) -> Any:
        verdict = await self._judged(Resume())
        response.success = verdict.ok
        response.message = (
            "resumed: nothing moves until a state is asked for" if verdict.ok else verdict.reason
        )
        return response

    async def _judged(self, wish: Wish) -> Verdict:
        future: Future[Verdict] = Future(executor=self._node.executor)
        answer: Reply = future.set_result
        self._postbox.post(wish, answer)
        return await future or Verdict(False)

    def _tell_once(self, said: str) -> None:
        if said not in self._told:
            self._told.add(said)
            self._log("warning", "events", f"{said}; told once")

    def _tell(self, what: str, verdict: Verdict) -> None:
        if not verdict.ok:
            self._log("warning", what, verdict.reason)


def _no_answer(verdict: Verdict) -> None:
    """Nobody asked for one."""
