"""Which nodes should run, and why the others should not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bxi_framework.supervision.spec import NodeSpec

INACTIVE = "the control node is not active"
HALTED = "it was stopped by hand"
AGAIN = "it is started anew"


@dataclass(frozen=True, slots=True)
class Desired:
    """What is asked of all nodes together.

    ``up`` is False while nothing should run; ``states`` are those in control or about to be; ``halted`` are
    the nodes that a person has stopped, ``again`` those that are to end and start once more.
    """

    up: bool = False
    states: frozenset[str] = frozenset()
    halted: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()


def unwanted(specs: Iterable[NodeSpec], desired: Desired) -> dict[str, str]:
    """The nodes that should not run, each with the reason.

    ``specs`` are in the order of their starts: a node whose dependency should not run should not either.
    """
    found: dict[str, str] = {}
    for spec in specs:
        reason = _own_reason(spec, desired)
        lacking = next((name for name in spec.depends_on if name in found), None)
        if not reason and lacking is not None:
            reason = f"it depends on '{lacking}', which should not run: {found[lacking]}"
        if reason:
            found[spec.name] = reason
    return found


def _own_reason(spec: NodeSpec, desired: Desired) -> str:
    if not desired.up:
        return INACTIVE
    if spec.name in desired.halted:
        return HALTED
    if spec.name in desired.again:
        return AGAIN
    if spec.decl.lifecycle == "state" and not desired.states.intersection(spec.decl.states):
        return "none of its states is in control"
    return ""
