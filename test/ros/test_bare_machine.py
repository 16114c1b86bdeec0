"""A machine that has little at the start: no network, home or terminal; and a start that fails."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from ros.node_robot import write_robot
from ros.running import PATIENCE, Running, command
from supervision.living import MARK, marked, until
from supervision.rig import ID, act

BARE = ("PATH", "ROS_DOMAIN_ID", "ROS_AUTOMATIC_DISCOVERY_RANGE", "RMW_IMPLEMENTATION", "LD_LIBRARY_PATH")
LOOPBACK = 'ip link set lo up && exec "$@"'
NETWORK = "ip address add 10.9.8.7/24 dev lo && ip route add default dev lo src 10.9.8.7"
FAILING = """
import sys, time
from bxi_framework.control.loop import ControlLoop

def start(self):
    # The nodes have begun; the loop cannot.
    time.sleep(3.0)
    raise RuntimeError("can't start new thread")

ControlLoop.start = start
from bxi_framework.cli.main import main
sys.exit(main())
"""


def alone() -> bool:
    """True if a process may have a network of its own here."""
    tools = all(shutil.which(name) for name in ("unshare", "nsenter", "ip", "env"))
    return tools and subprocess.run(["unshare", "--net", "true"], check=False).returncode == 0


def test_loopback_alone_no_home_and_no_terminal_and_a_network_that_comes_later(tmp_path: Path) -> None:
    if not alone():
        pytest.skip("only root may give a process a network of its own")
    words = write_robot(
        tmp_path, {"bridge": act("surroundings", "${bxi.system.ip}", restart={"max_attempts": 0})}
    )
    mark = f"bxi-test-{secrets.token_hex(8)}"
    kept = [f"{name}={os.environ[name]}" for name in BARE if name in os.environ]
    bare = ["env", "-i", *kept, f"{MARK}={mark}", f"TMPDIR={tmp_path}"]
    run = Running(["unshare", "--net", "sh", "-c", LOOPBACK, "sh", *bare, *command("run", *words)])
    inside = ["nsenter", f"--net=/proc/{run.process.pid}/ns/net"]

    def ask(*verb: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*inside, *command(*verb)], capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    try:
        run.wait_for("50 Hz")
        assert '"arguments": ["127.0.0.1"]' in run.wait_for(f"{ID}/bridge: {{")
        assert ask("status").returncode == 0
        subprocess.run([*inside, "sh", "-c", NETWORK], check=True)
        assert ask("node", "restart", f"{ID}/bridge").returncode == 0
        assert '"arguments": ["10.9.8.7"]' in run.wait_for(f"{ID}/bridge: {{", 2)
        assert run.end()[0] == 0
    finally:
        run.kill()
    until(lambda: marked(mark) == [], "nothing is left")
    assert "Traceback" not in run.text


def test_a_start_that_fails_after_its_nodes_have_begun_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes: Mapping[str, Mapping[str, object]] = {
        "wild": act("stubborn", "hold", params={"some": "thing"}),
        "deaf": act("deaf"),
        "inside": {"entrypoint": "inside:create_echo"},
    }
    words = write_robot(tmp_path, nodes)
    mark = f"bxi-test-{secrets.token_hex(8)}"
    monkeypatch.setenv(MARK, mark)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    run = Running([sys.executable, "-c", FAILING, "run", *words])
    try:
        run.wait_for(f"{ID}/wild: holding")
        run.wait_for("activate failed: ")
        assert run.process.wait(PATIENCE) == 1
        until(lambda: marked(mark) == [], lambda: f"nothing is left: {marked(mark)}")
        assert list((tmp_path / "tmp").glob("bxi-nodes-*")) == []
        assert f"{ID}/wild: stopped the car" in run.text
    finally:
        run.kill()
