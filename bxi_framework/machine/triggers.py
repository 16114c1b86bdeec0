"""The state machine proper, on the `transitions` library: which state is in control, and how it may change.

Routes are triggers named by their event, requests are one trigger from every state. A trigger is fired only
when the motion of a switch is complete, so nothing here runs in a tick without a switch.
"""

from __future__ import annotations

from collections.abc import Callable

from transitions import EventData, Machine, State, Transition

from bxi_framework.machine.graph import Route, StateGraph

REQUEST = "request"


class _Requested(Transition):
    """A transition whose destination comes with the trigger."""

    def _change_state(self, event_data: EventData) -> None:
        self.dest = event_data.kwargs["target"]
        super()._change_state(event_data)


class StateTriggers:
    """Holds the name of the current state in ``state``; `fire` is the only way to change it.

    Args:
        graph: the states and routes.
        leave: called with the name of the state that is left.
        enter: called with the name of the state that is entered.
    """

    state: str

    def __init__(self, graph: StateGraph, leave: Callable[[str], None], enter: Callable[[str], None]) -> None:
        self._leave = leave
        self._enter = enter
        self._open = False
        self._machine = machine = Machine(
            model=None,
            states=[State(name) for name in graph.states],
            initial=graph.initial,
            auto_transitions=False,
            send_event=True,
            before_state_change=[self._leaving],
            after_state_change=[self._entered],
        )
        for route in graph.routes:
            machine.add_transition(trigger_of(route), route.source, route.target, conditions=[self._is_open])
        machine.add_transition(REQUEST, graph.initial, graph.initial)
        requests = machine.events[REQUEST]
        requests.transitions.clear()
        for name in graph.states:
            requests.add_transition(_Requested(name, name, conditions=self._is_open))  # type: ignore[arg-type]  # the stub names the wrapped type
        machine.set_state(graph.initial, self)

    def fire(self, route: Route | None, target: str) -> None:
        """Change the state: by ``route`` if it leads from the current state to ``target``, else by
        request.
        """
        trigger = REQUEST
        if route is not None and route.source == self.state and route.target == target:
            trigger = trigger_of(route)
        self._open = True
        try:
            self._machine.events[trigger].trigger(self, target=target)
        finally:
            self._open = False

    def _is_open(self, event_data: EventData) -> bool:
        return self._open

    def _leaving(self, event_data: EventData) -> None:
        self._leave(self.state)

    def _entered(self, event_data: EventData) -> None:
        self._enter(self.state)


def trigger_of(route: Route) -> str:
    """The trigger of a route: its event, or its time and target, since two may share the time."""
    return route.event if route.event is not None else f"after {route.after} s to {route.target}"
