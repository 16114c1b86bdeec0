"""Answers for the callers of services that fail: ROS itself would let them wait for ever."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from rclpy.service import Service

from bxi_framework.diagnostics.guard import describe_error


class ServiceErrors:
    """Lets a service whose callback raises answer with ``success: false`` and the error as its ``message``.

    A type of answer without a ``success`` cannot tell an error from a result: such a caller gets none, and
    sees that the service is gone once its node is taken down.
    """

    def __init__(self) -> None:
        self._known: WeakSet[Service[Any, Any]] = WeakSet()
        self._error: BaseException | None = None

    def look_after(self, service: Service[Any, Any]) -> None:
        """Have this service answered from its next call on."""
        if service not in self._known:
            self._known.add(service)
            service.callback = self._answering(service.callback)

    def take(self) -> BaseException | None:
        """What the last callback raised although its caller was answered; once."""
        error, self._error = self._error, None
        return error

    def _answering(self, callback: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(callback):

            async def answer_later(request: Any, response: Any) -> Any:
                try:
                    return await callback(request, response)
                except GeneratorExit:
                    raise
                except BaseException as error:
                    return self._answer(type(response), error)

            return answer_later

        def answer(request: Any, response: Any) -> Any:
            try:
                return callback(request, response)
            except BaseException as error:
                return self._answer(type(response), error)

        return answer

    def _answer(self, kind: type[Any], error: BaseException) -> Any:
        answer = kind()
        if not isinstance(getattr(answer, "success", None), bool):
            raise error
        answer.success = False
        if isinstance(getattr(answer, "message", None), str):
            answer.message = f"the service failed: {describe_error(error)}"
        self._error = error
        return answer
