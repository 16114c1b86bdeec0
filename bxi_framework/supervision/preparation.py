"""A switch that needs nodes: they run before the rest of its preparation begins."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType

from bxi_framework.diagnostics.guard import Outcome
from bxi_framework.machine.preparation import NotReadyError, Preparation
from bxi_framework.supervision.spec import NodeSpec
from bxi_framework.supervision.status import NodeStatus, Phase

PATIENCE = 10.0
"""Seconds within which the nodes of a state must run; then the switch is refused."""

SETTLING = 0.5
"""Seconds that a process which is no python node must have run before a switch relies on it."""


class NodeStart:
    """Nodes that a switch waits for. The supervisor sets ``outcome`` once: empty if all run, else why not."""

    __slots__ = ("names", "outcome")

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.outcome: str | None = None


class NodePreparation:
    """Lets nodes come before the job of another preparation. All methods but ``asked`` belong to the thread
    that switches states; none waits.
    """

    def __init__(self, jobs: Preparation) -> None:
        self._jobs = jobs
        self._job: Callable[[], None] | None = None
        self._key = ""
        self.asked: NodeStart | None = None
        """What the supervisor is to see to; None if no switch waits for nodes. May be read by any thread."""

    @property
    def inline(self) -> bool:
        """As the other preparation is."""
        return self._jobs.inline

    def begin(self, job: Callable[[], None], nodes: Sequence[str] = (), key: str = "") -> None:
        """Start a job, once these nodes run."""
        if not nodes:
            self._jobs.begin(job, (), key)
            return
        self._job, self._key = job, key
        self.asked = NodeStart(nodes)

    def poll(self) -> Outcome | None:
        """None while nodes or the job are waited for; the outcome once. Nodes that cannot run are one."""
        asked, job = self.asked, self._job
        if asked is None or job is None:
            return self._jobs.poll()
        if asked.outcome is None:
            return None
        self.asked = self._job = None
        if asked.outcome:
            return Outcome(NotReadyError(asked.outcome))
        self._jobs.begin(job, (), self._key)
        return self._jobs.poll()

    def cancel(self, cleanup: Callable[[], None], key: str = "") -> None:
        """Wait for the nodes no more, or drop the job."""
        if self.asked is None:
            self._jobs.cancel(cleanup, key)
        self.asked = self._job = None

    def stands(self, key: str) -> FrameType | None:
        """Where the job of this key stands."""
        return self._jobs.stands(key)

    def close(self) -> None:
        """Accept no more jobs."""
        self.asked = self._job = None
        self._jobs.close()


@dataclass(frozen=True, slots=True)
class Table:
    """All nodes of one moment ``now`` (s), by full name: what became of them, what they are, and which ones a
    person has stopped.
    """

    now: float
    statuses: Mapping[str, NodeStatus]
    specs: Mapping[str, NodeSpec]
    halted: Collection[str]

    def runs(self, name: str) -> bool:
        """True if a node runs and can be relied on."""
        status = self.statuses[name]
        if status.phase is not Phase.RUNNING:
            return False
        # Such a program cannot say that it is ready, and one that fails at its start takes a moment for it.
        silent = self.specs[name].decl.runtime != "python"
        return not silent or self.now - status.since >= SETTLING

    def trouble(self, name: str) -> str:
        """Why a node, or one that it depends on, cannot come to run by itself; empty if it can."""
        status = self.statuses[name]
        if status.phase is Phase.UNAVAILABLE:
            return f"the node '{name}', which it needs, is unavailable: {status.reason}"
        if status.phase is Phase.FAULTED:
            return f"the node '{name}', which it needs, has failed: {status.reason}"
        if name in self.halted:
            return f"the node '{name}', which it needs, was stopped by hand; restart it first"
        return next(filter(None, map(self.trouble, self.specs[name].depends_on)), "")


def outcome_of(names: Sequence[str], table: Table, waited: float) -> str | None:
    """How a start of nodes stands, ``waited`` seconds after it was asked for: None while it may still
    succeed, empty if all run, else why it has failed.
    """
    missing = [table.statuses[name] for name in names if not table.runs(name)]
    if not missing:
        return ""
    trouble = next(filter(None, (table.trouble(status.name) for status in missing)), "")
    if trouble or waited < PATIENCE:
        return trouble or None
    status = missing[0]
    why = f": {status.reason}" if status.reason else ""
    return f"the node '{status.name}', which it needs, is {status.phase.value} after {PATIENCE:g} s{why}"
