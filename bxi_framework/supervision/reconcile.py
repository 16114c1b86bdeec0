"""One step from what is to what should be, for a table of nodes: pure, so that a test can play any life.

The step never waits. It looks at what the backend saw, decides for each node, and names the actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from bxi_framework.supervision.backend import Life, Sight
from bxi_framework.supervision.policy import next_attempt, stable
from bxi_framework.supervision.spec import NodeSpec
from bxi_framework.supervision.status import NodeStatus, Phase

LIVE = frozenset((Phase.STARTING, Phase.RUNNING, Phase.STOPPING))
"""Phases in which the backend holds something of the node."""


_BEFORE = "; its last end: "


class Act(str, Enum):
    """What the backend is asked for."""

    START = "start"
    STOP = "stop"
    FORGET = "forget"


@dataclass(frozen=True, slots=True)
class Row:
    """A node in the table: ``running_since`` (s) of the run under way, ``asked`` once it was told to end."""

    spec: NodeSpec
    status: NodeStatus
    running_since: float | None = None
    asked: bool = False

    @property
    def live(self) -> bool:
        """True if the backend holds something of the node."""
        return self.status.phase in LIVE


def step(
    rows: Mapping[str, Row], unwanted: Mapping[str, str], sights: Mapping[str, Sight], now: float
) -> tuple[dict[str, Row], list[tuple[Act, NodeSpec]]]:
    """Decide for every node.

    Args:
        rows: the table by full name, in the order of the starts.
        unwanted: the nodes that should not run, each with the reason.
        sights: what was seen of the live nodes.
        now: monotonic seconds.

    Returns:
        The new table, and what to ask of the backend, in order.
    """
    table = {
        name: replace(row, status=replace(row.status, wanted=name not in unwanted))
        for name, row in rows.items()
    }
    acts: list[tuple[Act, NodeSpec]] = []
    for name, row in table.items():
        if row.live:
            table[name] = _seen(row, sights[name], now, acts)
    for name in rows:
        if name not in unwanted and not table[name].live:
            table[name] = _begin(table[name], table, now, acts)
    for name in reversed(list(rows)):
        if name in unwanted:
            table[name] = _end(table[name], unwanted[name], table, now, acts)
    return table, acts


def fresh(row: Row, now: float) -> Row:
    """A node that has all its attempts before it again; what runs goes on."""
    status = replace(row.status, restarts=0)
    if status.phase in (Phase.FAULTED, Phase.RESTARTING):
        status = _moved(replace(status, reason="", next_at=None), Phase.STOPPED, now)
    return replace(row, status=status)


def _seen(row: Row, sight: Sight, now: float, acts: list[tuple[Act, NodeSpec]]) -> Row:
    """A live node after a look at it."""
    if sight.life is Life.ENDED:
        acts.append((Act.FORGET, row.spec))
        return _ended(row, sight, now)
    phase = Phase.STOPPING if row.status.phase is Phase.STOPPING else Phase(sight.life.value)
    reason = row.status.reason if phase is Phase.STOPPING else sight.reason
    status = replace(_moved(row.status, phase, now), pid=sight.pid, reason=reason)
    since = row.running_since
    if phase is Phase.RUNNING and since is None:
        since = now
    if _was_stable(row, now):
        status = replace(status, restarts=0)
    if phase is Phase.STOPPING:
        since = None
    return replace(row, status=status, running_since=since)


def _ended(row: Row, sight: Sight, now: float) -> Row:
    """A node that is gone: stopped if that was asked for, else started again or given up by its policy."""
    status = replace(
        row.status,
        pid=None,
        exit_code=sight.exit_code,
        last_lines=sight.last_lines,
        reason=sight.reason,
        restarts=0 if _was_stable(row, now) else row.status.restarts,
    )
    gone = Row(row.spec, status)
    if row.asked or not status.wanted:
        return replace(gone, status=_moved(status, Phase.STOPPED, now))
    attempt = next_attempt(row.spec.decl.restart, status.restarts, sight)
    if attempt is None:
        return replace(gone, status=_moved(status, Phase.FAULTED, now))
    status = replace(status, restarts=attempt.number, next_at=now + attempt.delay)
    return replace(gone, status=_moved(status, Phase.RESTARTING, now))


def _was_stable(row: Row, now: float) -> bool:
    return row.running_since is not None and stable(row.spec.decl.restart, now - row.running_since)


def _begin(row: Row, table: Mapping[str, Row], now: float, acts: list[tuple[Act, NodeSpec]]) -> Row:
    """A node that should run and does not: start it once all that it depends on runs and its time is come."""
    status = row.status
    if status.phase is Phase.FAULTED:
        return row
    if status.phase is Phase.RESTARTING and status.next_at is not None and now < status.next_at:
        return row
    lacking = next((name for name in row.spec.depends_on if not _runs(table, name)), None)
    if lacking is None:
        acts.append((Act.START, row.spec))
        return replace(
            row, status=_moved(replace(status, reason="", next_at=None), Phase.STARTING, now), asked=False
        )
    reason = _waiting(lacking, table)
    if status.phase is Phase.RESTARTING:
        reason += _BEFORE + (status.reason.partition(_BEFORE)[2] or status.reason)
    return replace(row, status=replace(status, reason=reason, next_at=None))


def _waiting(lacking: str, table: Mapping[str, Row]) -> str:
    phase = table[lacking].status.phase.value if lacking in table else Phase.UNAVAILABLE.value
    return f"it depends on '{lacking}', which is {phase}"


def _end(
    row: Row, reason: str, table: Mapping[str, Row], now: float, acts: list[tuple[Act, NodeSpec]]
) -> Row:
    """A node that should not run: stop it once nothing that depends on it lives."""
    status = row.status
    if status.phase in (Phase.STOPPED, Phase.RESTARTING):
        return replace(row, status=_moved(replace(status, reason=reason, next_at=None), Phase.STOPPED, now))
    if status.phase not in (Phase.STARTING, Phase.RUNNING) or _needed(row.spec.name, table.values()):
        return row
    acts.append((Act.STOP, row.spec))
    return replace(row, status=_moved(replace(status, reason=reason), Phase.STOPPING, now), asked=True)


def _runs(table: Mapping[str, Row], name: str) -> bool:
    row = table.get(name)
    return row is not None and row.status.phase is Phase.RUNNING


def _needed(name: str, rows: Iterable[Row]) -> bool:
    return any(row.live and name in row.spec.depends_on for row in rows)


def _moved(status: NodeStatus, phase: Phase, now: float) -> NodeStatus:
    return status if phase is status.phase else replace(status, phase=phase, since=now)
