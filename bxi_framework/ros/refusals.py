"""Refuses calls by which code of one Mod would end ROS, or the process, for everybody.

Who called is told to the log and in the error, which the caller's own node or state then fails with.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Final, NamedTuple

import rclpy
import rclpy.utilities
from rclpy.context import Context

from bxi_framework.diagnostics.guard import Place, place_in_stack
from bxi_framework.mod_api.logger import LogSink

_AT_WORK: Final[ContextVar[AtWork | None]] = ContextVar("bxi_at_work", default=None)

_ENDS_ROS: Final = (
    "which would end ROS for the whole framework",
    "A node ends by raising an exception; the framework takes it down.",
)
_ENDS_PROCESS: Final = (
    "which would end the whole framework without its safe ending",
    "A node ends by raising an exception; what must end a process belongs into one of its own.",
)
_SPINS: Final = (
    "which would hold the thread of all nodes in this process",
    "The framework spins the node; use callbacks, 'await' a future in an async one, or 'execution: process'.",
)


class RefusedError(RuntimeError):
    """A call that would harm what the caller shares with others."""


class AtWork(NamedTuple):
    """Whose code this thread is in, such as ``the node 'a.b/c' of 'a.b'``; no ``callback`` is a factory.
    ``name`` is the node's full name.
    """

    who: str
    callback: bool
    name: str


@contextmanager
def at_work(who: str, name: str, *, callback: bool) -> Iterator[None]:
    """Meanwhile calls of this thread are ``who``'s."""
    token = _AT_WORK.set(AtWork(who, callback, name))
    try:
        yield
    finally:
        _AT_WORK.reset(token)


def working() -> AtWork | None:
    """Whose code this thread is in; None for the framework's own and for threads that a Mod has started."""
    return _AT_WORK.get()


class Refusals:
    """While this is entered, such calls are refused to all but the framework. Belongs to the main thread.

    Args:
        log: told of each refusal.
        roots: the folders of the Mods that run, by their ids.
    """

    def __init__(self, log: LogSink, roots: Callable[[], Mapping[str, Path]]) -> None:
        self._log = log
        self._roots = roots
        self._own = os.getpid()
        self._shared = rclpy.utilities.get_default_context()
        self._undo: list[Callable[[], None]] = []

    def __enter__(self) -> Refusals:
        for module in (rclpy, rclpy.utilities):
            for name in ("shutdown", "try_shutdown", "_shutdown", "_try_shutdown"):
                if hasattr(module, name):
                    self._replace(module, name, self._shutdown_of(getattr(module, name), name.lstrip("_")))
        for name in ("shutdown", "try_shutdown", "destroy"):
            if hasattr(self._shared, name):
                self._replace(self._shared, name, self._refusing(f"Context.{name}()", *_ENDS_ROS))
        self._replace(rclpy, "spin", self._refusing("rclpy.spin()", *_SPINS))
        for name in ("spin_once", "spin_until_future_complete"):
            self._replace(rclpy, name, self._outside_callbacks(getattr(rclpy, name), f"rclpy.{name}()"))
        for name in ("_exit", "abort", "execv", "execve"):
            self._replace(os, name, self._for_children(getattr(os, name), f"os.{name}()"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._undo:
            self._undo.pop()()

    def _replace(self, owner: Any, name: str, function: Callable[..., Any]) -> None:
        own = vars(owner).get(name)
        setattr(owner, name, function)
        self._undo.append(lambda: delattr(owner, name) if own is None else setattr(owner, name, own))

    def _shutdown_of(self, original: Callable[..., None], name: str) -> Callable[..., None]:
        def shutdown(*, context: Context | None = None, **more: Any) -> None:
            if context is None or context is self._shared:
                self._refuse(f"rclpy.{name}()", *_ENDS_ROS)
            original(context=context, **more)

        return shutdown

    def _refusing(self, what: str, effect: str, advice: str) -> Callable[..., None]:
        def refuse(*_: Any, **__: Any) -> None:
            self._refuse(what, effect, advice)

        return refuse

    def _outside_callbacks(self, original: Callable[..., None], what: str) -> Callable[..., None]:
        def spin(*args: Any, **more: Any) -> None:
            inside = working()
            if inside is not None and inside.callback:
                self._refuse(what, *_SPINS)
            original(*args, **more)

        return spin

    def _for_children(self, original: Callable[..., Any], what: str) -> Callable[..., Any]:
        def end(*args: Any, **more: Any) -> Any:
            if os.getpid() == self._own:
                self._refuse(what, *_ENDS_PROCESS)
            # A process that was forked meanwhile.
            return original(*args, **more)

        return end

    def _refuse(self, what: str, effect: str, advice: str) -> None:
        who, place = self._caller(sys._getframe(2))
        said = f"{who} called {what}, {effect}; that is refused. {advice}"
        where = "" if place is None else f"{place.file}:{place.line}: "
        self._log("error", "refused", f"{where}{said}")
        raise RefusedError(said)

    def _caller(self, frame: FrameType | None) -> tuple[str, Place | None]:
        inside = working()
        for mod, root in self._roots().items():
            place = place_in_stack(frame, root)
            if place is not None:
                return (f"code of '{mod}'" if inside is None else inside.who), place
        return ("code of a Mod" if inside is None else inside.who), None
