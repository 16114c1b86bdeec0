"""Runs a phase that calls Mod code on a thread of its own, and notices a call that does not return.

The caller waits. So the interrupt of a person at the keyboard reaches the caller while one that a Mod raises
stays with the Mod, threads that a Mod starts end with the process unless it asks otherwise, and a Mod that
hangs costs a thread but never the report.
"""

from __future__ import annotations

import contextvars
import faulthandler
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any, Final, NoReturn

from bxi_framework.diagnostics.fault import Diagnostic
from bxi_framework.diagnostics.guard import Outcome, Place, guarded, place_in_stack

LIMIT: Final = 10.0
"""Seconds that one call into Mod code may take while Mods are loaded."""

MARGIN: Final = 2.0
"""Seconds after the limit at which the process is ended if the call does not even let the caller look."""

STUCK: Final = "mod-code-stuck"
"""The code of the error. It stops the start under any configuration, since the call still has its thread."""

_LOOKS: Final = 8
"""How often the caller looks while one limit passes."""

_LINGER: Final = 0.2
"""Seconds that the job gets to end by itself when the caller is interrupted."""

_STDERR: Final = 2


@dataclass(frozen=True, slots=True)
class ModCall:
    """A call into the code of a Mod whose folder is ``root``; ``what`` says which, such as ``the import of
    'state'``.
    """

    mod: str
    root: Path
    what: str


@dataclass(frozen=True, slots=True)
class Stuck:
    """A call that did not return within ``limit`` seconds, and the Mod's line where it stands."""

    call: ModCall
    place: Place | None
    limit: float

    def diagnostic(self) -> Diagnostic:
        """The error for the report."""
        place = self.place or Place(str(self.call.root / "mod.yaml"), 1)
        return Diagnostic(
            STUCK,
            f"In '{self.call.mod}' {self.call.what} did not return within {self.limit:g} s.",
            mod=self.call.mod,
            file=place.file,
            line=place.line,
            hint="It stands at that line. Nothing may wait or compute for long while Mods are loaded: "
            "load models as resources, wait in on_prepare or in a node.",
        )


class AbandonedError(BaseException):
    """A call came back after it had been given up; ends the thread that made it."""


@contextmanager
def exit_refused() -> Iterator[None]:
    """Meanwhile `os._exit`, which would end the process without a word and with any status, raises
    ``SystemExit`` instead. A process that was forked meanwhile ends by it as ever.
    """
    leave, own = os._exit, os.getpid()

    def refuse(status: int) -> NoReturn:
        if os.getpid() != own:
            leave(status)
        raise SystemExit(f"os._exit({status}) while Mods are loaded")

    os._exit = refuse
    try:
        yield
    finally:
        os._exit = leave


class Watch:
    """Makes calls into Mod code, each of which can be noticed from another thread when it does not return."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._call: ModCall | None = None
        self._abandoned = False
        self.steps = 0
        """Counts beginnings and ends of calls: odd during a call."""

    def call(self, call: ModCall, function: Callable[..., Any], *args: Any) -> Outcome:
        """Call Mod code; what it raises becomes the outcome.

        Raises:
            AbandonedError: the call, or an earlier one, was given up.
        """
        self._step(call)
        with exit_refused():
            outcome: Outcome = _named(call)(function, args)
        self._step(None)
        return outcome

    def give_up(self, steps: int) -> ModCall | None:
        """Abandon the call during which ``steps`` was read, and all that would follow; None if it has
        returned.
        """
        with self._lock:
            if self.steps != steps:
                return None
            self._abandoned = True
            return self._call

    def stop(self) -> None:
        """Let no further call begin or come back."""
        with self._lock:
            self._abandoned = True

    def _step(self, call: ModCall | None) -> None:
        with self._lock:
            if self._abandoned:
                raise AbandonedError
            self._call = call
            self.steps += 1


def run_watched(job: Callable[[Watch], None], limit: float | None = None) -> Stuck | None:
    """Run ``job`` on another thread, and wait until it has ended or a call that it makes through its watch is
    stuck.

    Args:
        job: runs with a copy of the caller's context variables. Once it is stuck it goes no further, even if
            the call returns later.
        limit: seconds for one call; `LIMIT` by default.

    Returns:
        The call that is stuck, None if the job has ended.

    Raises:
        BaseException: whatever the job raises.

    Mod code that holds the interpreter in one call of C code keeps the caller from looking. Then, `MARGIN`
    seconds after the limit, the process ends with status 1 and shows where every thread stands, with the Mod
    named, on the standard error stream. This takes the place of a timer that somebody else has set with
    `faulthandler.dump_traceback_later`.
    """
    limit = LIMIT if limit is None else limit
    watch = Watch()
    try:
        _wind_up(limit)
        return _run(lambda: job(watch), lambda worker, ended: _wait(watch, worker, ended, limit), watch.stop)
    finally:
        faulthandler.cancel_dump_traceback_later()


def run_beside(job: Callable[[], None]) -> None:
    """Run ``job`` on another thread and wait as long as it takes: for Mod code that may be slow.

    Raises:
        BaseException: whatever the job raises.
    """

    def wait(_: threading.Thread, ended: threading.Event) -> None:
        ended.wait()

    _run(job, wait, lambda: None)


def _run(
    job: Callable[[], None],
    wait: Callable[[threading.Thread, threading.Event], Stuck | None],
    stop: Callable[[], None],
) -> Stuck | None:
    """Run the job on a worker until ``wait`` returns; ``stop`` is called if the wait is interrupted."""
    ended = threading.Event()
    failure: list[BaseException] = []

    def work() -> None:
        try:
            job()
        except AbandonedError:
            pass
        except BaseException as error:
            failure.append(error)
        finally:
            ended.set()

    worker = threading.Thread(
        target=contextvars.copy_context().run, args=(work,), name="bxi-mod-code", daemon=True
    )
    worker.start()
    try:
        stuck = wait(worker, ended)
    except BaseException:
        stop()
        ended.wait(_LINGER)
        raise
    if stuck is None:
        worker.join()
        if failure:
            raise failure[0]
    return stuck


def _wait(watch: Watch, worker: threading.Thread, ended: threading.Event, limit: float) -> Stuck | None:
    """Looks are counted, not seconds: a machine that sleeps for a while makes no call late."""
    before, looks = 0, 0
    while not ended.wait(limit / _LOOKS):
        _wind_up(limit)
        now = watch.steps
        looks = looks + 1 if now % 2 and now == before else 0
        before = now
        if looks == _LOOKS:
            frame = sys._current_frames().get(worker.ident or 0)
            call = watch.give_up(now)
            if call is not None:
                return Stuck(call, place_in_stack(frame, call.root), limit)
            looks = 0
    return None


def _wind_up(limit: float) -> None:
    """Set the timer that ends the process unless it is set again in time."""
    faulthandler.dump_traceback_later(limit + MARGIN, exit=True, file=_STDERR)


def _frame(function: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
    return guarded(function, *args)


def _named(call: ModCall) -> Callable[..., Outcome]:
    """`_frame` under the Mod's name, which is all that a look at the stack from C shows."""
    return FunctionType(_frame.__code__.replace(co_name=f"{call.what} in {call.mod}"), globals())
