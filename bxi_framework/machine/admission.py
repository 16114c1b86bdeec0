"""May this switch happen? Names resolved, transition checked, the target asked; the answer carries the
reason.
"""

from __future__ import annotations

import math

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.machine.context import ControlContext
from bxi_framework.machine.entry import entry_refusal
from bxi_framework.machine.graph import NamedTransition, Route, StateGraph, StateNode
from bxi_framework.machine.hooks import failure, report
from bxi_framework.machine.requests import Verdict
from bxi_framework.machine.switch import Plan
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot.topic_age import overdue

MOST_TOLD = 1000
"""Names of unknown events that are told."""


class Admission:
    """Turns wishes into plans or refusals. Refusals are values with a reason, never exceptions."""

    def __init__(self, graph: StateGraph, context: ControlContext, log: LogSink) -> None:
        self._graph = graph
        self._context = context
        self._log = log
        self._unknown: set[str] = set()

    def refusal(self, target: StateNode) -> str:
        """Why the target cannot be entered now; empty if it can."""
        return self._unavailable(target) or self._unready(target)

    def _unavailable(self, target: StateNode) -> str:
        """What the state itself says."""
        try:
            available = bool(target.state.is_available(self._context))
        except BaseException as error:
            fault = failure(target, "is_available()", error)
            report(self._log, fault, "the switch is refused")
            return fault.reason
        return "" if available else f"'{target.name}' says that it is not available now"

    def _unready(self, target: StateNode) -> str:
        """Which input of the state is missing or too old, or why the robot is outside of its entry window, if
        that can be said before the preparation. A request by force changes nothing about these.
        """
        late = overdue(target.state.input_limits, self._context.inputs)
        if late is not None:
            return f"'{target.name}' needs {late.sentence}"
        if target.prepares and not target.state.entry_known:
            return ""
        try:
            return entry_refusal(target, self._context)
        except BaseException as error:
            fault = failure(target, "get_entry_frame()", error)
            report(self._log, fault, "the switch is refused")
            return fault.reason

    def admit(
        self, current: StateNode, name: str, trigger: str, transition: str | None, delay: float, force: bool
    ) -> tuple[Plan | None, Verdict]:
        """Judge a request for a switch from ``current`` to the state ``name``."""
        target = self._graph.resolve_state(name, current.mod)
        if target is None:
            return None, Verdict(False, f"no state '{name}'. {did_you_mean(name, self._graph.states)}")
        if not math.isfinite(delay) or delay < 0.0:
            return None, Verdict(
                False, f"the delay must be a finite number of seconds, at least 0, not {delay}"
            )
        route = next((r for r in _routes(current) if r.target == target.name), None)
        motion = self._motion(transition, current, route)
        if motion is None:
            hint = did_you_mean(str(transition), self._graph.profiles)
            return None, Verdict(False, f"no transition profile '{transition}'. {hint}")
        unsuitable = self._unsuitable(motion, current, target)
        if unsuitable:
            return None, Verdict(False, unsuitable)
        refusal = self._unready(target) if force else self.refusal(target)
        if refusal:
            return None, Verdict(False, refusal)
        return Plan(current, target, motion, route, trigger, delay), Verdict(True)

    def _motion(self, name: str | None, current: StateNode, route: Route | None) -> NamedTransition | None:
        if name is None:
            return route.motion if route is not None else self._graph.default_motion
        return self._graph.profiles.get(name) or self._graph.profiles.get(f"{current.mod}/{name}")

    def _unsuitable(self, motion: NamedTransition, current: StateNode, target: StateNode) -> str:
        try:
            motion.transition.validate_states(current.state, target.state)
        except ValueError as error:
            return str(error)
        except BaseException as error:
            fault = failure(target, f"the check of transition '{motion.name}'", error)
            report(self._log, fault, "the switch is refused")
            return fault.reason
        return ""

    def unknown_event(self, name: str) -> Verdict:
        """The refusal of an event that nobody declared; logged once for each name."""
        reason = f"no event '{name}'. {did_you_mean(name, self._graph.events)}"
        if name not in self._unknown and len(self._unknown) < MOST_TOLD:
            self._unknown.add(name)
            more = "; further unknown names are not told" if len(self._unknown) == MOST_TOLD else ""
            self._log("warning", "events", reason + more)
        return Verdict(False, reason)


def _routes(node: StateNode) -> list[Route]:
    return sorted((*node.routes.values(), *node.timed), key=lambda route: route.order)
