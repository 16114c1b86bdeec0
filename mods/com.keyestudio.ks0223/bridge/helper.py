"""Keeps the program at hand that stops the car if this process dies without a word."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

PROGRAM: Final = Path(__file__).with_name("last_stop.py")


class LastStop:
    """A `last_stop` program that waits until this process ends.

    Args:
        arguments: which car to stop, and how.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        # The pipe is the only thing that ties both together: the kernel closes it however this process ends.
        self._program = subprocess.Popen(
            [sys.executable, "-I", str(PROGRAM), *arguments], stdin=subprocess.PIPE
        )

    def dismiss(self, stopped: bool) -> None:
        """End it. If the car is not known to be ``stopped``, it goes on trying for some seconds."""
        pipe = self._program.stdin
        assert pipe is not None
        with contextlib.suppress(OSError):
            if stopped:
                pipe.write(b"done")
            pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._program.wait(1.0)
