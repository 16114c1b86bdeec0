"""Which state is in control, and the one switch that may be waiting, getting ready or moving."""

from __future__ import annotations

from collections.abc import Callable

from bxi_framework.machine.context import ControlContext
from bxi_framework.machine.entry import EntryBlend, entry_refusal
from bxi_framework.machine.graph import StateGraph, StateNode
from bxi_framework.machine.hooks import Failure, attempt, failure, report, stack_from
from bxi_framework.machine.preparation import NotReadyError, Preparation
from bxi_framework.machine.requests import IgnoredView
from bxi_framework.machine.switch import ROUNDING, Plan, Run
from bxi_framework.machine.triggers import StateTriggers
from bxi_framework.mod_api.logger import LogSink


class Switching:
    """Carries out switches: accepted plan, preparation beside the loop, transition, exit and entry.

    ``node`` is the state in control, ``plan`` a switch that has not begun, ``run`` the transition under way,
    ``passive`` the reason why the passive frame is sent, ``fault`` what has failed last, ``revision`` grows
    with every change that an operator would want to see. ``entry`` bounds the frames of a state that was
    entered lately.
    """

    def __init__(
        self,
        graph: StateGraph,
        context: ControlContext,
        period: float,
        preparation: Preparation,
        preparation_timeout: float,
        log: LogSink,
    ) -> None:
        self.node = graph.states[graph.initial]
        self.run: Run | None = None
        self.plan: Plan | None = None
        self.passive: str | None = None
        self.fault: Failure | None = None
        self.ignored: IgnoredView | None = None
        self.entry: EntryBlend | None = None
        self.revision = 0
        self.cycles_in_state = 0
        self.timed_done = 0
        self._graph = graph
        self._context = context
        self._period = period
        self._preparation = preparation
        self._preparation_timeout = preparation_timeout
        self._given_up: set[str] = set()
        self._log = log
        self._triggers = StateTriggers(graph, self._leave, self._enter)
        self._entered = False
        self._enter_failure: Failure | None = None

    def start(self) -> Failure | None:
        """Enter the initial state; return what failed."""
        self._rewind_all_the_same(self.node)
        self._enter(self.node.name)
        return self._take_enter_failure()

    def ignore(self, name: str, reason: str) -> None:
        """An event or wish changes nothing; say so."""
        self.ignored = IgnoredView(name, reason)
        self.revision += 1
        self._log("info", self.node.name, f"'{name}' ignored: {reason}")

    def adopt(self, plan: Plan) -> None:
        """Take a switch as the one to do next, in place of any that waits."""
        self.ignored = None
        self.drop_plan(f"replaced by the switch to '{plan.target.name}'")
        self.plan = plan
        self.revision += 1

    def drop_plan(self, reason: str) -> None:
        """Give up the switch that waits, if there is one."""
        plan, self.plan = self.plan, None
        if plan is None:
            return
        if plan.prepared:
            self._cancel_prepare(plan)
        self.ignore(plan.trigger, reason)

    def advance(self, plan: Plan, cycles: int) -> None:
        """One tick of the switch that waits: its delay, its preparation, its beginning."""
        if not plan.prepared:
            plan.waited = 0 if plan.waited < 0 else plan.waited + cycles
            if plan.waited * self._period < plan.delay - ROUNDING:
                return
            plan.prepared = True
            if self._returns(plan) or plan.target.is_ready():
                self._begin(plan)
                return
            plan.preparing = True
            plan.awaits = f"the nodes {', '.join(plan.target.nodes)}"
            self.revision += 1
            self._preparation.begin(self._job(plan), plan.target.nodes, plan.target.name)
        else:
            plan.cycles_preparing += cycles
        outcome = self._preparation.poll()
        if outcome is None:
            if plan.cycles_preparing * self._period > self.preparation_limit(plan.target) - ROUNDING:
                self._give_up(plan)
            return
        plan.preparing = False
        if outcome.error is None:
            self._begin(plan)
            return
        self.plan = None
        fault = failure(plan.target, "preparation", outcome.error)
        if isinstance(outcome.error, NotReadyError):
            fault = Failure(plan.target.name, str(outcome.error))
        report(self._log, fault, f"'{self.node.name}' stays in control")
        self.ignore(plan.trigger, fault.reason)

    def _job(self, plan: Plan) -> Callable[[], None]:
        target, view, source = plan.target, self._context.frozen(), self.node.state

        def job() -> None:
            for handle in target.handles:
                plan.awaits = f"the resource '{handle.name}'"
                handle.get()
            plan.awaits = "on_prepare()"
            target.state.on_prepare(view, source)

        return job

    def preparation_limit(self, node: StateNode) -> float:
        """Seconds that the preparation of a switch to this state may take."""
        own = node.state.preparation_timeout
        return self._preparation_timeout if own is None else own

    def _give_up(self, plan: Plan) -> None:
        """Whatever holds the preparation keeps its thread; the switch does not wait for it any longer."""
        target, limit = plan.target, self.preparation_limit(plan.target)
        stack = stack_from(self._preparation.stands(target.name), target.root)
        self.plan = None
        self._cancel_prepare(plan)
        if stack:
            self._given_up.add(target.name)
        place = f"; its thread is at {stack}" if stack else ""
        said = f"preparation was given up after {limit:g} s, waiting for {plan.awaits}{place}"
        report(self._log, Failure(target.name, said), f"'{self.node.name}' stays in control")
        self.ignore(plan.trigger, said)

    def hung(self, target: StateNode) -> str:
        """Why this state cannot be prepared now: an earlier preparation was given up and still hangs; empty
        if there is none.
        """
        if target.name not in self._given_up:
            return ""
        frame = self._preparation.stands(target.name)
        if frame is None:
            self._given_up.discard(target.name)
            return ""
        return (
            f"an earlier preparation of '{target.name}' was given up and still hangs at "
            f"{stack_from(frame, target.root)}"
        )

    @property
    def in_use(self) -> frozenset[str]:
        """The states whose nodes are needed: the one in control, and the one that it switches to."""
        ahead = [self.plan] if self.plan is not None and self.plan.prepared else []
        if self.run is not None:
            ahead.append(self.run.plan)
        return frozenset((self.node.name, *(plan.target.name for plan in ahead)))

    def _returns(self, plan: Plan) -> bool:
        """True for a switch that calls off the transition under way: the state in control stays so."""
        return self.run is not None and plan.target is self.node and self.passive is None

    def _begin(self, plan: Plan) -> None:
        self.plan = None
        returning = self._returns(plan)
        fault = None if returning else self._rewind(plan.target) or self._unfit(plan.target)
        if fault is not None:
            report(self._log, fault, f"'{self.node.name}' stays in control")
            self._cancel_prepare(plan)
            self.ignore(plan.trigger, fault.reason)
            return
        window = None if returning else plan.target.state.entry_window
        self.entry = None if window is None else EntryBlend(window, self._context)
        old, left = self.run, self.node
        if old is not None:
            self._cancel_target(old)
            left = old.plan.target
        still = old is not None or self.passive is not None
        frozen = still or plan.target is self.node or plan.source is not self.node
        self._move(plan, left, frozen=frozen, returning=returning)
        self._log(
            "info",
            plan.target.name,
            f"{left.name} -> {plan.target.name} by {plan.motion.name} ({plan.trigger})",
        )

    def _move(self, plan: Plan, left: StateNode, *, frozen: bool, returning: bool) -> None:
        self.run = Run(plan, self.node, left, self._context, self._period, frozen, returning)
        self.revision += 1

    def complete(self, run: Run) -> Failure | None:
        """The transition has made its end frame: hand over; return what failed in the entry."""
        self.run = None
        self.revision += 1
        if run.returning:
            return None
        self._triggers.fire(run.plan.route, run.plan.target.name)
        return self._take_enter_failure()

    def jump(self, name: str, reason: str) -> Failure | None:
        """Be in a state now, without a transition; return what failed in the entry."""
        self.drop_plan(reason)
        run, self.run, self.entry = self.run, None, None
        if run is not None:
            self._cancel_target(run)
        self.revision += 1
        if self.node.name == name and self._entered:
            return None
        self._rewind_all_the_same(self._graph.states[name])
        self._triggers.fire(None, name)
        return self._take_enter_failure()

    def fail(self, fault: Failure) -> None:
        """Something in control has failed: head for the fault state; if that is what failed, be ``passive``
        in it.
        """
        self.fault = fault
        self.drop_plan("a fault came")
        run, self.run, self.entry = self.run, None, None
        target = self._graph.states[self._graph.fault]
        self.revision += 1
        if (run is None and self.node is target) or (run is not None and run.plan.rescue):
            report(self._log, fault, "the passive frame is sent")
            if self.node is not target:
                self._triggers.fire(None, target.name)
                self._take_enter_failure()
            self.passive = fault.reason
            return
        report(self._log, fault, f"going to '{target.name}'")
        if run is not None:
            self._cancel_target(run)
        plan = Plan(self.node, target, self._graph.fault_motion, None, "fault", rescue=True)
        returning = target is self.node and self.passive is None
        if not returning:
            self._rewind_all_the_same(target)
        self._move(plan, self.node, frozen=True, returning=returning)

    def _cancel_target(self, run: Run) -> None:
        if not run.returning and not run.plan.rescue:
            self._cancel_prepare(run.plan)

    def _cancel_prepare(self, plan: Plan) -> None:
        target, view, source = plan.target, self._context.frozen(), self.node.state

        def cleanup() -> None:
            fault = attempt(
                target, "on_prepare_cancel()", lambda: target.state.on_prepare_cancel(view, source)
            )
            if fault is not None:
                report(self._log, fault, "it is passed over")

        self._preparation.cancel(cleanup, target.name)

    def _rewind(self, node: StateNode) -> Failure | None:
        return attempt(node, "the reset before entry", lambda: node.state._rewind(self._context))

    def _unfit(self, node: StateNode) -> Failure | None:
        """Why the robot is outside of the state's entry window."""
        try:
            refusal = entry_refusal(node, self._context)
        except BaseException as error:
            return failure(node, "get_entry_frame()", error)
        return Failure(node.name, refusal) if refusal else None

    def _rewind_all_the_same(self, node: StateNode) -> None:
        fault = self._rewind(node)
        if fault is not None:
            report(self._log, fault, "it is entered all the same")

    def _leave(self, name: str) -> None:
        if not self._entered:
            return
        node = self.node
        fault = attempt(node, "on_exit()", lambda: node.state.on_exit(self._context))
        if fault is not None:
            report(self._log, fault, "the state is left all the same")

    def _enter(self, name: str) -> None:
        self.node = node = self._graph.states[name]
        self._context.current = node.state
        self.cycles_in_state = self.timed_done = 0
        self.passive = None
        self._enter_failure = attempt(node, "on_enter()", lambda: node.state.on_enter(self._context))
        self._entered = self._enter_failure is None
        self.revision += 1

    def _take_enter_failure(self) -> Failure | None:
        fault, self._enter_failure = self._enter_failure, None
        return fault
