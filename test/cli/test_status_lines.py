"""What `bxi status` prints of a state, line by line."""

from __future__ import annotations

from typing import Any

from bxi_framework.cli.status import lines

QUIET: dict[str, Any] = {
    "current": {"name": "com.acme.walk/walk", "id": 1, "label": "Walk", "elapsed": 4.0},
    "transition": None,
    "pending": None,
    "preparing": None,
    "stop": {"latched": False, "reason": None},
    "passive": None,
    "held": None,
    "policy": None,
    "ignored": None,
    "control": {"active": True, "velocity": "none"},
    "inputs": {},
    "nodes": [],
    "timing": {"ticks": 0, "period_us": 20000.0},
}


def test_a_preparation_says_what_it_waits_for_and_for_how_long() -> None:
    ready = {"to": "com.acme.walk/walk", "awaits": "on_prepare()", "elapsed": 1.26, "limit": 30.0}
    assert "preparing   com.acme.walk/walk for 1.3 s, waiting for on_prepare()" in list(
        lines({**QUIET, "preparing": ready})
    )


def test_a_policy_shows_what_its_model_costs_and_how_old_its_inputs_are() -> None:
    asked = {"calls": 200, "late": 1, "last_ms": 2.04, "worst_ms": 80.0, "warm_up_ms": 400.0}
    inputs = {
        "heights": {"age": 0.034, "limit": 0.2, "lost": False},
        "depth": {"age": None, "limit": 0.2, "lost": True},
    }
    shown = list(lines({**QUIET, "policy": {"inference": asked, "inputs": inputs}}))
    assert (
        "policy      200 calls, 1 late, last 2.0 ms, worst 80.0 ms, heights 0.03 s ago, depth LOST" in shown
    )
    only = list(lines({**QUIET, "policy": {"inference": None, "inputs": inputs}}))
    assert "policy      heights 0.03 s ago, depth LOST" in only
