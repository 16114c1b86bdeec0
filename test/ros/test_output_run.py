"""Nobody reads what the framework prints, or the disk is full: the robot goes on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ros.node_robot import write_robot
from ros.peer import Peer, peer, states_of
from ros.running import FIXTURES, PATIENCE, ROOT, command
from std_msgs.msg import Float32MultiArray, String
from supervision.rig import ID, act

from bxi_framework.ros import qos

WAYS = ("print", "errors", "logger", "descriptor")
NODES = {
    **{way: {"entrypoint": "talkative:create_talkative", "params": {"way": way}} for way in WAYS},
    "flood": act("flood", "10000", "lines"),
}


@contextmanager
def talking(folder: Path, output: int, errors: int) -> Iterator[tuple[subprocess.Popen[bytes], Peer]]:
    """A robot whose nodes all print without end."""
    words = write_robot(folder, NODES)
    shutil.copy(FIXTURES / "talkative.py", folder / "mods" / ID / "talkative.py")
    process = subprocess.Popen(
        command("run", *words), stdout=output, stderr=errors, stdin=subprocess.DEVNULL, cwd=ROOT
    )
    try:
        with peer("operator") as operator:
            yield process, operator
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(PATIENCE)


def goes_on(process: subprocess.Popen[bytes], operator: Peer) -> None:
    """All nodes run, and the loop goes on meanwhile."""
    states = operator.hear(String, "bxi_control/state", qos.standing())
    frames = operator.hear(Float32MultiArray, "motor_frame", qos.frames())

    def running() -> bool:
        nodes = states_of(states)[-1]["nodes"] if states else []
        return bool(nodes) and {node["state"] for node in nodes} == {"running"}

    operator.until(running, lambda_text(states))
    begin = len(frames)
    operator.until(lambda: len(frames) > begin + 150, "three seconds of frames")
    assert process.poll() is None


def lambda_text(states: list[String]) -> str:
    return f"all nodes run; {states[-1:]}"


def end(process: subprocess.Popen[bytes]) -> int:
    process.send_signal(signal.SIGINT)
    return process.wait(PATIENCE)


def test_pipes_that_nobody_reads(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    try:
        with talking(tmp_path, writing, writing) as (process, operator):
            goes_on(process, operator)
            assert end(process) == 0
        os.close(writing)
        with os.fdopen(os.dup(reading), encoding="utf-8", errors="replace") as stream:
            text = stream.read()
        assert "enabled" in text
        assert len(text) < 65536
    finally:
        os.close(reading)


def test_a_second_signal_ends_it_though_nobody_reads(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    try:
        with talking(tmp_path, writing, writing) as (process, operator):
            goes_on(process, operator)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) in (0, 128 + signal.SIGTERM, 128 + signal.SIGINT)
    finally:
        os.close(reading)
        os.close(writing)


@pytest.mark.parametrize("both", [True, False], ids=["both", "errors"])
def test_a_full_disk(tmp_path: Path, both: bool) -> None:
    with (
        open("/dev/full", "wb") as full,
        talking(tmp_path, full.fileno() if both else subprocess.DEVNULL, full.fileno()) as (
            process,
            operator,
        ),
    ):
        goes_on(process, operator)
        assert end(process) == 0


def test_what_is_printed_stands_in_the_log_under_its_node_and_is_bounded(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as file, talking(tmp_path, file.fileno(), file.fileno()) as (process, operator):
        goes_on(process, operator)
        assert end(process) == 0
    lines = log.read_text(encoding="utf-8").splitlines()
    for source in (f"{ID}/print", f"{ID}/errors", "/logger", f"{ID}/flood"):
        assert any(f" {source}: xxx" in line for line in lines), source
        assert any(f" {source}: " in line and "left out" in line for line in lines), source
    assert len(lines) < 60 * 600
