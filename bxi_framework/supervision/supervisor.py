"""Starts nodes in order, stops them in reverse, and knows what became of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bxi_framework.mod_api.logger import LogSink
from bxi_framework.supervision.backend import NodeBackend, Phase
from bxi_framework.supervision.spec import NodeSpec, start_order


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """A node and what became of it; ``reason`` says why it does not run."""

    name: str
    mod: str
    label: str
    phase: Phase
    reason: str = ""


class Supervisor:
    """Runs a fixed set of nodes. All methods belong to one thread, never the control thread.

    Args:
        specs: the nodes.
        backend: runs them.
        log: takes one message for each node that fails.
    """

    def __init__(self, specs: Sequence[NodeSpec], backend: NodeBackend, log: LogSink) -> None:
        self._order = start_order(specs)
        self._backend = backend
        self._log = log
        self._status = {spec.name: _status(spec, Phase.STOPPED) for spec in self._order}
        self._started: list[NodeSpec] = []

    @property
    def statuses(self) -> tuple[NodeStatus, ...]:
        """All nodes in the order of their start."""
        return tuple(self._status.values())

    def start(self) -> None:
        """Start every node whose dependencies run; one that fails keeps only those back that depend on it."""
        for spec in self._order:
            lacking = next((name for name in spec.depends_on if not self._runs(name)), None)
            if lacking is not None:
                self._set(spec, Phase.WAITING, f"it depends on '{lacking}', which does not run")
                continue
            self._started.append(spec)
            problem = self._backend.start(spec)
            self._set(spec, Phase.RUNNING if problem is None else Phase.FAULTED, problem or "")

    def poll(self) -> None:
        """Notice the nodes that have failed since."""
        for spec in self._started:
            if self._status[spec.name].phase is Phase.RUNNING:
                problem = self._backend.poll(spec.name)
                if problem is not None:
                    self._set(spec, Phase.FAULTED, problem)

    def stop(self) -> None:
        """Stop what was started, the last first."""
        while self._started:
            spec = self._started.pop()
            self._backend.stop(spec.name)
            if self._status[spec.name].phase is Phase.RUNNING:
                self._set(spec, Phase.STOPPED, "")

    def _runs(self, name: str) -> bool:
        status = self._status.get(name)
        return status is not None and status.phase is Phase.RUNNING

    def _set(self, spec: NodeSpec, phase: Phase, reason: str) -> None:
        self._status[spec.name] = _status(spec, phase, reason)
        if phase is Phase.FAULTED:
            self._log("error", spec.name, f"node of '{spec.mod}' failed: {reason}")
        elif phase is Phase.WAITING:
            self._log("warning", spec.name, f"node of '{spec.mod}' is not started: {reason}")


def _status(spec: NodeSpec, phase: Phase, reason: str = "") -> NodeStatus:
    return NodeStatus(spec.name, spec.mod, spec.label, phase, reason)
