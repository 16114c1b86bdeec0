"""Processes are found in /proc as they are, and a signal never reaches one that only has the same number."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from supervision.living import alive, until

from bxi_framework.supervision import guard
from bxi_framework.supervision.guard.tree import Process, carriers, descendants, look_up, send

GUARD = Path(guard.__file__).parent


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A child that sleeps, with a variable of its own."""
    child = subprocess.Popen(["sleep", "600"], env={"BXI_TEST_SLEEPER": "1", "PATH": os.environ["PATH"]})
    yield child
    child.kill()
    child.wait()


def process(pid: int, parent: int, *, dead: bool = False) -> Process:
    return Process(pid, parent, group=pid, session=pid, start=1, dead=dead)


def test_a_process_is_read_whatever_its_name_is(tmp_path: Path) -> None:
    program = tmp_path / ") R 1 (2"
    program.symlink_to(sys.executable)
    with subprocess.Popen(
        [program, "-S", "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
    ) as child:
        until(lambda: b") R 1 (2" in Path(f"/proc/{child.pid}/stat").read_bytes(), "it has its name")
        found = look_up(child.pid)
        assert found is not None
        assert (found.parent, found.group, found.session, found.dead) == (
            os.getpid(),
            child.pid,
            child.pid,
            False,
        )
        child.kill()


def test_there_is_no_process_without_a_number() -> None:
    assert look_up(2**22 + 1) is None


def test_a_process_that_has_ended_is_dead_until_it_is_waited_for() -> None:
    child = subprocess.Popen(["true"])
    until(lambda: not alive(child.pid), "it has ended")
    found = look_up(child.pid)
    assert found is not None and found.dead
    assert child.pid not in [below.pid for below in descendants(os.getpid())]
    child.wait()
    assert look_up(child.pid) is None


def test_descendants_are_all_that_live_below() -> None:
    known = {
        item.pid: item
        for item in [
            process(1, 0),
            process(2, 1),
            process(3, 2),
            process(4, 3, dead=True),
            process(5, 4),
            process(6, 1),
            process(7, 6),
            process(8, 0),
        ]
    }
    assert {found.pid for found in descendants(1, known=known)} == {2, 3, 5, 6, 7}
    assert {found.pid for found in descendants(1, spared=[2], known=known)} == {6, 7}
    assert descendants(8, known=known) == []


def test_a_signal_reaches_the_process(sleeper: subprocess.Popen[bytes]) -> None:
    found = look_up(sleeper.pid)
    assert found is not None
    assert send(found, signal.SIGTERM)
    assert sleeper.wait() == -signal.SIGTERM
    assert not send(found, signal.SIGTERM)


def test_a_signal_does_not_reach_another_process_with_the_same_number(
    sleeper: subprocess.Popen[bytes],
) -> None:
    found = look_up(sleeper.pid)
    assert found is not None
    assert not send(found._replace(start=found.start - 1), signal.SIGKILL)
    assert sleeper.poll() is None


def test_processes_are_found_by_a_variable(sleeper: subprocess.Popen[bytes]) -> None:
    until(lambda: [found.pid for found in carriers("BXI_TEST_SLEEPER=1")] == [sleeper.pid], "it is found")
    assert carriers("BXI_TEST_SLEEPER=") == []
    assert carriers("TEST_SLEEPER=1") == []


def test_the_guard_imports_the_standard_library_alone() -> None:
    code = (
        f"import sys; sys.path.append({str(GUARD.parent)!r}); import guard.program; "
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    command = [sys.executable, "-I", "-S", "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split()
    assert set(found) - sys.stdlib_module_names == {"guard", "__main__"}
    heavy = {
        "asyncio",
        "concurrent",
        "dataclasses",
        "inspect",
        "logging",
        "multiprocessing",
        "subprocess",
        "threading",
    }
    assert heavy.isdisjoint(found)
