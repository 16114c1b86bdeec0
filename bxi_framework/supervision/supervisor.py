"""Keeps the nodes of all Mods as they should be: asks the backend, and tells what has changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bxi_framework.mod_api.logger import LogSink
from bxi_framework.supervision.backend import NodeBackend
from bxi_framework.supervision.reconcile import Act, Row, step
from bxi_framework.supervision.spec import NodeSpec, start_order
from bxi_framework.supervision.status import NodeStatus, Phase, first_status

_MOST_STEPS = 4
"""Steps of one poll: what starts at once lets those that depend on it start as well."""


class Supervisor:
    """Runs a fixed set of nodes. All methods belong to one thread, never the control thread.

    Args:
        specs: the nodes.
        backend: runs them.
        now: monotonic seconds.
        log: takes one message for each node that fails, waits, or is started again.
    """

    def __init__(
        self, specs: Sequence[NodeSpec], backend: NodeBackend, now: Callable[[], float], log: LogSink
    ) -> None:
        self._backend = backend
        self._now = now
        self._log = log
        self._rows = {spec.name: Row(spec, first_status(spec, now())) for spec in start_order(specs)}

    @property
    def statuses(self) -> tuple[NodeStatus, ...]:
        """All nodes in the order of their start."""
        return tuple(row.status for row in self._rows.values())

    @property
    def idle(self) -> bool:
        """True if no node lives."""
        return not any(row.live for row in self._rows.values())

    def start(self) -> None:
        """Want every node to run; one that has faulted gets a new chance."""
        for name, row in self._rows.items():
            self._rows[name] = replace(row, wanted=True, status=self._fresh(row.status))
        self.poll()

    def stop(self, wait: Callable[[], None], limit: float) -> bool:
        """Want no node to run, and see to it, the last started first; ``wait`` lets a little time pass.

        Returns:
            False if something still lived after ``limit`` seconds.
        """
        for name, row in self._rows.items():
            self._rows[name] = replace(row, wanted=False)
        end = self._now() + limit
        self.poll()
        while not self.idle and self._now() < end:
            wait()
            self.poll()
        return self.idle

    def poll(self) -> None:
        """Move what is towards what should be; never waits."""
        for _ in range(max(_MOST_STEPS, len(self._rows))):
            sights = {name: self._backend.look(name) for name, row in self._rows.items() if row.live}
            rows, acts = step(self._rows, sights, self._now())
            for name, row in rows.items():
                self._tell(self._rows[name].status, row)
            self._rows = rows
            for act, spec in acts:
                self._do(act, spec)
            if not acts:
                return

    def _do(self, act: Act, spec: NodeSpec) -> None:
        if act is Act.START:
            self._backend.start(spec)
        elif act is Act.STOP:
            self._backend.stop(spec.name)
        else:
            self._backend.forget(spec.name)

    def _fresh(self, status: NodeStatus) -> NodeStatus:
        if status.phase is not Phase.FAULTED:
            return status
        return replace(status, phase=Phase.STOPPED, since=self._now(), restarts=0)

    def _tell(self, before: NodeStatus, row: Row) -> None:
        status, mod = row.status, row.spec.mod
        if status.phase is before.phase:
            return
        if status.phase is Phase.FAULTED:
            self._log("error", status.name, f"node of '{mod}' failed: {status.reason}")
        elif status.phase is Phase.RESTARTING:
            delay = row.next_at - status.since
            self._log(
                "warning",
                status.name,
                f"node of '{mod}' ended: {status.reason}; start {status.restarts} of "
                f"{row.spec.decl.restart.max_attempts} follows in {delay:g} s",
            )
        elif status.phase is Phase.WAITING:
            self._log("warning", status.name, f"node of '{mod}' is not started: {status.reason}")
