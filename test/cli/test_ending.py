"""The end of a command: its own status, whatever the middleware or a Mod has left behind."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import atexit, os, sys, threading, time
from bxi_framework.cli.ending import end_program
{before}
sys.stdout.write("the answer")
status = end_program({status})
print(" by itself")
sys.exit(status)
"""
ROS = "import rclpy; rclpy.init(args=[]); from rclpy.node import Node; node = Node('left_behind')"


def run(before: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(before=before, status=status)
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, cwd=ROOT, check=False
    )


def test_without_ros_and_threads_the_program_ends_by_itself() -> None:
    ended = run("", 3)
    assert (ended.returncode, ended.stdout) == (3, "the answer by itself\n")


@pytest.mark.parametrize("status", [0, 1, 2, 130])
def test_with_ros_the_output_is_complete_and_the_status_is_kept(status: int) -> None:
    ended = run(ROS, status)
    assert (ended.returncode, ended.stdout, ended.stderr) == (status, "the answer", "")


def test_what_crashes_after_the_interpreter_does_not_count() -> None:
    crash = "import ctypes; c = ctypes.CDLL(None); c.on_exit(ctypes.cast(c.abort, ctypes.c_void_p), None)"
    assert run(crash).returncode == -6, "the C library calls it"
    assert run(f"{crash}; {ROS}").returncode == 0


def test_what_is_registered_for_the_end_is_called() -> None:
    assert run(f"{ROS}; atexit.register(print, ', the end')").stdout == "the answer, the end\n"


def test_a_registered_function_that_does_not_return_is_left() -> None:
    begin = time.monotonic()
    assert run(f"{ROS}; atexit.register(time.sleep, 600)", 1).returncode == 1
    assert time.monotonic() - begin < 50.0


def test_a_thread_that_goes_on_is_left() -> None:
    ended = run("threading.Thread(target=time.sleep, args=(600,)).start()", 1)
    assert (ended.returncode, ended.stdout) == (1, "the answer")
