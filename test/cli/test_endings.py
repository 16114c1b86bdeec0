"""How the command ends: its exit statuses, an interrupt, and an output that takes nothing more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.calling import ROBOT, STATES, Bxi, robot_of_two_joints

PATIENCE = 60.0
START = "import sys; from bxi_framework.cli.main import main; sys.exit(main())"
WAITING = 'import time\n\nprint("reached", flush=True)\ntime.sleep(3600)\n'


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return robot_of_two_joints(tmp_path)


def graph(config: Path) -> tuple[str, ...]:
    return ("graph", "--config", str(config), "--mod-path", str(config.parent / "mods"))


def start(*words: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", START, *words]
    # What is written stays in a buffer until the end, as it does for a person who has set nothing.
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, text=True, env=settings)


def test_0_is_done_1_is_refused_and_2_is_a_start_that_was_refused(bxi: Bxi, config: Path) -> None:
    assert bxi(*graph(config)).status == 0
    config.write_text(ROBOT.replace("com.test.arm/rest", "com.test.arm/rset"), encoding="utf-8")
    assert bxi("mod", "list", *graph(config)[1:]).status == 1
    assert bxi(*graph(config)).status == 2


@pytest.mark.parametrize("words", [("status",), ("event", "com.test.arm/lift")])
def test_1_is_that_nobody_answers(words: tuple[str, ...]) -> None:
    process = start(*words, "--timeout", "0.3")
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (1, "")
    assert err.startswith("bxi: no control node answered as /bxi_control in ROS domain ")
    assert err.endswith(
        " within 0.3 s. Start one with 'bxi run', or set ROS_DOMAIN_ID and --namespace as it was started.\n"
    )


def test_130_is_an_interrupt_even_while_code_of_a_mod_runs(config: Path) -> None:
    (config.parent / "mods" / "com.test.arm" / "state.py").write_text(STATES + WAITING, encoding="utf-8")
    process = start(*graph(config))
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "reached\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "", "")


@pytest.mark.parametrize("form", ["mermaid", "json"])
def test_a_reader_that_has_gone_is_no_error_to_tell(config: Path, form: str) -> None:
    process = start(*graph(config), "--format", form)
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (1, "")


def test_a_disk_without_room_is_told(config: Path) -> None:
    with open("/dev/full", "wb") as full:
        process = start(*graph(config), stdout=full.fileno())
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (1, "bxi: the output: No space left on device\n")


def test_a_terminal_that_knows_no_such_letter_gets_an_escape(config: Path) -> None:
    manifest = config.parent / "mods" / "com.test.arm" / "mod.yaml"
    manifest.write_text(manifest.read_text("utf-8").replace("Arm up", "Arm 走"), "utf-8")
    run = subprocess.run(
        [sys.executable, "-c", START, *graph(config)],
        capture_output=True,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert b'    state "Arm \\u8d70 (com.test.arm/up)" as s1\n' in run.stdout
