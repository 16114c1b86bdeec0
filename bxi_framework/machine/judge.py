"""Which of the events of one tick counts, and what becomes of the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bxi_framework.machine.graph import Action, Route, StateGraph, StateNode


@dataclass(frozen=True, slots=True)
class Decision:
    """The route to take, or the actions to do; ``ignored`` pairs every other event with the reason.

    ``cancels`` says that the route belongs to the target of the running transition and leads back to its
    source.
    """

    route: Route | None
    cancels: bool
    actions: tuple[Action, ...]
    ignored: tuple[tuple[str, str], ...]


def judge(graph: StateGraph, current: StateNode, heading: StateNode | None, fired: Sequence[str]) -> Decision:
    """Judge the events of a tick.

    Args:
        graph: tells the stop and the fault state, whose routes win.
        current: the state in control.
        heading: the target of the running transition, if there is one.
        fired: event names in any order.
    """
    cancels = False
    routes = [current.routes[name] for name in fired if name in current.routes]
    if not routes and heading is not None:
        back = (heading.routes.get(name) for name in fired)
        routes = [route for route in back if route is not None and route.target == current.name]
        cancels = bool(routes)
    safe = (graph.stop, graph.fault)
    winner = min(routes, key=lambda route: (route.target not in safe, route.order), default=None)
    actions: tuple[Action, ...] = ()
    if winner is None and heading is None:
        found = (current.actions[name] for name in fired if name in current.actions)
        actions = tuple(sorted(found, key=lambda action: action.order))
    used = {action.event for action in actions} | {winner.event if winner else None}
    return Decision(winner, cancels, actions, tuple(_ignored(current, heading, winner, used, fired)))


def _ignored(
    current: StateNode,
    heading: StateNode | None,
    winner: Route | None,
    used: set[str | None],
    fired: Iterable[str],
) -> Iterable[tuple[str, str]]:
    for name in fired:
        if name in used:
            continue
        if winner is not None and (name in current.routes or name in current.actions):
            yield name, f"passed over for '{winner.event}'"
        elif name in current.actions:
            yield name, f"'{current.name}' does no actions while a transition runs"
        else:
            where = (
                f"'{current.name}'" if heading is None else f"'{current.name}' or back from '{heading.name}'"
            )
            yield name, f"no route or action for it in {where}"
