"""What became of a node, as data for operators and tools."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from bxi_framework.manifest.names import owner_of
from bxi_framework.supervision.spec import NodeSpec


class Phase(str, Enum):
    """Where a node is in its life."""

    STOPPED = "stopped"
    STARTING = "starting"
    RUNNING = "running"
    RESTARTING = "restarting"
    STOPPING = "stopping"
    FAULTED = "faulted"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """A node and what became of it.

    ``since`` is in monotonic seconds; ``reason`` says why it does not run, ``wanted`` whether it should;
    ``pid`` is that of a process while it lives; ``exit_code`` and ``last_lines`` are of its last end;
    ``restarts`` counts the attempts since the last stable run, ``next_at`` (s) is when the next one follows.
    """

    name: str
    mod: str
    label: str
    phase: Phase
    since: float
    reason: str = ""
    wanted: bool = False
    pid: int | None = None
    exit_code: int | None = None
    last_lines: tuple[str, ...] = ()
    restarts: int = 0
    next_at: float | None = None

    def as_dict(self, now: float) -> dict[str, object]:
        """All of it in plain types; ``age`` and ``next_attempt`` in seconds from ``now``."""
        return {
            "name": self.name,
            "mod": self.mod,
            "label": self.label,
            "state": self.phase.value,
            "age": round(max(0.0, now - self.since), 3),
            "reason": self.reason,
            "pid": self.pid,
            "exit_code": self.exit_code,
            "restarts": self.restarts,
            "next_attempt": None if self.next_at is None else round(max(0.0, self.next_at - now), 3),
            "last_lines": list(self.last_lines),
        }


def first_status(spec: NodeSpec, now: float) -> NodeStatus:
    """A node that has not been started yet."""
    return NodeStatus(spec.name, spec.mod, spec.label, Phase.STOPPED, now)


def unavailable_status(name: str, reason: str, now: float) -> NodeStatus:
    """A node that cannot run on this machine."""
    label = name.partition("/")[2]
    return NodeStatus(name, owner_of(name), label, Phase.UNAVAILABLE, now, reason)
