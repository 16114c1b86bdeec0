"""Whoever is killed, main process, guard or keeper: nothing of a node outlives the framework."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from supervision.living import MARK, alive, children, marked, until
from supervision.rig import Fleet, act, name_of, write_fleet

from bxi_framework.supervision.backend import Life

ROUNDS = int(os.environ.get("BXI_CHAOS_MAIN_KILLS", "3"))
"""How often the main process is killed."""

SLOW = {"signal": "SIGINT", "terminate_after": 30.0, "kill_after": 30.0}
"""Nodes that would take their time if nobody were killed."""


@dataclass(frozen=True)
class Main:
    """A main process with its nodes, all of which carry the mark."""

    process: subprocess.Popen[str]
    mark: str
    guard: int
    nodes: tuple[int, ...]

    def params_files(self) -> list[Path]:
        """The parameter files on the command lines of the nodes."""
        found = []
        for pid in self.nodes:
            words = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").split("\0")
            found += [Path(word) for word in words if word.endswith(".yaml")]
        return found


@contextmanager
def main_process(folder: Path, ending: str = "stuck") -> Iterator[Main]:
    """A main process of its own with a stubborn bridge and a camera."""
    nodes = {
        "bridge": act("stubborn", "hold", shutdown=SLOW, params={"car": "on"}),
        "camera": act("hold", str(folder / "stopped"), shutdown=SLOW),
    }
    root = write_fleet(folder, nodes).root
    mark = f"bxi-test-{secrets.token_hex(8)}"
    program = Path(__file__).with_name("main_program.py")
    process = subprocess.Popen(
        [sys.executable, str(program), str(root), mark, ending],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None and process.stdin is not None
    try:
        guard, *pids = (int(word) for word in process.stdout.readline().split())
        yield Main(process, mark, guard, tuple(pids))
    finally:
        process.kill()
        process.stdin.close()
        process.stdout.close()
        process.wait()
        until(lambda: marked(mark) == [], "the nodes are gone")


def gone(main: Main) -> bool:
    """True once neither a node nor a guard of this main process is left."""
    return not marked(main.mark) and not alive(main.guard)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_nothing_is_left_two_seconds_after_the_main_process_was_killed(tmp_path: Path, number: int) -> None:
    with main_process(tmp_path) as main:
        files = main.params_files()
        assert len(files) == 1 and files[0].exists()
        assert len(marked(main.mark)) >= 4
        main.process.kill()
        begin = time.monotonic()
        until(lambda: gone(main), "all have ended", patience=2.0)
        assert time.monotonic() - begin < 2.0
        assert (tmp_path / "stopped").exists()
        assert not files[0].parent.exists()
        assert list(tmp_path.glob("bxi-nodes-*")) == []


def test_an_orderly_end_leaves_nothing(tmp_path: Path) -> None:
    with main_process(tmp_path, "close") as main:
        assert main.process.stdin is not None
        main.process.stdin.close()
        assert main.process.wait(20) == 0
        assert gone(main)
        assert list(tmp_path.glob("bxi-nodes-*")) == []


def test_a_main_process_that_forgets_to_close_leaves_nothing(tmp_path: Path) -> None:
    with main_process(tmp_path, "forget") as main:
        assert main.process.stdin is not None
        main.process.stdin.close()
        assert main.process.wait(20) == 0
        until(lambda: gone(main), "all have ended", patience=2.0)


def test_a_signal_to_the_whole_foreground_does_not_reach_guard_or_nodes(tmp_path: Path) -> None:
    with main_process(tmp_path) as main:
        assert os.getpgid(main.guard) != os.getpgid(main.process.pid)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(main.guard, number)
        time.sleep(0.1)
        assert alive(main.guard) and all(alive(pid) for pid in main.nodes)


def test_nodes_that_lose_the_guard_are_ended_and_start_again_under_a_new_one(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": act("stubborn", "hold", shutdown=SLOW)})) as fleet:
        fleet.start("bridge")
        fleet.says("bridge", "holding")
        guard = fleet.guard()
        os.kill(guard, signal.SIGKILL)
        sight = fleet.ended("bridge")
        assert sight.reason == "the guard process has ended"
        assert sight.last_lines[-1] == "stopped the car"
        assert marked(fleet.mark) == []
        fleet.start("bridge")
        fleet.reach("bridge", Life.RUNNING)
        assert fleet.guard() != guard
        assert guard not in children()


def test_a_node_that_loses_its_keeper_is_ended_by_the_guard(tmp_path: Path) -> None:
    nodes = {"bridge": act("stubborn", "hold", shutdown=SLOW, params={"car": "on"}), "camera": act("hold")}
    with Fleet(write_fleet(tmp_path, nodes)) as fleet:
        fleet.start("bridge", "camera")
        fleet.says("bridge", "holding")
        fleet.says("camera", "holding")
        os.kill(parent(fleet, "bridge"), signal.SIGKILL)
        sight = fleet.ended("bridge")
        assert sight.reason == "the keeper of its process was killed"
        assert marked(fleet.mark) == [fleet.look("camera").pid]
        assert list(fleet.backend._link.folder.iterdir()) == []
        fleet.start("bridge")
        fleet.reach("bridge", Life.RUNNING)


def test_a_node_that_loses_guard_and_keeper_at_once_is_ended_by_the_main_process(tmp_path: Path) -> None:
    nodes = {"bridge": act("stubborn", "hold", shutdown=SLOW, params={"car": "on"})}
    with Fleet(write_fleet(tmp_path, nodes)) as fleet:
        fleet.start("bridge")
        fleet.says("bridge", "holding")
        keeper, guard = parent(fleet, "bridge"), fleet.guard()
        os.kill(guard, signal.SIGSTOP)
        os.kill(keeper, signal.SIGKILL)
        os.kill(guard, signal.SIGKILL)
        sight = fleet.ended("bridge")
        assert sight.reason == "the process that kept it was killed"
        # One of the two grandchildren has no environment, no session and no parent that tell whose it is.
        assert [pid for pid in marked(fleet.mark) if environment(pid)] == []
        for pid in marked(fleet.mark):
            os.kill(pid, signal.SIGKILL)
        until(lambda: marked(fleet.mark) == [], "the last one is gone")
        fleet.start("bridge")
        fleet.reach("bridge", Life.RUNNING)


def parent(fleet: Fleet, local: str) -> int:
    """The keeper of a node."""
    pid = fleet.look(local).pid
    text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    found = int(text.rpartition(")")[2].split()[1])
    assert name_of(found) == "bxi-keeper"
    return found


def environment(pid: int) -> str:
    """The environment that a process was started with."""
    text = Path(f"/proc/{pid}/environ").read_text(encoding="utf-8", errors="replace")
    return text if MARK in text else ""
