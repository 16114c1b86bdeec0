"""The loop of a real run while nodes crash and restart all the time and one floods its output, beside none.

Four processes end 50 ms after each start and are started again 50 ms later; one node inside the process
raises in its timer and is made anew; one process prints as fast as it can.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from generated_mods import BASIC, CONFIG
from measuring import show

RATES = (50, 500)
SECONDS = 12.0
PATIENCE = 60.0
CRASHING = 4
MOD = "com.example.trouble"

MANIFEST = f"""\
schema: 1
id: {MOD}
name: Trouble
version: "1.0.0"
api: ">=4,<5"
enable: true
entrypoint: null
visibility: public
requires: []
conflicts: []
python_exports: []
runtime_requirements: {{python: [], ros: [], system: []}}
nodes:
"""
AGAIN = "restart: {max_attempts: 1000, delay: 0.05, backoff: 1.0, reset_after: 3600.0}"
PROCESS = "{{runtime: command, interpreter: /bin/sh, entrypoint: scripts/{script}, {again}}}"
NODE = """\
from rclpy.node import Node


def create_node(context):
    node = Node(context.node_name)
    node.create_timer(0.05, fail)
    return node


def fail():
    raise RuntimeError("trouble")
"""


def main() -> None:
    """Two lines for each rate."""
    with tempfile.TemporaryDirectory() as folder:
        write_mod(Path(folder, MOD))
        for rate in RATES:
            show(f"nodes_none_{rate}_hz", **run(rate, folder, ()))
            show(f"nodes_in_trouble_{rate}_hz", **run(rate, folder, (MOD,)))


def write_mod(root: Path) -> None:
    """A Mod whose nodes do nothing but fail and flood."""
    scripts = root / "scripts"
    scripts.mkdir(parents=True)
    (scripts / "crash.sh").write_text("sleep 0.05\necho failing\nexit 1\n", encoding="utf-8")
    (scripts / "flood.sh").write_text(
        "exec yes a-line-of-a-node-that-never-stops-to-talk\n", encoding="utf-8"
    )
    (root / "node.py").write_text(NODE, encoding="utf-8")
    nodes = {f"crash_{number}": PROCESS.format(script="crash.sh", again=AGAIN) for number in range(CRASHING)}
    nodes["flood"] = PROCESS.format(script="flood.sh", again=AGAIN)
    nodes["inside"] = f'{{entrypoint: "node:create_node", {AGAIN}}}'
    lines = "".join(f"  {name}: {node}\n" for name, node in nodes.items())
    (root / "mod.yaml").write_text(MANIFEST + lines, encoding="utf-8")


def run(rate: int, folder: str, mods: Sequence[str]) -> dict[str, float | int]:
    """The figures of one run, and how often its nodes were started again."""
    environment = dict(os.environ)
    environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    environment["ROS_DOMAIN_ID"] = str(51 + os.getpid() % 50)
    os.environ.update(environment)
    settings = {
        "mods.select": f"[{', '.join((BASIC, *mods))}]",
        "control_runtime.period_sec": 1.0 / rate,
        "control_runtime.statistics_interval_sec": SECONDS,
    }
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    program = "import sys; from bxi_framework.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "run", "--config", str(CONFIG), "--mod-path", folder, *words]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, env=environment)
        try:
            return {**figures(), **restarts(bool(mods))}
        except Exception:
            log.seek(0)
            sys.stderr.write(log.read()[:5000])
            raise
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)


def figures() -> dict[str, float | int]:
    """How late the ticks of a whole interval began, and how many cycles were skipped."""
    from bxi_framework.ros.client import read_state

    begin = read_state("", PATIENCE)["timing"]
    time.sleep(SECONDS * 2)
    timing = read_state("", PATIENCE)["timing"]
    names = ("lateness_median_us", "lateness_p99_us", "lateness_max_us", "compute_p99_us")
    found = {name: timing[name] for name in names}
    return {**found, "skipped": timing["skipped"] - begin["skipped"]}


def restarts(expected: bool) -> dict[str, int]:
    """How often nodes were started again, so that the trouble is known to have been there."""
    if not expected:
        return {"restarts": 0}
    from bxi_framework.ros.client import read_nodes

    count = sum(int(node["restarts"]) for node in read_nodes("", PATIENCE))
    assert count > 0, json.dumps(read_nodes("", PATIENCE))
    return {"restarts": count}


if __name__ == "__main__":
    main()
