"""The thread that steps a simulation; everything that touches the run happens on it."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

# A class of its own before Python 3.11.
from concurrent.futures import TimeoutError as TooLate
from typing import Any

from bxi_framework.simulation import Simulation, SimulationInstance

from .pace import Pace

Wish = Callable[[SimulationInstance], Any]
_IDLE = 0.01
"""Seconds between two looks for wishes while the run stands still."""


class Runner:
    """Steps one run until `close`.

    Args:
        simulation: what to run.
        seed: the seed of the first run; None for the manifest's.
        factor: simulated seconds for each real one; 0 for as fast as it goes.
        stepped: called on the runner's thread after each control period and after a reset.
        failed: called on the runner's thread when the run, or what sends its readings, has failed; it stands
            still until a reset.
    """

    def __init__(
        self,
        simulation: Simulation,
        seed: int | None,
        factor: float,
        stepped: Callable[[SimulationInstance], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._stepped = stepped
        self._failed = failed
        self._wishes: queue.SimpleQueue[tuple[Wish, Future[Any]]] = queue.SimpleQueue()
        self._ending = threading.Event()
        self.instance = simulation.open(seed)
        self._pace = Pace(self.instance.period, factor)
        self.paused = False
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="simulation", daemon=True)

    def start(self) -> None:
        """Begin to step."""
        self._thread.start()

    def ask(self, wish: Wish, patience: float) -> Any:
        """Have ``wish`` called between two control periods, and give what it gave.

        Raises:
            TimeoutError: it has not returned within ``patience`` seconds; if it has not begun by then, it is
                dropped.
        """
        answer: Future[Any] = Future()
        self._wishes.put((wish, answer))
        try:
            return answer.result(patience)
        except TooLate:
            if answer.done():
                raise  # The wish itself ran out of time.
            begun = not answer.cancel()
            what = "it may still come into effect" if begun else "it was dropped"
            raise TimeoutError(f"the simulation has not answered within {patience:g} s; {what}") from None

    def tell(self, wish: Wish) -> None:
        """Have ``wish`` called between two control periods, without waiting."""
        self._wishes.put((wish, Future()))

    def pause(self, paused: bool) -> None:
        """Stand still, or go on."""
        self.paused = paused

    def reset(self, seed: int | None) -> None:
        """Begin anew; to be called on the runner's thread, through `ask`."""
        try:
            self.instance.reset(seed)
        except BaseException as error:
            self.failure = error
            raise
        self.failure = None
        self._stepped(self.instance)

    def close(self, patience: float) -> None:
        """End the thread and the run.

        Raises:
            TimeoutError: the thread has not ended within ``patience`` seconds.
        """
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(patience)
            if self._thread.is_alive():
                raise TimeoutError(f"the simulation has not come to an end within {patience:g} s")
        self.instance.close()

    def _run(self) -> None:
        self._pace.start(time.monotonic())
        self._try(lambda: self._stepped(self.instance))
        while not self._ending.is_set():
            self._serve()
            if self.paused or self.failure is not None:
                self._ending.wait(_IDLE)
                self._pace.start(time.monotonic())
                continue
            self._try(self._step)
            pause = self._pace.wait(time.monotonic())
            if pause > 0.0:
                self._ending.wait(pause)

    def _serve(self) -> None:
        while not self._wishes.empty():
            wish, answer = self._wishes.get()
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                answer.set_result(wish(self.instance))
            except BaseException as error:
                answer.set_exception(error)

    def _step(self) -> None:
        self.instance.step()
        self._stepped(self.instance)

    def _try(self, work: Callable[[], None]) -> None:
        """Whatever goes wrong, this thread lives on: a reset needs it."""
        try:
            work()
        except BaseException as error:
            self.failure = error
            self._failed(error)
