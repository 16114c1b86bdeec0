"""What runs one kind of node; processes and in-process nodes are two of them."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from bxi_framework.supervision.spec import NodeSpec


class Phase(str, Enum):
    """Where a node is in its life."""

    WAITING = "waiting"
    RUNNING = "running"
    FAULTED = "faulted"
    STOPPED = "stopped"


class NodeBackend(Protocol):
    """Starts and stops nodes by their full name; called from one thread, never the control thread."""

    def start(self, spec: NodeSpec) -> str | None:
        """Start a node; one line with the reason if it could not be started."""

    def poll(self, name: str) -> str | None:
        """One line with the reason if a node that was started has failed since; must not block."""

    def stop(self, name: str) -> None:
        """End a node that was started, failed or not, and release what it holds."""
