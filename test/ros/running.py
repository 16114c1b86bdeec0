"""Starts the commands of the framework as processes of their own, and reads what they print."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Thread

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = Path(__file__).resolve().parent / "fixtures"
PAIR = ("--config", str(FIXTURES / "robot.yaml"), "--mod-path", str(FIXTURES / "mods"))
STUCK = ("--config", str(FIXTURES / "stuck.yaml"), "--mod-path", str(FIXTURES / "stuck"))

PATIENCE = 30.0
"""Seconds that a busy machine may take for anything; nothing here waits that long on a free one."""

_MAIN = "import sys; from bxi_framework.cli.main import {entry}; sys.exit({entry}())"


class Running:
    """A process whose lines, from both of its outputs, are kept as they come."""

    def __init__(self, command: list[str], *, with_input: bool = False) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE if with_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            cwd=ROOT,
        )
        self._lines: list[str] = []
        self._changed = Condition()
        self._ended = False
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """Everything that it has printed."""
        with self._changed:
            return "\n".join(self._lines)

    def wait_for(self, text: str, count: int = 1) -> str:
        """The line that brings the number of lines with ``text`` to ``count``."""
        found = ""
        with self._changed:

            def enough() -> bool:
                nonlocal found
                matching = [line for line in self._lines if text in line]
                found = matching[count - 1] if len(matching) >= count else ""
                return bool(found) or self._ended

            self._changed.wait_for(enough, PATIENCE)
        assert found, f"'{text}' was not printed:\n{self.text}"
        return found

    def tell(self, line: str) -> None:
        """Write a line to its input."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def no_more(self) -> None:
        """Close its input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def end(self, number: signal.Signals = signal.SIGINT) -> tuple[int, float]:
        """Send a signal and wait; the exit status and how many seconds it took."""
        begin = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(PATIENCE)
        took = time.monotonic() - begin
        self._reader.join(PATIENCE)
        self._close()
        return status, took

    def kill(self) -> None:
        """Make sure that nothing of it is left."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        self._close()

    def left_running(self) -> bool:
        """True if a process that it has started still runs."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._changed:
                self._lines.append(line.rstrip("\n"))
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


def command(*words: str, entry: str = "main") -> list[str]:
    """The command line of ``bxi`` or, with ``entry="control_node"``, of the control node."""
    return [sys.executable, "-c", _MAIN.format(entry=entry), *words]


@contextmanager
def running(*words: str, entry: str = "main") -> Iterator[Running]:
    """A running ``bxi`` or control node."""
    process = Running(command(*words, entry=entry))
    try:
        yield process
    finally:
        process.kill()


@contextmanager
def helper(script: str, *words: str) -> Iterator[Running]:
    """A running script of this folder that takes lines on its input."""
    process = Running([sys.executable, str(Path(__file__).with_name(script)), *words], with_input=True)
    try:
        yield process
    finally:
        process.kill()


def call(*words: str) -> subprocess.CompletedProcess[str]:
    """Run ``bxi`` to its end."""
    return subprocess.run(command(*words), capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT)
