"""What the log is told of a node: each failure, each further start, each wait for what has failed."""

from __future__ import annotations

from collections.abc import Mapping

from bxi_framework.mod_api.logger import LogSink
from bxi_framework.supervision.fold import Fold
from bxi_framework.supervision.reconcile import Row
from bxi_framework.supervision.status import Phase

_HOPELESS = frozenset((Phase.FAULTED, Phase.UNAVAILABLE))


def tell(log: LogSink, fold: Fold, before: Row, row: Row, rows: Mapping[str, Row], now: float) -> None:
    """Say what has changed from one step to the next, in one line at most.

    Args:
        log: takes the line.
        fold: passes over what a node that starts and ends all the time says each time.
        before: the node before the step.
        row: the node after it.
        rows: all nodes after it.
        now: monotonic seconds.
    """
    old, status = before.status, row.status
    node = f"node of '{status.mod}'"
    if status.phase is Phase.STOPPED:
        waits = status.wanted and status.reason != old.reason
        if waits and any(rows[name].status.phase in _HOPELESS for name in row.spec.depends_on):
            log("warning", status.name, f"{node} is not started: {status.reason}")
    elif status.phase is old.phase:
        return
    elif status.phase is Phase.FAULTED:
        log("error", status.name, f"{node} failed: {status.reason}")
    elif status.phase is Phase.RESTARTING and status.next_at is not None:
        more = fold.admits(status.name, status.reason)
        if more is None:
            return
        log(
            "warning",
            status.name,
            f"{node} ended: {status.reason}; start {status.restarts} of "
            f"{row.spec.decl.restart.max_attempts} follows in {status.next_at - now:g} s{more}",
        )
    elif status.phase is Phase.RUNNING and status.restarts:
        most = row.spec.decl.restart.max_attempts
        more = fold.admits(f"{status.name} runs", "")
        if more is not None:
            log("info", status.name, f"{node} runs again, at start {status.restarts} of {most}{more}")
