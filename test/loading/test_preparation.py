"""Slow work of a switch runs at once for the bench and beside the loop otherwise, to the same effect."""

from __future__ import annotations

import os
import threading

import pytest

from bxi_framework.diagnostics.guard import Outcome
from bxi_framework.loading.preparation import BackgroundPreparation, InlinePreparation


def wait_for(preparation: BackgroundPreparation) -> Outcome:
    """The outcome, once it is there; the pause between two looks is no measure of anything."""
    pause = threading.Event()
    for _ in range(2000):
        outcome = preparation.poll()
        if outcome is not None:
            return outcome
        pause.wait(0.005)
    raise AssertionError("the job has not ended")


def fail() -> None:
    raise SystemExit(2)


def test_inline_a_job_has_ended_when_begin_returns() -> None:
    done: list[int] = []
    preparation = InlinePreparation()
    assert preparation.poll() is None
    preparation.begin(lambda: done.append(1))
    assert done == [1]
    assert preparation.poll() == Outcome()
    assert preparation.poll() is None
    preparation.begin(fail)
    outcome = preparation.poll()
    assert outcome is not None
    assert isinstance(outcome.error, SystemExit)


def test_inline_a_cancelled_job_has_no_outcome() -> None:
    done: list[str] = []
    preparation = InlinePreparation()
    preparation.begin(lambda: done.append("job"))
    preparation.cancel(lambda: done.append("cleanup"))
    assert done == ["job", "cleanup"]
    assert preparation.poll() is None
    preparation.close()


def test_beside_the_loop_the_caller_never_waits() -> None:
    gate = threading.Event()
    threads: list[str] = []
    preparation = BackgroundPreparation()
    assert preparation.poll() is None

    def job() -> None:
        gate.wait(10.0)
        threads.append(threading.current_thread().name)

    preparation.begin(job)
    assert preparation.poll() is None
    gate.set()
    assert wait_for(preparation) == Outcome()
    assert preparation.poll() is None
    assert threads == ["bxi-preparation"]
    preparation.begin(fail)
    assert isinstance(wait_for(preparation).error, SystemExit)
    preparation.close()


def test_a_new_job_queues_behind_a_cancelled_one_and_its_clean_up() -> None:
    gate = threading.Event()
    log: list[str] = []
    preparation = BackgroundPreparation()

    def first() -> None:
        gate.wait(10.0)
        log.append("first")
        raise ValueError("nobody wants this any more")

    preparation.begin(first)
    preparation.cancel(lambda: log.append("cleanup"))
    preparation.begin(lambda: log.append("second"))
    assert preparation.poll() is None
    assert log == []
    gate.set()
    assert wait_for(preparation) == Outcome()
    assert log == ["first", "cleanup", "second"]
    preparation.close()


def test_closing_lets_the_worker_end_and_takes_no_more_jobs() -> None:
    preparation = BackgroundPreparation()
    preparation.begin(lambda: None)
    wait_for(preparation)
    preparation.close()
    preparation.close()
    for thread in threading.enumerate():
        if thread.name == "bxi-preparation":
            thread.join(10.0)
            assert not thread.is_alive()
    preparation.cancel(lambda: None)
    with pytest.raises(RuntimeError, match="closed"):
        preparation.begin(lambda: None)


def test_jobs_run_on_the_cpus_of_the_process_not_on_those_that_the_control_thread_has_claimed() -> None:
    everywhere = os.sched_getaffinity(0)
    preparation = BackgroundPreparation()
    seen: list[set[int]] = []

    def control() -> None:
        os.sched_setaffinity(0, {min(everywhere)})
        preparation.begin(lambda: seen.append(os.sched_getaffinity(0)))

    thread = threading.Thread(target=control)
    thread.start()
    thread.join(10.0)
    wait_for(preparation)
    preparation.close()
    assert seen == [everywhere]


def test_without_a_job_there_is_no_thread() -> None:
    before = threading.active_count()
    preparation = BackgroundPreparation()
    assert threading.active_count() == before
    preparation.close()
