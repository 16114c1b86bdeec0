"""Keeps the nodes of all Mods as they should be: asks the backend, and tells what has changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.machine.requests import Reply, Verdict
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.supervision.backend import Life, NodeBackend, Sight
from bxi_framework.supervision.desired import INACTIVE, Desired, unwanted
from bxi_framework.supervision.fold import Fold
from bxi_framework.supervision.guard.lacks import lacking
from bxi_framework.supervision.preparation import NodeStart, Table, outcome_of
from bxi_framework.supervision.reconcile import Act, Row, fresh, step
from bxi_framework.supervision.spec import NodeSpec, start_order
from bxi_framework.supervision.status import NodeStatus, first_status, unavailable_status
from bxi_framework.supervision.telling import tell

_MOST_STEPS = 4
"""Steps of one poll: what starts at once lets those that depend on it start as well."""


def _no_states() -> frozenset[str]:
    return frozenset()


def _no_start() -> NodeStart | None:
    return None


class Supervisor:
    """Runs a fixed set of nodes.

    `poll` belongs to one thread, never the control thread; it never waits. The other methods may be called by
    any thread: they leave word for the next `poll`. What they return is of the last one.

    Args:
        specs: the nodes.
        backend: runs them; called by `poll` only.
        now: monotonic seconds.
        log: takes one message for each node that fails, waits, or is started again.
        unavailable: the nodes that cannot run on this machine, by full name, with the reason.
        states: the states whose nodes are needed.
        asked: the start of nodes that a switch waits for.
    """

    def __init__(
        self,
        specs: Sequence[NodeSpec],
        backend: NodeBackend,
        now: Callable[[], float],
        log: LogSink,
        *,
        unavailable: Mapping[str, str] | None = None,
        states: Callable[[], frozenset[str]] = _no_states,
        asked: Callable[[], NodeStart | None] = _no_start,
    ) -> None:
        self._backend = backend
        self._now = now
        self._log = log
        self._states = states
        self._asked = asked
        self._desired = Desired()
        self._rows = {spec.name: Row(spec, first_status(spec, now())) for spec in start_order(specs)}
        missing = sorted((unavailable or {}).items())
        self._unavailable = {name: unavailable_status(name, reason, now()) for name, reason in missing}
        self._specs = {name: row.spec for name, row in self._rows.items()}
        self._words: deque[Callable[[], None]] = deque()
        self._start: NodeStart | None = None
        self._start_since = 0.0
        self._unstarted: dict[str, Sight] = {}
        self._fold = Fold(now)
        self.statuses: tuple[NodeStatus, ...] = ()
        """All nodes in the order of their start, then those that are unavailable."""
        self._publish()

    @property
    def idle(self) -> bool:
        """True if no node lives, none is to be started, and no word was left that `poll` has not heard."""
        return not (self._words or self._desired.up or any(row.live for row in self._rows.values()))

    def start(self) -> None:
        """Want the nodes to run; those that have faulted or were stopped by hand get a new chance."""
        self._words.append(self._go)

    def stop(self) -> None:
        """Want no node to run."""
        self._words.append(lambda: self._want(up=False))

    def restart(self, name: str, reply: Reply) -> None:
        """Start a node anew, whatever became of it; ``reply`` is called by `poll`."""
        self._words.append(lambda: reply(self._restarted(name)))

    def halt(self, name: str, reply: Reply) -> None:
        """Stop a node until somebody restarts it; ``reply`` is called by `poll`."""
        self._words.append(lambda: reply(self._halted(name)))

    def poll(self) -> None:
        """Move what is towards what should be."""
        while self._words:
            self._words.popleft()()
        self._desired = replace(self._desired, states=self._states())
        self._hear_start()
        for _ in range(max(_MOST_STEPS, len(self._rows))):
            if not self._step():
                break
        self._publish()
        if self._start is not None and self._start.outcome is None:
            self._start.outcome = outcome_of(
                self._start.names, self._table(), self._now() - self._start_since
            )

    def _step(self) -> bool:
        """One step; False if it has led to nothing."""
        should_not = unwanted((row.spec for row in self._rows.values()), self._desired)
        sights = {name: self._look(name) for name, row in self._rows.items() if row.live}
        rows, acts = step(self._rows, should_not, sights, self._now())
        for name, row in rows.items():
            tell(self._log, self._fold, self._rows[name], row, rows, self._now())
        self._rows = rows
        for act, spec in acts:
            self._do(act, spec)
        ended = {name for name in self._desired.again if not rows[name].live}
        self._desired = replace(self._desired, again=self._desired.again - ended)
        return bool(acts or ended)

    def _do(self, act: Act, spec: NodeSpec) -> None:
        if act is Act.START:
            self._begin(spec)
        elif spec.name in self._unstarted:
            if act is Act.FORGET:
                del self._unstarted[spec.name]
        elif act is Act.STOP:
            self._backend.stop(spec.name)
        else:
            self._backend.forget(spec.name)

    def _begin(self, spec: NodeSpec) -> None:
        """Start a node; whatever the machine lacks for that is the failure of this node alone."""
        try:
            self._backend.start(spec)
        except Exception as error:
            reason = lacking("it cannot be started", error)
            self._unstarted[spec.name] = Sight(Life.ENDED, reason=reason)

    def _look(self, name: str) -> Sight:
        return self._unstarted.get(name) or self._backend.look(name)

    def _publish(self) -> None:
        statuses = (*(row.status for row in self._rows.values()), *self._unavailable.values())
        if statuses != self.statuses:
            self.statuses = statuses

    def _go(self) -> None:
        self._want(up=True)
        self._desired = replace(self._desired, halted=frozenset(), again=frozenset())
        self._freshen(self._rows)

    def _want(self, *, up: bool) -> None:
        self._desired = replace(self._desired, up=up)

    def _freshen(self, names: Iterable[str]) -> None:
        for name in list(names):
            if name in self._rows:
                self._rows[name] = fresh(self._rows[name], self._now())

    def _hear_start(self) -> None:
        """Nodes that a switch newly asks for have all their attempts, also those that had failed."""
        start = self._asked()
        if start is not self._start:
            self._start, self._start_since = start, self._now()
            if start is not None:
                self._freshen(start.names)

    def _table(self) -> Table:
        statuses = {status.name: status for status in self.statuses}
        return Table(self._now(), statuses, self._specs, self._desired.halted)

    def _refusal(self, name: str) -> str:
        """Why nothing can be done about a node; empty if something can."""
        if name in self._unavailable:
            return f"'{name}' is unavailable: {self._unavailable[name].reason}"
        if name not in self._rows:
            return f"no node '{name}'. {did_you_mean(name, (*self._rows, *self._unavailable))}"
        return "" if self._desired.up else INACTIVE

    def _restarted(self, name: str) -> Verdict:
        refusal = self._refusal(name)
        if refusal:
            return Verdict(False, refusal)
        table, spec = self._table(), self._rows[name].spec
        trouble = next(filter(None, map(table.trouble, spec.depends_on)), "")
        if trouble:
            return Verdict(False, trouble)
        desired = self._desired
        again = {name} if self._rows[name].live else set()
        self._desired = replace(desired, halted=desired.halted - {name}, again=desired.again | again)
        self._freshen((name,))
        self._log("info", name, f"node of '{spec.mod}' is started anew by hand")
        if spec.decl.lifecycle == "state" and not desired.states.intersection(spec.decl.states):
            return Verdict(True, f"it starts with its states: {', '.join(spec.decl.states)}")
        return Verdict(True)

    def _halted(self, name: str) -> Verdict:
        refusal = self._refusal(name)
        if not refusal and name in self._desired.halted:
            refusal = f"'{name}' was stopped by hand already"
        if refusal:
            return Verdict(False, refusal)
        self._desired = replace(self._desired, halted=self._desired.halted | {name})
        self._freshen((name,))
        self._log("info", name, f"node of '{self._rows[name].spec.mod}' is stopped by hand")
        others = [row.spec.name for row in self._rows.values() if row.live and self._follows(row.spec, name)]
        return Verdict(True, f"with it ends what depends on it: {', '.join(others)}" if others else "")

    def _follows(self, spec: NodeSpec, name: str) -> bool:
        """True if a node depends on another, directly or through others."""
        return any(other == name or self._follows(self._rows[other].spec, name) for other in spec.depends_on)
