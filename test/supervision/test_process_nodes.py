"""Nodes as real processes: each behaves in one way, good or bad, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path

import pytest
from supervision.living import alive, marked, until
from supervision.rig import ID, Fleet, act, write_fleet

from bxi_framework.supervision.backend import Life


def test_a_node_runs_until_it_is_stopped(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": act("hold")})) as fleet:
        fleet.start("bridge")
        sight = fleet.reach("bridge", Life.RUNNING)
        assert sight.pid is not None and alive(sight.pid)
        fleet.says("bridge", "holding")
        fleet.stop("bridge")
        assert fleet.look("bridge").life is Life.STOPPING
        sight = fleet.ended("bridge")
        assert (sight.exit_code, sight.reason, sight.pid) == (0, "", None)
        assert sight.last_lines == ("holding", "stopped the car")
        assert marked(fleet.mark) == []


def test_a_node_that_exits_at_once(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": act("leave", "7")})) as fleet:
        fleet.start("bridge")
        sight = fleet.ended("bridge")
        assert (sight.exit_code, sight.reason) == (7, "it exited with status 7")
        assert sight.last_lines == ("leaving with 7",)


def test_a_node_that_segfaults(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": act("segfault")})) as fleet:
        fleet.start("bridge")
        sight = fleet.ended("bridge")
        assert (sight.exit_code, sight.reason) == (-signal.SIGSEGV, "it was killed by SIGSEGV")
        assert sight.last_lines == ("about to fail",)


def test_a_node_that_ends_at_sigterm_alone(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": act("until_terminated")})) as fleet:
        fleet.start("bridge")
        fleet.says("bridge", "waiting for SIGTERM")
        fleet.stop("bridge")
        sight = fleet.ended("bridge")
        assert (sight.exit_code, sight.reason) == (0, "")
        assert sight.last_lines[-1] == "terminated"


def test_a_node_that_ignores_every_signal_is_killed(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": act("deaf")})) as fleet:
        fleet.start("bridge")
        fleet.says("bridge", "deaf")
        fleet.stop("bridge")
        sight = fleet.ended("bridge")
        assert (sight.exit_code, sight.reason) == (-signal.SIGKILL, "")
        assert fleet.warned("bridge") == ["it did not end by itself and was killed"]


def test_a_stopped_process_is_woken_to_end(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": act("hold")})) as fleet:
        fleet.start("bridge")
        fleet.says("bridge", "holding")
        pid = fleet.look("bridge").pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        fleet.stop("bridge")
        assert fleet.ended("bridge").last_lines[-1] == "stopped the car"


@pytest.mark.parametrize("then", ["0", "1"])
def test_a_stubborn_grandchild_of_a_node_that_exits_ends_before_the_node_counts_as_ended(
    tmp_path: Path, then: str
) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": act("stubborn", then)})) as fleet:
        fleet.start("bridge")
        fleet.reach("bridge", Life.STOPPING)
        sight = fleet.ended("bridge")
        assert marked(fleet.mark) == []
        assert (sight.exit_code, sight.reason) == (int(then), f"it exited with status {then}")
        assert fleet.warned("bridge") == ["processes that it had left were killed"]


def test_a_stubborn_grandchild_ends_with_the_node_that_is_stopped(tmp_path: Path) -> None:
    nodes = {"bridge": act("stubborn", "hold"), "camera": act("hold")}
    with Fleet(write_fleet(tmp_path, nodes)) as fleet:
        fleet.start("bridge", "camera")
        fleet.says("bridge", "holding")
        fleet.says("camera", "holding")
        assert len(marked(fleet.mark)) == 4
        fleet.stop("bridge")
        sight = fleet.ended("bridge")
        assert (sight.exit_code, sight.reason) == (0, "")
        camera = fleet.look("camera")
        assert camera.life is Life.RUNNING
        assert marked(fleet.mark) == [camera.pid]


def test_a_node_that_is_stopped_while_it_starts(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": act("hold")})) as fleet:
        fleet.start("bridge")
        fleet.stop("bridge")
        assert fleet.ended("bridge").reason == ""
        assert marked(fleet.mark) == []


def test_a_node_can_start_again_after_its_end(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": act("leave", "1")})) as fleet:
        for _ in range(3):
            fleet.start("bridge")
            assert fleet.ended("bridge").exit_code == 1
        fleet.backend.forget(f"{ID}/bridge")
        fleet.start("bridge")
        assert fleet.ended("bridge").exit_code == 1


def test_a_node_that_is_killed_by_somebody_else(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": act("stubborn", "hold")})) as fleet:
        fleet.start("bridge")
        fleet.says("bridge", "holding")
        pid = fleet.look("bridge").pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        sight = fleet.ended("bridge")
        assert (sight.exit_code, sight.reason) == (-signal.SIGKILL, "it was killed by SIGKILL")
        assert marked(fleet.mark) == []


def test_what_still_runs_at_the_close_is_ended(tmp_path: Path) -> None:
    nodes = {"bridge": act("hold"), "deaf": act("deaf"), "wild": act("stubborn", "hold")}
    with Fleet(write_fleet(tmp_path, nodes)) as fleet:
        fleet.start(*nodes)
        fleet.says("bridge", "holding")
        fleet.says("deaf", "deaf")
        fleet.says("wild", "holding")
        fleet.backend.close()
        assert marked(fleet.mark) == []
        assert "stopped the car" in fleet.printed("bridge")


def test_a_node_gets_clean_surroundings(tmp_path: Path) -> None:
    node = act("surroundings", "one word", "$HOME", cwd="scripts", scheduling={"cpu_affinity": [0]})
    node["environment"] = {
        "PLAIN": "no $(date) `date`"[:3],
        "NAMED": "$COLOUR-${COLOUR}",
        "DEFAULT": "${NOT_SET:-blue}${COLOUR:-blue}",
        "FACT": "${bxi.system.ip}/${bxi.system.machine}",
        "COLOUR": "$COLOUR and green",
    }
    manifest = write_fleet(tmp_path, {"bridge": node})
    with Fleet(manifest, COLOUR="red") as fleet:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        fleet.start("bridge")
        fleet.ended("bridge")
        found = json.loads(fleet.printed("bridge")[0])
    assert found["arguments"] == ["one word", "$HOME"]
    assert (
        found["environment"].items()
        >= {
            "PLAIN": "no ",
            "NAMED": "red-red",
            "DEFAULT": "bluered",
            "FACT": "192.0.2.7/pi",
            "COLOUR": "red and green",
        }.items()
    )
    assert found["folder"] == str(manifest.root / "scripts")
    assert found["cpus"] == [0]
    assert found["session"] and found["group"]
    assert found["descriptors"] == [0, 1, 2, 3]  # the last is the look itself
    assert found["input"] == "/dev/null"
    assert found["blocked"] == []
    # Python itself ignores these two.
    assert sorted(found["ignored"]) == sorted([signal.SIGPIPE, signal.SIGXFSZ])


def test_a_node_that_cannot_start_says_why(tmp_path: Path) -> None:
    nodes = {
        "folder": act("hold", cwd="scripts"),
        "cpu": act("hold", scheduling={"cpu_affinity": [1023]}),
        "program": act("hold", interpreter="scripts/act.py"),
    }
    manifest = write_fleet(tmp_path, nodes)
    (manifest.root / "scripts" / "act.py").chmod(0o644)
    with Fleet(manifest) as fleet:
        fleet.start("cpu", "program")
        cpu, program = fleet.ended("cpu"), fleet.ended("program")
        assert cpu.exit_code is None
        assert cpu.reason == (
            f"it cannot run on the CPUs 1023 (this machine has {os.cpu_count()}): Invalid argument"
        )
        assert program.reason == "'scripts/act.py' may not be executed; run 'chmod +x' on it"
        (manifest.root / "scripts").rename(manifest.root / "elsewhere")
        fleet.start("folder")
        assert fleet.ended("folder").reason == "the Mod has no folder 'scripts'"


def test_nothing_leaks_over_fifty_starts(tmp_path: Path) -> None:
    quick = {"runtime": "command", "interpreter": "/bin/sh", "entrypoint": "scripts/leave.sh"}
    nodes = {f"node_{number}": {**quick, "params": {"number": number}} for number in range(5)}
    with Fleet(write_fleet(tmp_path, nodes)) as fleet:
        fleet.start("node_0")
        fleet.ended("node_0")
        guard = fleet.guard()
        below = Path(f"/proc/{guard}/task/{guard}/children")

        def held() -> tuple[int, int, int]:
            until(lambda: below.read_text(encoding="utf-8") == "", "the guard has no children")
            return (
                len(os.listdir("/proc/self/fd")),
                len(os.listdir(f"/proc/{guard}/fd")),
                threading.active_count(),
            )

        before = held()
        for _ in range(10):
            fleet.start(*nodes)
            for name in nodes:
                fleet.ended(name)
                fleet.backend.forget(f"{ID}/{name}")
        assert held() == before
