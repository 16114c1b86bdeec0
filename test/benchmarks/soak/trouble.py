"""Writes the Mod whose nodes make the load of a soak: one is busy, two crash again and again."""

from __future__ import annotations

from pathlib import Path

MOD = "com.example.soak"
BUSY = f"{MOD}/busy"

_MANIFEST = f"""\
schema: 1
id: {MOD}
name: Soak
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
  busy: {{execution: %s, entrypoint: "node:create_busy"}}
  crash: {{execution: process, runtime: command, interpreter: /bin/sh, entrypoint: crash.sh, %s}}
  crash_python: {{execution: process, entrypoint: "node:create_crashing", %s}}
"""
_AGAIN = "restart: {max_attempts: 1000, delay: %s, backoff: 1.0, reset_after: 36000.0}"

_NODE = '''\
"""Nodes that are a burden."""

import os
import time

from rclpy.node import Node
from std_msgs.msg import String


def create_busy(context):
    """Publishes and hears 500 messages a second, and computes for 15 ms ten times a second."""
    node = Node(context.node_name)
    publisher = node.create_publisher(String, "soak_busy", 10)
    message = String(data="busy")
    node.create_subscription(String, "soak_busy", lambda heard: None, 10)
    node.create_timer(0.002, lambda: publisher.publish(message))
    node.create_timer(0.1, burn)
    return node


def burn():
    """Compute in pure Python."""
    end = time.monotonic() + 0.015
    while time.monotonic() < end:
        pass


def create_crashing(context):
    """Dies half a second after its start."""
    node = Node(context.node_name)
    node.create_timer(0.5, lambda: os.kill(os.getpid(), 11))
    return node
'''


def write_trouble(folder: Path, *, inside: bool, crash_every: float) -> None:
    """Write the Mod below ``folder``.

    Args:
        folder: where Mods are looked for.
        inside: whether the busy node runs in the process of the loop, else in one of its own.
        crash_every: seconds from the end of a node that crashes to its next start.
    """
    root = folder / MOD
    root.mkdir(parents=True)
    (root / "node.py").write_text(_NODE, encoding="utf-8")
    (root / "crash.sh").write_text("sleep 0.2\necho failing\nexit 1\n", encoding="utf-8")
    execution = "in_process" if inside else "process"
    manifest = _MANIFEST % (execution, _AGAIN % crash_every, _AGAIN % (5 * crash_every))
    (root / "mod.yaml").write_text(manifest, encoding="utf-8")
