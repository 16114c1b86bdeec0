"""Calls into Mod code run beside the caller, who notices one that does not return."""

from __future__ import annotations

import contextvars
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bxi_framework.diagnostics.guard import Outcome
from bxi_framework.diagnostics.time_limit import (
    AbandonedError,
    ModCall,
    Watch,
    run_beside,
    run_watched,
)

ROOT = Path(__file__).resolve().parents[2]
CALL = ModCall("com.test.a", Path(__file__).parent, "the import of 'state'")


@pytest.fixture(name="gate")
def _gate() -> Iterator[threading.Event]:
    """What a stuck call waits for; opened at the end, so that no thread outlives its test."""
    before = set(threading.enumerate())
    gate = threading.Event()
    yield gate
    gate.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(10.0)
    assert set(threading.enumerate()) == before


def test_a_job_runs_on_another_thread_and_is_over_afterwards() -> None:
    threads: list[str] = []
    before = threading.enumerate()
    assert run_watched(lambda watch: threads.append(threading.current_thread().name)) is None
    assert threads == ["bxi-mod-code"]
    assert threading.enumerate() == before


def test_a_call_gives_what_it_returns_or_raises() -> None:
    error = SystemExit(3)
    outcomes: list[Outcome] = []

    def fail() -> None:
        raise error

    def job(watch: Watch) -> None:
        outcomes.append(watch.call(CALL, divmod, 7, 2))
        outcomes.append(watch.call(CALL, fail))

    assert run_watched(job) is None
    assert outcomes == [Outcome(None, (3, 1)), Outcome(error)]


def test_what_the_job_itself_raises_reaches_the_caller() -> None:
    def job(watch: Watch) -> None:
        raise LookupError("ours")

    with pytest.raises(LookupError, match="ours"):
        run_watched(job)


def test_the_job_sees_the_callers_context_and_leaves_it_alone() -> None:
    word: contextvars.ContextVar[str] = contextvars.ContextVar("word", default="none")
    word.set("outside")
    seen: list[str] = []

    def job(watch: Watch) -> None:
        seen.append(word.get())
        word.set("inside")

    run_watched(job)
    assert (seen, word.get()) == (["outside"], "outside")


def test_threads_that_mod_code_starts_do_not_keep_the_process() -> None:
    daemons: list[bool] = []
    run_watched(lambda watch: daemons.append(threading.Thread().daemon))
    assert daemons == [True]


def test_a_call_that_does_not_return_is_named_with_its_line(gate: threading.Event) -> None:
    def wait() -> None:
        gate.wait()

    stuck = run_watched(lambda watch: watch.call(CALL, wait) and None, limit=0.5)
    assert stuck is not None
    assert stuck.call == CALL
    assert stuck.place is not None
    assert (stuck.place.file, stuck.place.line) == (__file__, wait.__code__.co_firstlineno + 1)
    fault = stuck.diagnostic()
    assert (fault.code, fault.mod, fault.file, fault.line) == (
        "mod-code-stuck",
        "com.test.a",
        __file__,
        stuck.place.line,
    )
    assert fault.message == "In 'com.test.a' the import of 'state' did not return within 0.5 s."


def test_a_call_that_hangs_outside_the_mod_is_placed_at_the_manifest(
    gate: threading.Event, tmp_path: Path
) -> None:
    call = ModCall("com.test.a", tmp_path, "'plugin:create_mod'")
    stuck = run_watched(lambda watch: watch.call(call, gate.wait) and None, limit=0.5)
    assert stuck is not None
    fault = stuck.diagnostic()
    assert (fault.file, fault.line) == (str(tmp_path / "mod.yaml"), 1)


def test_a_job_that_was_given_up_goes_no_further(gate: threading.Event) -> None:
    after: list[str] = []
    gone = threading.Event()

    def job(watch: Watch) -> None:
        try:
            watch.call(CALL, gate.wait)
            after.append("went on")
        except AbandonedError:
            gone.set()
            raise

    assert run_watched(job, limit=0.5) is not None
    gate.set()
    assert gone.wait(10.0)
    assert after == []


def test_many_short_calls_take_as_long_as_they_take() -> None:
    def job(watch: Watch) -> None:
        pause = threading.Event()
        for _ in range(20):
            watch.call(CALL, pause.wait, 0.1)

    assert run_watched(job, limit=1.6) is None


def test_time_between_calls_is_not_the_mods() -> None:
    assert run_watched(lambda watch: threading.Event().wait(0.7) and None, limit=0.3) is None


def test_slow_code_has_no_limit_and_what_it_raises_reaches_the_caller() -> None:
    done: list[str] = []
    run_beside(lambda: done.append(threading.current_thread().name))
    assert done == ["bxi-mod-code"]

    def fail() -> None:
        raise LookupError("ours")

    with pytest.raises(LookupError, match="ours"):
        run_beside(fail)


def run(script: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_code_that_holds_the_interpreter_ends_the_process_and_is_named() -> None:
    """One match of this pattern takes longer than a person lives, and lets no other thread run meanwhile."""
    process = run(
        """
        import re
        from pathlib import Path
        from bxi_framework.diagnostics import time_limit
        time_limit.MARGIN = 0.2
        call = time_limit.ModCall("com.test.greedy", Path("."), "the import of 'state'")
        match = re.compile("(a|aa)+$").match
        time_limit.run_watched(lambda watch: watch.call(call, match, "a" * 200 + "b"), 0.5)
        """
    )
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert out == ""
    assert "the import of 'state' in com.test.greedy" in err


@pytest.mark.parametrize(
    "way", ["run_watched(lambda watch: watch.call(call, hang), 300)", "run_beside(hang)"]
)
def test_a_real_interrupt_ends_the_process_while_a_mod_hangs(way: str) -> None:
    process = run(
        f"""
        import threading
        from pathlib import Path
        from bxi_framework.diagnostics.time_limit import ModCall, run_beside, run_watched
        call = ModCall("com.test.a", Path("."), "the import of 'state'")
        def hang():
            print("hanging", flush=True)
            threading.Event().wait()
        {way}
        """
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "hanging\n"
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT
    assert err.rstrip().endswith("KeyboardInterrupt")
