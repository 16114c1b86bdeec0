"""Calls of the hooks of a state: a failure becomes a value and is reported once, it never travels into the
loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bxi_framework.diagnostics.guard import mod_place, place_below
from bxi_framework.machine.graph import StateNode
from bxi_framework.mod_api.logger import LogSink


@dataclass(frozen=True, slots=True)
class Failure:
    """Something of a Mod that failed: ``owner`` is the state or transition, ``reason`` one line with the
    place in its code.
    """

    owner: str
    reason: str


def attempt(node: StateNode, what: str, call: Callable[[], object]) -> Failure | None:
    """Run a hook; return what went wrong.

    Whatever the Mod raises counts, ``SystemExit`` included: no Mod ends the loop.
    """
    try:
        call()
    except BaseException as error:
        return failure(node, what, error)
    return None


def failure(node: StateNode, what: str, error: BaseException) -> Failure:
    """The failure that an exception of a state or of a transition to it means."""
    return Failure(node.name, f"{what} failed: {mod_place(error, node.root)}")


def failure_among(nodes: Sequence[StateNode], what: str, error: BaseException) -> Failure:
    """The failure of something in which several states take part: that of the first one whose Mod's code led
    to the error, else that of the first one.
    """
    blamed = (node for node in nodes if place_below(error, node.root) is not None)
    return failure(next(blamed, nodes[0]), what, error)


def report(log: LogSink, fault: Failure, consequence: str) -> None:
    """Say once what failed and what happens now."""
    log("error", fault.owner, f"{fault.reason}; {consequence}")
