"""Asking a model: once a period, never waiting for long, with a fallback for what comes late."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from mod_api.onnx_writer import linear, logarithm, put

from bxi_framework.mod_api import Inference, ModelError, OnnxModel
from bxi_framework.mod_api.model import Array

TICK = 0.02


class Stub:
    """A model that adds up its input; it can be held until a test lets it go."""

    name = "stub"
    ready = True

    def __init__(self) -> None:
        self.inputs: Mapping[str, Array] = {"obs": np.zeros(3, dtype=np.float32)}
        self.outputs: Mapping[str, Array] = {"sum": np.zeros(1, dtype=np.float32)}
        self.threads: list[str] = []
        self.open = threading.Event()
        self.open.set()
        self.error: Exception | None = None
        self.takes: Callable[[], float] = lambda: 0.0
        self.clock = 0.0

    def get(self) -> Stub:
        return self

    def runner(self) -> Stub:
        return self

    def run(self) -> None:
        self.threads.append(threading.current_thread().name)
        self.clock += self.takes()
        assert self.open.wait(60.0)
        if self.error is not None:
            raise self.error
        self.outputs["sum"][0] = self.inputs["obs"].sum()


@pytest.fixture
def stub() -> Iterator[Stub]:
    stub = Stub()
    yield stub
    stub.open.set()


def ready(stub: Stub, *, beside: bool = False, loop: float = TICK, **options: object) -> Inference:
    """An inference that may be stepped, in a loop with a period of ``loop`` seconds."""
    made = Inference(stub, **options)  # type: ignore[arg-type]
    made.attach(lambda: stub.clock, beside=beside, control_period=loop)
    made.prepare()
    made.reset()
    stub.threads.clear()
    return made


def step(inference: Inference, number: float = 1.0) -> float | None:
    """The answer of one tick."""
    fresh = inference.step(lambda: {"obs": [number] * 3}, TICK)
    return None if fresh is None else float(fresh["sum"][0])


def settle(inference: Inference) -> None:
    """Wait for the call under way, as time between two ticks would."""
    call = inference._under_way
    assert call is not None and call.done.wait(10.0)


def test_a_worker_answers_in_the_next_tick_and_a_tick_at_once(stub: Stub) -> None:
    assert [step(ready(stub), n) for n in (1.0,)] == [None]
    worker = ready(stub)
    assert [step(worker, n) for n in (1.0, 2.0, 3.0)] == [None, 3.0, 6.0]
    tick = ready(stub, where="tick", limit=0.01)
    assert [step(tick, n) for n in (1.0, 2.0, 3.0)] == [3.0, 6.0, 9.0]


def test_the_model_is_asked_once_a_period(stub: Stub) -> None:
    inference = ready(stub, period=4 * TICK)
    answers = [step(inference, n) for n in range(1, 14)]
    assert inference.summary.calls == 4
    assert [index for index, answer in enumerate(answers) if answer is not None] == [1, 5, 9]


@pytest.mark.parametrize("period", [0.02, 0.03, 0.05, 0.1])
def test_over_a_long_time_the_rate_is_kept(stub: Stub, period: float) -> None:
    inference = ready(stub, period=period)
    for _ in range(1000):
        step(inference)
    assert inference.summary.calls == pytest.approx(1000 * TICK / period, abs=1)
    assert inference.summary.late == 0


def test_on_a_worker_no_call_is_made_on_the_thread_of_the_tick(stub: Stub) -> None:
    for options in ({"where": "worker"}, {"where": "tick", "limit": 0.01}):
        inference = ready(stub, beside=True, **options)
        for _ in range(3):
            step(inference)
            settle(inference)
        assert set(stub.threads) == {"bxi-inference stub"}
        inference.close()


@pytest.mark.parametrize("where", ["worker", "tick"])
def test_a_late_answer_is_dropped_and_counted_and_the_last_one_stays(stub: Stub, where: str) -> None:
    limit = 0.25 if where == "tick" else None
    inference = ready(
        stub, beside=True, loop=1.0, where=where, limit=limit, period=TICK if not limit else None
    )
    step(inference, 1.0)
    settle(inference)
    step(inference, 1.0)
    settle(inference)
    assert not inference.late
    calls = inference.summary.calls
    stub.open.clear()
    step(inference, 100.0)
    step(inference, 100.0)
    step(inference, 100.0)
    assert inference.late and inference.summary.late >= 2
    assert inference.summary.calls <= calls + 2, "while one call runs no other is made"
    assert float(inference.outputs["sum"][0]) == 3.0
    stub.open.set()
    settle(inference)
    answers = []
    for _ in range(3):
        answers.append(step(inference, 2.0))
        settle(inference)
    assert 300.0 not in answers and 6.0 in answers
    assert not inference.late
    inference.close()


def test_with_fault_a_late_answer_fails_the_state(stub: Stub) -> None:
    inference = ready(stub, beside=True, where="tick", limit=0.01, fallback="fault")
    stub.open.clear()
    with pytest.raises(ModelError, match="'stub' did not answer within 10 ms"):
        step(inference)
    inference.close()


def test_a_model_that_hangs_fails_the_state_when_patience_ends(stub: Stub) -> None:
    inference = ready(stub, beside=True, patience=0.1)
    stub.open.clear()
    for _ in range(5):
        step(inference)
    with pytest.raises(ModelError, match=r"'stub' has not answered for 0\.12 s; 5 calls were late"):
        step(inference)
    with pytest.raises(ModelError, match="an earlier call of 'stub' has not returned yet"):
        inference.prepare()
    inference.close()


def test_warming_up_takes_the_slow_calls_and_the_figures_show_them(stub: Stub) -> None:
    times = iter([0.4, 0.002, 0.002, 0.002, 0.002, 0.003, 0.009, 0.001])
    stub.takes = lambda: next(times)
    inference = ready(stub)
    for _ in range(3):
        step(inference)
    shown = inference.summary.as_dict()
    assert shown == {"calls": 3, "late": 0, "last_ms": 1.0, "worst_ms": 9.0, "warm_up_ms": 400.0}


def test_a_model_that_stays_too_slow_is_refused_before_the_switch(stub: Stub) -> None:
    stub.takes = lambda: 0.05
    with pytest.raises(
        ModelError, match=r"'stub' takes 50\.0 ms a call at best, more than its limit of 10 ms"
    ):
        ready(stub, limit=0.01)


def test_a_reset_forgets_the_answer_and_asks_at_once(stub: Stub) -> None:
    inference = ready(stub, period=1.0)
    step(inference, 1.0)
    step(inference)
    assert float(inference.outputs["sum"][0]) == 3.0
    inference.reset()
    assert float(inference.outputs["sum"][0]) == 0.0
    step(inference, 2.0)
    assert step(inference) == 6.0


def test_an_answer_of_the_last_run_does_not_reach_the_next(stub: Stub) -> None:
    inference = ready(stub, beside=True)
    stub.open.clear()
    step(inference, 100.0)
    inference.reset()
    stub.open.set()
    settle(inference)
    assert step(inference, 1.0) is None
    settle(inference)
    assert step(inference, 1.0) == 3.0
    inference.close()


def test_a_call_that_fails_says_why(stub: Stub) -> None:
    inference = ready(stub)
    stub.error = OSError("device lost")
    step(inference)
    with pytest.raises(ModelError, match="a call of 'stub' failed: device lost") as caught:
        step(inference)
    assert caught.value.__cause__ is stub.error


def test_observations_that_do_not_fit_are_named(stub: Stub) -> None:
    for observed, said in (
        ({}, "observe() gave no 'obs', which 'stub' takes"),
        ({"obs": [1.0]}, "observe() gave 1 numbers for 'obs' of 'stub', which takes 3 in the shape (3,)"),
        ({"obs": [0.0, np.nan, 0.0]}, "the observation 'obs' is nan at [1]"),
        ({"obs": [0.0, 0.0, -np.inf]}, "the observation 'obs' is -inf at [2]"),
    ):
        inference = ready(stub)
        with pytest.raises(ModelError) as caught:
            inference.step(lambda observed=observed: observed, TICK)
        assert str(caught.value) == said


def test_a_real_model_that_answers_with_nan_is_named(tmp_path: Path) -> None:
    model = OnnxModel(put(tmp_path, logarithm(2)), inputs={"obs": (1, 2)}, outputs={"action": (1, 2)})
    inference = Inference(model, where="tick", limit=0.01)
    inference.prepare()
    inference.reset()
    fresh = inference.step(lambda: {"obs": [1.0, 1.0]}, TICK)
    assert fresh is not None and fresh["action"].tolist() == [[0.0, 0.0]]
    with pytest.raises(ModelError, match=r"the output 'action' of 'assets/model.onnx' is nan at \[0, 1\]"):
        inference.step(lambda: {"obs": [1.0, -1.0]}, TICK)


def test_a_real_model_answers_on_a_worker(tmp_path: Path) -> None:
    model = OnnxModel(
        put(tmp_path, linear([[1.0], [2.0]])), inputs={"obs": (1, 2)}, outputs={"action": (1, 1)}
    )
    inference = Inference(model)
    inference.attach(lambda: 0.0, beside=True, control_period=TICK)
    inference.prepare()
    inference.reset()
    inference.step(lambda: {"obs": [1.0, 2.0]}, TICK)
    settle(inference)
    fresh = inference.step(lambda: {"obs": [0.0, 0.0]}, TICK)
    assert fresh is not None and fresh["action"].tolist() == [[5.0]]
    inference.close()


def test_without_preparation_there_is_no_answer(stub: Stub) -> None:
    with pytest.raises(ModelError, match=r"'stub' was not prepared; call prepare\(\) in on_prepare\(\)"):
        step(Inference(stub))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"period": 0.0}, "'period' must be a number of seconds above 0, not 0.0"),
        ({"limit": float("nan")}, "'limit' must be a number"),
        ({"where": "tick"}, "where='tick' needs a 'limit'"),
        ({"where": "gpu"}, "there is no where='gpu'"),
        ({"fallback": "zero"}, "no fallback='zero'"),
        ({"warm_up": 0}, "'warm_up' must be at least 1, not 0"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(stub: Stub, options: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        Inference(stub, **options)  # type: ignore[arg-type]


def test_limits_must_fit_the_loop(stub: Stub) -> None:
    for options, said in (
        ({"where": "tick", "limit": 0.02}, "a tick may wait 0.02 s for 'stub', but the loop has a period of"),
        ({"limit": 0.03}, "the limit of 'stub', 0.03 s, is longer than its period, 0.02 s"),
        ({"limit": 0.05, "period": 0.04}, "the limit of 'stub', 0.05 s, is longer than its period, 0.04 s"),
    ):
        with pytest.raises(ValueError, match=said):
            Inference(stub, **options).attach(  # type: ignore[arg-type]
                lambda: 0.0, beside=True, control_period=TICK
            )
