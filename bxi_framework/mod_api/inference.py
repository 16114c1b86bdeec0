"""Asks a model at the rate of its policy, beside the control loop or in its tick, and never waits long."""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from bxi_framework.mod_api.model import Array, InferenceSummary, Model, ModelError, Runner, refuse_infinite
from bxi_framework.mod_api.resource import ResourceHandle

Fallback: TypeAlias = Literal["last", "hold", "fault"]

_ROUNDING = 1e-9


class Inference:
    """Runs one call of a model per period of a policy. All methods but `prepare` belong to the control
    thread.

    Args:
        model: a handle that loads to a `Model`.
        period: seconds between two calls; ``None``: every tick.
        where: ``worker`` asks beside the loop and uses the answer from the next tick on; ``tick`` waits for
            it, but never longer than the limit.
        limit: seconds after which an answer is late; ``None``: one period. ``tick`` needs one.
        fallback: what takes the place of a late answer, which is dropped: ``last`` is the last answer again,
            ``hold`` the frame that was sent last, ``fault`` a failed state.
        patience: seconds without any answer after which the state has failed.
        warm_up: calls that are made beside the loop before a switch to the state is accepted.

    Raises:
        ValueError: an argument makes no sense.
    """

    def __init__(
        self,
        model: ResourceHandle[Model],
        *,
        period: float | None = None,
        where: Literal["worker", "tick"] = "worker",
        limit: float | None = None,
        fallback: Fallback = "last",
        patience: float = 0.2,
        warm_up: int = 5,
    ) -> None:
        for name, seconds in (("period", period), ("limit", limit), ("patience", patience)):
            if seconds is not None and not (math.isfinite(seconds) and seconds > 0.0):
                raise ValueError(f"'{name}' must be a number of seconds above 0, not {seconds}")
        if where not in ("worker", "tick") or fallback not in get_args(Fallback):
            raise ValueError(f"there is no where='{where}' or no fallback='{fallback}'")
        if where == "tick" and limit is None:
            raise ValueError("where='tick' needs a 'limit', the seconds for which a tick may wait")
        if warm_up < 1:
            raise ValueError(f"'warm_up' must be at least 1, not {warm_up}")
        self.model = model
        self.period, self.where, self.limit = period, where, limit
        self.fallback, self.patience, self.warm_up = fallback, patience, warm_up
        self.late = False
        """True while the fallback takes the place of an answer."""
        self._now: Callable[[], float] = lambda: 0.0
        self._beside = False
        self._runner: Runner | None = None
        self._outputs: dict[str, Array] = {}
        self._worker: _Worker | None = None
        self._call: _Call | None = None
        self._under_way: _Call | None = None
        self._since = self._silent = 0.0
        self._calls = self._late_calls = 0
        self._last = self._worst = self._warm_up_worst = 0.0

    def attach(self, now: Callable[[], float], *, beside: bool, control_period: float) -> None:
        """Done by the framework before the first preparation.

        Args:
            now: monotonic seconds.
            beside: run calls on a thread; otherwise at once, as on the bench.
            control_period: seconds per cycle of the control loop.

        Raises:
            ValueError: the limit does not fit that loop.
        """
        self._now, self._beside = now, beside
        if self.where == "tick" and self.limit is not None and self.limit >= control_period:
            raise ValueError(
                f"a tick may wait {self.limit:g} s for '{self.model.name}', but the loop has a period of "
                f"{control_period:g} s; lower 'limit', or use where='worker'"
            )
        period = self.period or control_period
        if self.limit is not None and self.limit > period + _ROUNDING:
            raise ValueError(
                f"the limit of '{self.model.name}', {self.limit:g} s, is longer than its period, {period:g} s"
            )

    @property
    def outputs(self) -> Mapping[str, Array]:
        """The last answer, by name; zeros before the first one. Empty until `prepare` has run."""
        return self._outputs

    @property
    def summary(self) -> InferenceSummary:
        """The figures; may be read by any thread."""
        return InferenceSummary(self._calls, self._late_calls, self._last, self._worst, self._warm_up_worst)

    def prepare(self) -> None:
        """Load the model and call it until it is warm; slow, so it belongs into `on_prepare`.

        Raises:
            ModelError: an earlier call hangs, a warm-up call fails, or every one takes longer than the limit.
        """
        self._refuse_busy()
        runner = self.model.get().runner()
        times = []
        for _ in range(self.warm_up):
            for array in runner.inputs.values():
                array[...] = 0
            times.append(self._timed(runner))
        self._warm_up_worst = max(self._warm_up_worst, *times)
        allowed = self.limit or self.period
        if allowed is not None and min(times) > allowed:
            raise ModelError(
                f"'{self.model.name}' takes {min(times) * 1e3:.1f} ms a call at best, more than its limit of "
                f"{allowed * 1e3:g} ms; a smaller model, a longer 'period' or more threads would help"
            )
        if self._beside and self._worker is None:
            self._worker = _Worker(self.model.name)
        self._outputs = {name: np.zeros_like(array) for name, array in runner.outputs.items()}
        self._runner = runner

    def reset(self) -> None:
        """Forget the last run: no answer yet, and the next step makes a call."""
        self._call, self.late = None, False
        self._since, self._silent = self.period or 0.0, 0.0
        for array in self._outputs.values():
            array[...] = 0

    def step(self, observe: Callable[[], Mapping[str, ArrayLike]], dt: float) -> Mapping[str, Array] | None:
        """One control tick, ``dt`` seconds after the last one.

        Args:
            observe: the inputs by name; called only when the model is asked.
            dt: seconds.

        Returns:
            The answer if there is a new one, else ``None``.

        Raises:
            ModelError: not prepared, an input does not fit or is not finite, the call failed, the answer is
                not finite, or none came for too long.
        """
        if self._runner is None:
            raise ModelError(f"'{self.model.name}' was not prepared; call prepare() in on_prepare()")
        self._silent += dt
        due = self.period is None or self._since > self.period - _ROUNDING
        fresh = self._collect(dt, due)
        if due:
            self._since = max(0.0, self._since - (self.period or 0.0)) % (self.period or 1.0)
            if self._busy:
                self._miss()
            else:
                fresh = self._ask(self._runner, observe()) or fresh
        self._since += dt
        if fresh is None and self._silent > self.patience:
            raise ModelError(
                f"'{self.model.name}' has not answered for {self._silent:.2f} s; {self._late_calls} calls "
                f"were late, and the longest took {self._worst * 1e3:.0f} ms"
            )
        return fresh

    def close(self) -> None:
        """Let the thread end after the call that is under way."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None

    def _ask(self, runner: Runner, observed: Mapping[str, ArrayLike]) -> Mapping[str, Array] | None:
        self._fill(runner, observed)
        call = self._call = self._under_way = _Call(self, runner)
        self._calls += 1
        if self._worker is None:
            call.run()
        else:
            self._worker.put(call)
        if self.where == "worker":
            return None
        if call.done.wait(self.limit):
            return self._accept(call)
        self._call = None
        self._miss()
        return None

    def _collect(self, dt: float, due: bool) -> Mapping[str, Array] | None:
        """The answer of the call that was made in an earlier tick, if it is there in time."""
        call = self._call
        if call is None:
            return None
        call.age += dt
        if call.done.is_set():
            return self._accept(call)
        if call.age > (self.limit or self.period or dt) - _ROUNDING:
            self._call = None
            # A tick that is due to ask again finds it under way, and counts it itself.
            if not due:
                self._miss()
        return None

    def _accept(self, call: _Call) -> Mapping[str, Array]:
        self._call = None
        if call.error is not None:
            raise ModelError(f"a call of '{self.model.name}' failed: {call.error}") from call.error
        for name, array in call.runner.outputs.items():
            refuse_infinite(f"the output '{name}' of '{self.model.name}'", array)
            np.copyto(self._outputs[name], array)
        self.late, self._silent = False, 0.0
        return self._outputs

    def _miss(self) -> None:
        self._late_calls += 1
        self.late = True
        if self.fallback == "fault":
            allowed = self.limit or self.period
            said = "one tick" if allowed is None else f"{allowed * 1e3:g} ms"
            raise ModelError(f"'{self.model.name}' did not answer within {said}")

    def _fill(self, runner: Runner, observed: Mapping[str, ArrayLike]) -> None:
        for name, array in runner.inputs.items():
            if name not in observed:
                raise ModelError(f"observe() gave no '{name}', which '{self.model.name}' takes")
            value = np.asarray(observed[name])
            if value.size != array.size:
                raise ModelError(
                    f"observe() gave {value.size} numbers for '{name}' of '{self.model.name}', "
                    f"which takes {array.size} in the shape {array.shape}"
                )
            refuse_infinite(f"the observation '{name}'", value)
            array.reshape(-1)[...] = value.reshape(-1)

    def _refuse_busy(self) -> None:
        if self._busy:
            raise ModelError(f"an earlier call of '{self.model.name}' has not returned yet")

    @property
    def _busy(self) -> bool:
        """True while a call runs, be it one that was given up."""
        return self._under_way is not None and not self._under_way.done.is_set()

    def _note(self, took: float) -> None:
        """A call has ended, in time or not."""
        self._last, self._worst = took, max(self._worst, took)

    def _timed(self, runner: Runner) -> float:
        began = self._now()
        runner.run()
        return self._now() - began


class _Call:
    """One call: its age (s) as the control thread counts it, and how it ended."""

    __slots__ = ("_owner", "age", "done", "error", "runner")

    def __init__(self, owner: Inference, runner: Runner) -> None:
        self._owner = owner
        self.runner = runner
        self.age = 0.0
        self.error: BaseException | None = None
        self.done = threading.Event()

    def run(self) -> None:
        """Run it on whatever thread."""
        try:
            self._owner._note(self._owner._timed(self.runner))
        except BaseException as error:
            self.error = error
        self.done.set()


class _Worker:
    """A thread that sleeps until there is a call."""

    def __init__(self, name: str) -> None:
        self._queue: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, name=f"bxi-inference {name}"[:60], daemon=True).start()

    def put(self, call: _Call) -> None:
        """Run a call."""
        self._queue.put(call)

    def end(self) -> None:
        """End after the call that is under way."""
        self._queue.put(None)

    def _run(self) -> None:
        while (call := self._queue.get()) is not None:
            call.run()
