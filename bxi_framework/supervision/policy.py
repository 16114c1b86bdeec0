"""What follows when a node has ended by itself: another attempt, and when, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bxi_framework.manifest.node_decl import RestartDecl
from bxi_framework.supervision.backend import Sight

LONGEST_DELAY: Final = 3600.0
"""Seconds that a node waits at most, however often its delay has grown."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A further start: the how manieth since the last stable run, and after how many seconds."""

    number: int
    delay: float


def next_attempt(restart: RestartDecl, attempts: int, end: Sight) -> Attempt | None:
    """The start that follows; None if the node is given up.

    Args:
        restart: what its manifest says.
        attempts: how many there were since the last stable run.
        end: how it has ended.
    """
    given_up = end.final or end.exit_code in restart.non_retryable_exit_codes
    if given_up or attempts >= restart.max_attempts:
        return None
    delay = restart.delay
    for _ in range(attempts):
        delay = min(delay * restart.backoff, LONGEST_DELAY)
    return Attempt(attempts + 1, delay)


def stable(restart: RestartDecl, seconds: float) -> bool:
    """True for a run that was long enough to forget the attempts before it."""
    return seconds >= restart.reset_after
