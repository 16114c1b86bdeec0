"""What became of a node, as data for operators and tools."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from bxi_framework.supervision.spec import NodeSpec


class Phase(str, Enum):
    """Where a node is in its life."""

    STOPPED = "stopped"
    WAITING = "waiting"
    STARTING = "starting"
    RUNNING = "running"
    RESTARTING = "restarting"
    STOPPING = "stopping"
    FAULTED = "faulted"


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """A node and what became of it.

    ``reason`` says why it does not run; ``since`` is in monotonic seconds; ``pid`` is that of a process while
    it lives; ``exit_code`` and ``last_lines`` are of its last end; ``restarts`` counts the attempts since the
    last stable run.
    """

    name: str
    mod: str
    label: str
    phase: Phase
    since: float
    reason: str = ""
    pid: int | None = None
    exit_code: int | None = None
    last_lines: tuple[str, ...] = ()
    restarts: int = 0


def first_status(spec: NodeSpec, now: float) -> NodeStatus:
    """A node that has not been started yet."""
    return NodeStatus(spec.name, spec.mod, spec.label, Phase.STOPPED, now)
