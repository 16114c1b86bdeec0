"""A Mod whose nodes are real processes, and the backend that runs them."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loading.folders import HEADER
from supervision.living import MARK, children, marked, until

from bxi_framework.diagnostics import Report
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.read_mod import read_mod
from bxi_framework.supervision.backend import Life, Sight
from bxi_framework.supervision.process import ProcessBackend
from bxi_framework.supervision.spec import NodeSpec, node_specs
from bxi_framework.supervision.surroundings import Host

PROGRAMS = Path(__file__).resolve().parent / "programs"
MODULES = Path(__file__).resolve().parent / "modules"
ID = "com.example.fleet"
QUICK = {"signal": "SIGINT", "terminate_after": 0.2, "kill_after": 0.2}
FACTS = {"bxi.system.ip": "192.0.2.7", "bxi.system.machine": "pi", "bxi.python.version": "3.99"}


def write_fleet(
    folder: Path, nodes: Mapping[str, Mapping[str, Any]], more: str = "", *, requires: str = ""
) -> ModManifest:
    """A Mod with these nodes and the test's programs; ``more`` is added to its manifest."""
    root = folder / ID
    shutil.copytree(PROGRAMS, root / "scripts", dirs_exist_ok=True)
    shutil.copytree(MODULES, root, dirs_exist_ok=True)
    words = {"requires": requires, "conflicts": "", "exports": "", "python": ""}
    header = HEADER.format(id=ID, version="1.0.0", enable="true", entrypoint="null", **words)
    # JSON is YAML as well, and quotes every text.
    text = f"{header}{more}nodes: {json.dumps(dict(nodes))}\n"
    (root / "mod.yaml").write_text(text, encoding="utf-8")
    return read(root)


def read(root: Path) -> ModManifest:
    """The manifest of a Mod, which must be sound."""
    report = Report()
    manifest = read_mod(root / "mod.yaml", report)
    assert manifest is not None and report.ok, [fault.message for fault in report]
    return manifest


def act(*words: str, **more: Any) -> dict[str, Any]:
    """A node that runs the test's own program."""
    return {
        "runtime": "command",
        "interpreter": sys.executable,
        "entrypoint": "scripts/act.py",
        "arguments": list(words),
        "shutdown": dict(QUICK),
        **more,
    }


def python(factory: str, **more: Any) -> dict[str, Any]:
    """A python node in a process of its own, made by a factory of the test's module."""
    slow = {"signal": "SIGINT", "terminate_after": 5.0, "kill_after": 5.0}
    return {"entrypoint": f"nodes:{factory}", "execution": "process", "shutdown": slow, **more}


class Fleet:
    """The nodes of one Mod as processes. All of them, and all below them, carry this test's mark."""

    def __init__(
        self, manifest: ModManifest, *others: ModManifest, mark: str = "", **environment: str
    ) -> None:
        self.mark = mark or f"bxi-test-{secrets.token_hex(8)}"
        self.lines: list[tuple[str, str, str]] = []
        environment = {**os.environ, MARK: self.mark, **environment}
        manifests = (manifest, *others)
        self.host = Host(environment, sys.executable, lambda: FACTS)
        self.backend = ProcessBackend(manifests, self.host, self._log, time.monotonic)
        self.specs = {spec.name: spec for spec in node_specs(manifests, {}, "/robot")}

    def _log(self, level: str, source: str, message: str) -> None:
        self.lines.append((level, source, message))

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_: object) -> None:
        self.backend.close()
        assert marked(self.mark) == []

    def spec(self, local: str) -> NodeSpec:
        """A node by its name in the Mod."""
        return self.specs[f"{ID}/{local}"]

    def start(self, *locals: str) -> None:
        """Start nodes."""
        for local in locals:
            self.backend.start(self.spec(local))

    def stop(self, local: str) -> None:
        """Ask a node to end."""
        self.backend.stop(f"{ID}/{local}")

    def look(self, local: str) -> Sight:
        """What became of a node."""
        return self.backend.look(f"{ID}/{local}")

    def reach(self, local: str, life: Life) -> Sight:
        """Wait until a node has come this far."""
        until(lambda: self.look(local).life is life, lambda: f"{local} is {life.value}; {self.lines[-20:]}")
        return self.look(local)

    def ended(self, local: str) -> Sight:
        """Wait for a node's end."""
        return self.reach(local, Life.ENDED)

    def printed(self, local: str) -> list[str]:
        """What a node has printed so far."""
        return [text for level, source, text in self.lines if source == f"{ID}/{local}" and level == "info"]

    def warned(self, local: str) -> list[str]:
        """What the log was told of a node besides its own words."""
        return [
            text for level, source, text in self.lines if source == f"{ID}/{local}" and level == "warning"
        ]

    def says(self, local: str, text: str) -> None:
        """Wait until a node has printed a line."""

        def heard() -> bool:
            self.look(local)
            return text in self.printed(local)

        until(heard, lambda: f"{local} prints '{text}'; {self.lines[-20:]}")

    def guard(self) -> int:
        """The guard's process."""
        return next(pid for pid in children() if name_of(pid) == "bxi-guard")


def name_of(pid: int) -> str:
    """The name of a process in lists of processes."""
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""
