"""What follows when a node has ended by itself."""

from __future__ import annotations

import pytest

from bxi_framework.manifest.node_decl import RestartDecl
from bxi_framework.supervision import Life, Sight
from bxi_framework.supervision.policy import Attempt, next_attempt, stable

POLICY = RestartDecl(max_attempts=3, delay=1.5, backoff=2.0, reset_after=60.0, non_retryable_exit_codes=(7,))


def end(code: int | None = 1, *, final: bool = False) -> Sight:
    return Sight(Life.ENDED, exit_code=code, final=final)


@pytest.mark.parametrize(
    ("attempts", "follows"),
    [(0, Attempt(1, 1.5)), (1, Attempt(2, 3.0)), (2, Attempt(3, 6.0)), (3, None), (4, None)],
)
def test_delays_grow_and_attempts_end(attempts: int, follows: Attempt | None) -> None:
    assert next_attempt(POLICY, attempts, end()) == follows


@pytest.mark.parametrize("code", [0, 1, -11, None])
def test_every_end_that_nobody_asked_for_counts(code: int | None) -> None:
    assert next_attempt(POLICY, 0, end(code)) == Attempt(1, 1.5)


def test_some_ends_are_final() -> None:
    assert next_attempt(POLICY, 0, end(7)) is None
    assert next_attempt(POLICY, 0, end(1, final=True)) is None
    assert next_attempt(RestartDecl(max_attempts=0), 0, end()) is None


def test_no_delay_grows_beyond_an_hour() -> None:
    steep = RestartDecl(max_attempts=1000, delay=3600.0, backoff=100.0)
    assert next_attempt(steep, 0, end()) == Attempt(1, 3600.0)
    assert next_attempt(steep, 999, end()) == Attempt(1000, 3600.0)


def test_a_run_is_stable_from_the_declared_time_on() -> None:
    assert not stable(POLICY, 59.9)
    assert stable(POLICY, 60.0)
