"""What runs one kind of node; processes and in-process nodes are two of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from bxi_framework.supervision.spec import NodeSpec


class Life(str, Enum):
    """What a backend sees of a node that it was asked to start."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Sight:
    """One look at a node.

    ``pid`` is that of a process while it lives; ``exit_code`` is set once it has ended, negative for a
    signal; ``reason`` is one line that says why it ended, empty after an end that was asked for;
    ``last_lines`` are the last lines that it printed; ``final`` says that another start would not help.
    """

    life: Life
    pid: int | None = None
    exit_code: int | None = None
    reason: str = ""
    last_lines: tuple[str, ...] = ()
    final: bool = False


class NodeBackend(Protocol):
    """Runs nodes by their full name. Called from one thread, never the control thread; nothing here waits."""

    def start(self, spec: NodeSpec) -> None:
        """Begin to start a node that does not run. A failure shows as ``ENDED`` with the reason."""

    def look(self, name: str) -> Sight:
        """What became of a node that was started."""

    def stop(self, name: str) -> None:
        """Begin to end a node; asking again changes nothing. Its end shows as ``ENDED``."""

    def forget(self, name: str) -> None:
        """Release what is kept of a node that has ended."""

    def close(self) -> None:
        """Release everything; what still lives is killed."""
