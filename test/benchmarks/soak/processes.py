"""The processes of a soak: how they are started, told to begin and ended, and what one of them uses."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
PATIENCE = 60.0


class Usage(NamedTuple):
    """What a process uses: resident memory in MB, threads, open files."""

    rss_mb: float
    threads: int
    fds: int


def usage(pid: int) -> Usage:
    """What a process uses now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return Usage(
        round(pages * resource.getpagesize() / 1e6, 2),
        len(os.listdir(f"/proc/{pid}/task")),
        len(os.listdir(f"/proc/{pid}/fd")),
    )


class Part:
    """A script of this folder in a process of its own."""

    def __init__(self, script: str, *words: str) -> None:
        self.script = script
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / script), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def hear(self) -> str:
        """The next line that it prints."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def begin(self) -> None:
        """Let it measure from now on."""
        assert self._process.stdin is not None
        self._process.stdin.write("begin\n")
        self._process.stdin.flush()

    def end(self) -> dict[str, Any]:
        """End it; its figures."""
        try:
            said, _ = self._process.communicate(timeout=PATIENCE)
            return dict(json.loads(said.strip().splitlines()[-1]))
        finally:
            self.kill()

    def kill(self) -> None:
        """Make sure that it is gone."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(PATIENCE)


class Robot:
    """A running ``bxi run``, whose output goes to a file.

    Args:
        log: the file.
        words: what follows ``bxi run``.
    """

    def __init__(self, log: Path, *words: str) -> None:
        program = "import sys; from bxi_framework.cli.main import main; sys.exit(main())"
        self._log = log
        with log.open("w", encoding="utf-8") as stream:
            self._process = subprocess.Popen(
                [sys.executable, "-c", program, "run", *words], stdout=stream, stderr=stream
            )

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """True until it has ended."""
        return self._process.poll() is None

    def text(self) -> str:
        """What it has printed."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def end(self) -> int:
        """End it in order; its exit status."""
        if self.running:
            self._process.send_signal(signal.SIGINT)
        try:
            return self._process.wait(PATIENCE)
        finally:
            if self.running:
                self._process.kill()
                self._process.wait(PATIENCE)
