"""One step from what is to what should be, for a table of nodes: pure, so that a test can play any life.

The step never waits. It looks at what the backend saw, decides for each node, and names the actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from bxi_framework.supervision.backend import Life, Sight
from bxi_framework.supervision.spec import NodeSpec
from bxi_framework.supervision.status import NodeStatus, Phase

LIVE = frozenset((Phase.STARTING, Phase.RUNNING, Phase.STOPPING))
"""Phases in which the backend holds something of the node."""


class Act(str, Enum):
    """What the backend is asked for."""

    START = "start"
    STOP = "stop"
    FORGET = "forget"


@dataclass(frozen=True, slots=True)
class Row:
    """A node in the table: ``wanted`` to run or not; ``next_at`` (s) is when it may be started again."""

    spec: NodeSpec
    status: NodeStatus
    wanted: bool = False
    next_at: float = 0.0

    @property
    def live(self) -> bool:
        """True if the backend holds something of the node."""
        return self.status.phase in LIVE


def step(
    rows: Mapping[str, Row], sights: Mapping[str, Sight], now: float
) -> tuple[dict[str, Row], list[tuple[Act, NodeSpec]]]:
    """Decide for every node.

    Args:
        rows: the table by full name, in the order of the starts.
        sights: what was seen of the live nodes.
        now: monotonic seconds.

    Returns:
        The new table, and what to ask of the backend, in order.
    """
    table = dict(rows)
    acts: list[tuple[Act, NodeSpec]] = []
    for name, row in rows.items():
        if row.live:
            table[name] = _seen(row, sights[name], now, acts)
    for name in rows:
        if table[name].wanted and not table[name].live:
            table[name] = _begin(table[name], table, now, acts)
    for name in reversed(list(rows)):
        if not table[name].wanted:
            table[name] = _end(table[name], table, now, acts)
    return table, acts


def _seen(row: Row, sight: Sight, now: float, acts: list[tuple[Act, NodeSpec]]) -> Row:
    """A live node after a look at it."""
    status = row.status
    if sight.life is Life.ENDED:
        acts.append((Act.FORGET, row.spec))
        return _ended(row, sight, now)
    phase = Phase.STOPPING if status.phase is Phase.STOPPING else Phase(sight.life.value)
    restart = row.spec.decl.restart
    stable = phase is Phase.RUNNING and now - status.since >= restart.reset_after
    return replace(
        row,
        status=replace(
            _moved(status, phase, now),
            pid=sight.pid,
            restarts=0 if stable and phase is status.phase else status.restarts,
        ),
    )


def _ended(row: Row, sight: Sight, now: float) -> Row:
    """A node that is gone: stopped if that was asked for, else started again or faulted by its policy."""
    restart = row.spec.decl.restart
    status = replace(
        row.status, pid=None, exit_code=sight.exit_code, last_lines=sight.last_lines, reason=sight.reason
    )
    if not row.wanted:
        return replace(row, status=_moved(status, Phase.STOPPED, now))
    # A stable run that ended between two looks counts as one as well.
    attempts = 0 if now - row.status.since >= restart.reset_after else status.restarts
    final = sight.exit_code in restart.non_retryable_exit_codes
    if row.spec.decl.execution == "in_process" or final or attempts >= restart.max_attempts:
        return replace(row, status=_moved(status, Phase.FAULTED, now))
    delay = restart.delay * restart.backoff**attempts
    status = replace(_moved(status, Phase.RESTARTING, now), restarts=attempts + 1)
    return replace(row, status=status, next_at=now + delay)


def _begin(row: Row, table: Mapping[str, Row], now: float, acts: list[tuple[Act, NodeSpec]]) -> Row:
    """A node that should run and does not: start it once all that it depends on runs and its time is come."""
    status = row.status
    if status.phase is Phase.FAULTED or (status.phase is Phase.RESTARTING and now < row.next_at):
        return row
    lacking = next((name for name in row.spec.depends_on if not _runs(table, name)), None)
    if lacking is not None:
        waiting = replace(status, reason=f"it depends on '{lacking}', which does not run")
        return replace(row, status=_moved(waiting, Phase.WAITING, now))
    acts.append((Act.START, row.spec))
    return replace(row, status=_moved(replace(status, reason=""), Phase.STARTING, now))


def _end(row: Row, table: Mapping[str, Row], now: float, acts: list[tuple[Act, NodeSpec]]) -> Row:
    """A node that should not run: stop it once nothing that depends on it lives."""
    status = row.status
    if status.phase in (Phase.WAITING, Phase.RESTARTING):
        return replace(row, status=_moved(replace(status, reason=""), Phase.STOPPED, now))
    if status.phase not in (Phase.STARTING, Phase.RUNNING) or _needed(row.spec.name, table.values()):
        return row
    acts.append((Act.STOP, row.spec))
    return replace(row, status=_moved(status, Phase.STOPPING, now))


def _runs(table: Mapping[str, Row], name: str) -> bool:
    row = table.get(name)
    return row is not None and row.status.phase is Phase.RUNNING


def _needed(name: str, rows: Iterable[Row]) -> bool:
    return any(row.live and name in row.spec.depends_on for row in rows)


def _moved(status: NodeStatus, phase: Phase, now: float) -> NodeStatus:
    return status if phase is status.phase else replace(status, phase=phase, since=now)
