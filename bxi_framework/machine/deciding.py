"""What becomes of events and wishes: which switch is taken next, which action is done, what is answered."""

from __future__ import annotations

from collections import deque

from bxi_framework.machine.admission import Admission
from bxi_framework.machine.context import ControlContext
from bxi_framework.machine.graph import Route, StateGraph, StateNode
from bxi_framework.machine.halting import STOPPED, Halt
from bxi_framework.machine.hooks import Failure, failure
from bxi_framework.machine.judge import judge
from bxi_framework.machine.requests import AskState, Reply, Resume, SendEvent, Stop, Verdict, Wish
from bxi_framework.machine.switch import ROUNDING, Plan
from bxi_framework.machine.switching import Switching
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot import InputSnapshot


class Deciding:
    """Judges what comes in and hands the granted switches to `Switching`. Belongs to the control thread.

    ``inbox`` holds the wishes that wait for the next tick and may be filled by anyone; ``halt`` is the stop.
    """

    def __init__(
        self,
        graph: StateGraph,
        context: ControlContext,
        period: float,
        switching: Switching,
        log: LogSink,
    ) -> None:
        self.inbox: deque[Wish] = deque()
        self.halt = Halt(graph.stop, log)
        self._graph = graph
        self._context = context
        self._period = period
        self._switching = switching
        self._admission = Admission(graph, context, log)
        self._asked: list[Plan] = []

    def fail(self, fault: Failure) -> None:
        """Something in control has failed: forget what states have asked for and head for the fault state."""
        self._asked.clear()
        self._switching.fail(fault)

    def adopt_asked(self) -> None:
        """Take over what states have asked for in this tick, whose frame was sent."""
        asked, self._asked = self._asked, []
        for plan in asked:
            self._switching.adopt(plan)

    def drain(self, sent: list[SendEvent], inputs: InputSnapshot) -> None:
        """Judge the wishes that wait; events among them go to ``sent``."""
        for _ in range(len(self.inbox)):
            wish = self.inbox.popleft()
            if isinstance(wish, Stop):
                self._stop(wish)
            elif isinstance(wish, Resume):
                self.halt.resume(wish, inputs, self._switching.node.name)
                self._switching.revision += 1
            elif isinstance(wish, AskState):
                plan, verdict = self._admit(wish.name, wish.trigger, wish.transition, wish.delay, wish.force)
                if plan is not None:
                    self._switching.adopt(plan)
                _answer(wish.reply, verdict)
            elif wish.name in self._graph.events:
                sent.append(wish)
            else:
                _answer(wish.reply, self._admission.unknown_event(wish.name))

    def _stop(self, wish: Stop) -> None:
        self.halt.begin(wish)
        self._asked.clear()
        fault = self._switching.jump(self._graph.stop, "a stop came")
        if fault is not None:
            self.fail(fault)

    def on_events(self, fired: tuple[str, ...], sent: list[SendEvent]) -> None:
        """Do what the events ask for that the slots showed and that were sent; say which were ignored."""
        names = tuple(dict.fromkeys((*fired, *(wish.name for wish in sent))))
        reasons = dict.fromkeys(names, STOPPED) if self.halt.reason is not None else self._follow(names)
        for name, reason in reasons.items():
            self._switching.ignore(name, reason)
        for wish in sent:
            _answer(wish.reply, Verdict(wish.name not in reasons, reasons.get(wish.name, "")))

    def _follow(self, names: tuple[str, ...]) -> dict[str, str]:
        """Take the route or do the actions that the events ask for; return why others were ignored."""
        run = self._switching.run
        decision = judge(self._graph, self._switching.node, None if run is None else run.plan.target, names)
        reasons = dict(decision.ignored)
        route = decision.route
        if route is not None and route.event is not None:
            refusal = self._take(route, decision.cancels)
            if refusal:
                reasons[route.event] = refusal
        for action in decision.actions:
            refusal = self._act(action.name)
            if refusal:
                reasons[action.event] = refusal
        return reasons

    def on_time(self) -> None:
        """Take the routes of the state in control whose time has come."""
        switching = self._switching
        busy = switching.run or switching.plan or switching.passive is not None
        if busy or self.halt.reason is not None:
            return
        timed, elapsed = switching.node.timed, switching.cycles_in_state * self._period
        while switching.timed_done < len(timed):
            route = timed[switching.timed_done]
            if route.after is None or elapsed < route.after - ROUNDING:
                return
            switching.timed_done += 1
            refusal = self._take(route, cancels=False)
            if not refusal:
                return
            switching.ignore(f"after {route.after} s", refusal)

    def _take(self, route: Route, cancels: bool) -> str:
        """Follow a route; return the reason if it is refused."""
        switching, target = self._switching, self._graph.states[route.target]
        ahead = self._ahead()
        if ahead is not None and ahead.target is target and ahead.motion is route.motion:
            doing = "waiting to switch" if switching.plan is not None else "on the way"
            return f"already {doing} to '{target.name}'"
        refusal = self._barred(target) or ("" if cancels else self._admission.refusal(target))
        if refusal:
            return refusal
        trigger = route.event or f"after {route.after} s"
        switching.adopt(Plan(switching.node, target, route.motion, route, trigger, route.delay))
        return ""

    def _ahead(self) -> Plan | None:
        """The switch that waits, else the one under way."""
        switching = self._switching
        return switching.plan or (None if switching.run is None else switching.run.plan)

    def _barred(self, target: StateNode) -> str:
        """The way to the fault state gives way to nothing but a way to the stop state; and what hangs cannot
        be prepared anew.
        """
        switching = self._switching
        if switching.run is None or not switching.run.plan.rescue:
            return switching.hung(target)
        if target.name == self._graph.stop and target is not switching.node:
            return ""
        return f"'{switching.node.name}' has failed and is on the way to '{self._graph.fault}'"

    def _act(self, name: str) -> str:
        node = self._switching.node
        if self._switching.run is not None or self._switching.passive is not None:
            return f"'{node.name}' has failed"
        try:
            handled = bool(node.state.on_action(self._context, name))
        except BaseException as error:
            fault = failure(node, f"action '{name}'", error)
            self.fail(fault)
            return fault.reason
        return "" if handled else f"'{node.name}' does not know the action '{name}'"

    def _admit(
        self, name: str, trigger: str, transition: str | None, delay: float, force: bool
    ) -> tuple[Plan | None, Verdict]:
        """The verdict on a wish; no plan if it was refused, or if it is being fulfilled already."""
        node = self._switching.node
        plan: Plan | None = None
        verdict = Verdict(False, STOPPED)
        if self.halt.reason is None:
            plan, verdict = self._admission.admit(node, name, trigger, transition, delay, force)
        barred = "" if plan is None else self._barred(plan.target)
        if barred:
            plan, verdict = None, Verdict(False, barred)
        if not verdict.ok:
            self._switching.ignore(name, verdict.reason)
        ahead = self._asked[-1] if self._asked else self._ahead()
        if plan is not None and ahead is not None and plan.repeats(ahead):
            plan = None
        return plan, verdict

    def ask(self, name: str, trigger: str, transition: str | None, delay: float, force: bool) -> bool:
        """A state asks for a switch, which begins after this tick; True if it is granted."""
        plan, verdict = self._admit(name, trigger, transition, delay, force)
        if plan is not None:
            self._asked.append(plan)
        return verdict.ok


def _answer(reply: Reply | None, verdict: Verdict) -> None:
    if reply is not None:
        reply(verdict)
