"""The engine: one frame per tick from the state in control or from the transition that is under way."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from bxi_framework.machine.context import ControlContext
from bxi_framework.machine.deciding import Deciding
from bxi_framework.machine.events import EventExtractor
from bxi_framework.machine.graph import StateGraph
from bxi_framework.machine.hooks import Failure, attempt, failure, failure_among, frames_made_at, report
from bxi_framework.machine.preparation import Preparation
from bxi_framework.machine.requests import SendEvent, Wish
from bxi_framework.machine.snapshot import EngineSnapshot, take_snapshot
from bxi_framework.machine.switch import ROUNDING, Run
from bxi_framework.machine.switching import Switching
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot import InputSnapshot, MotorFrame, RobotModel


class Engine:
    """Runs a state graph. `tick` and `emitted` belong to the control thread, `post` and `snapshot` to anyone.

    Args:
        graph: the compiled states and routes.
        model: the robot.
        period: seconds per control cycle.
        target_timeout: seconds without a submitted frame after which a state has failed.
        preparation: runs what a switch needs beside the loop.
        preparation_timeout: seconds that this may take; then the switch is refused.
        log: takes messages; must not block.
    """

    def __init__(
        self,
        graph: StateGraph,
        model: RobotModel,
        *,
        period: float,
        target_timeout: float,
        preparation: Preparation,
        log: LogSink,
        preparation_timeout: float = 30.0,
    ) -> None:
        self.graph = graph
        self.context = ControlContext(model, graph.speed_profiles, self._ask_from_state, log)
        self.passive_frame = model.passive_frame()
        self.fired: tuple[str, ...] = ()  # the events that the slots showed in the last tick
        self.in_use: frozenset[str] = frozenset((graph.initial,))  # see `Switching.in_use`
        self._period = period
        self._target_timeout = target_timeout
        self._log = log
        self._switching = Switching(graph, self.context, period, preparation, preparation_timeout, log)
        self._extractor = EventExtractor(graph.events.values())
        self._deciding = Deciding(graph, self.context, period, self._switching, log)
        self._halt = self._deciding.halt
        self._held: str | None = None
        self._cycles_silent = 0
        self._started = False
        self._revision_in_use = 0

    def bind(self) -> list[Failure]:
        """Call `on_bind` of every state and prepare the initial one, on the main thread; return what
        failed.
        """
        faults = []
        for node in self.graph.states.values():
            fault = attempt(node, "on_bind()", partial(node.state.on_bind, self.context))
            if fault is not None:
                faults.append(fault)
        initial = self.graph.states[self.graph.initial]
        fault = attempt(
            initial, "on_prepare()", partial(initial.state.on_prepare, self.context.frozen(), initial.state)
        )
        return faults if fault is None else [*faults, fault]

    def unbind(self) -> None:
        """Call `on_unbind` of every state in reverse, after the loop has ended."""
        for node in reversed(list(self.graph.states.values())):
            fault = attempt(node, "on_unbind()", partial(node.state.on_unbind, self.context))
            if fault is not None:
                report(self._log, fault, "it is passed over")

    def post(self, wish: Wish) -> None:
        """Hand in a wish; it is judged in the next tick, and its reply is called on the control thread."""
        self._deciding.inbox.append(wish)

    def hold(self, reason: str | None) -> None:
        """Let time stand still for the state or transition in control, which gets no updates while the last
        frame is repeated; ``None`` lets it go on. The ways to the stop and fault state, and these states, are
        never held.
        """
        if reason != self._held:
            self._held = reason
            self._switching.revision += 1

    def bar_resume(self, reason: str | None) -> None:
        """Refuse to take a stop back for this reason, until it is ``None``."""
        self._halt.bar = reason

    def take_slots(self, slots: tuple[int, ...], epoch: int) -> None:
        """Take these slot values as where the remote control stands; they fire no events."""
        self._extractor.poll(slots, epoch)

    def tick(self, inputs: InputSnapshot, cycles: int) -> MotorFrame | None:
        """Decide and make this tick's frame, before limits.

        Args:
            inputs: what was last heard.
            cycles: control periods since the last tick, at least 1.

        Returns:
            The frame in the robot layout, or ``None`` to repeat the last good one.
        """
        switching, deciding = self._switching, self._deciding
        self.context.begin(inputs, cycles * self._period)
        if self._held is None:
            switching.cycles_in_state += cycles
        if not self._started:
            self._start()
        sent: list[SendEvent] = []
        if deciding.inbox:
            deciding.drain(sent, inputs)
        fired = self.fired = self._extractor.poll(inputs.slots, inputs.slots_epoch)
        if fired or sent:
            deciding.on_events(fired, sent)
        if switching.node.timed and self._held is None:
            deciding.on_time()
        if switching.plan is not None:
            switching.advance(switching.plan, cycles)
        if self._held is not None and self._may_hold():
            return None
        if switching.entry is not None:
            return self._blended(cycles)
        return self._frame_now(cycles)

    def _frame_now(self, cycles: int) -> MotorFrame | None:
        switching = self._switching
        if switching.run is not None:
            return self._frame_of_run(switching.run, cycles)
        if switching.passive is not None:
            return self.passive_frame
        return self._frame_of_state(cycles)

    def _blended(self, cycles: int) -> MotorFrame | None:
        """The frame of an entry, bounded by the entered state's window."""
        switching = self._switching
        moving = switching.run is not None
        frame, entry = self._frame_now(cycles), switching.entry
        if frame is None or entry is None:
            return frame
        frame = entry.apply(frame, cycles * self._period, moving=moving)
        if entry.done and switching.run is None:
            switching.entry = None
        return frame

    def emitted(self, frame: MotorFrame, fault: Failure | None = None) -> None:
        """The frame that was sent after all limits; ``fault`` if the engine's own frame could not be sent."""
        self.context.last_motor_frame = frame
        if self._halt.unanswered:
            self._halt.answer(frame)
        if fault is not None:
            self._fail(fault)
        else:
            self._deciding.adopt_asked()
        if self._switching.revision != self._revision_in_use:
            # At the end of a tick only, so that nobody sees a switch half done.
            self._revision_in_use = self._switching.revision
            self.in_use = self._switching.in_use

    @property
    def waiting(self) -> int:
        """How many wishes wait for the next tick."""
        return len(self._deciding.inbox)

    @property
    def owner(self) -> str:
        """Who makes the frames: a state, or a transition to one."""
        run = self._switching.run
        return (
            self._switching.node.name if run is None else f"{run.plan.motion.name} to {run.plan.target.name}"
        )

    @property
    def moving(self) -> bool:
        """True amid a transition."""
        return self._switching.run is not None

    @property
    def fault(self) -> Failure | None:
        """What has failed last; a new object for each failure."""
        return self._switching.fault

    @property
    def owner_place(self) -> str:
        """``file:line`` of what makes the frames of the state in control; empty amid a transition."""
        switching = self._switching
        return frames_made_at(switching.node) if switching.run is None else ""

    @property
    def revision(self) -> int:
        """Grows with every change that an operator would want to see."""
        return self._switching.revision

    def snapshot(self) -> EngineSnapshot:
        """What the engine is doing right now."""
        return take_snapshot(
            self._switching, self._period, self._halt.reason, self._held, self.context.inputs
        )

    @property
    def input_limits(self) -> Mapping[str, float]:
        """How old (s) the topics may be that the state in control cannot do without."""
        return self._switching.node.state.input_limits

    def _may_hold(self) -> bool:
        node, run = self._switching.node, self._switching.run
        if run is not None:
            return not run.plan.rescue
        return self._switching.passive is None and node.name not in (self.graph.stop, self.graph.fault)

    def _start(self) -> None:
        self._started = True
        fault = self._switching.start()
        if fault is not None:
            self._fail(fault)

    def _frame_of_state(self, cycles: int) -> MotorFrame | None:
        context, node = self.context, self._switching.node
        try:
            node.state.on_update(context, context.dt)
        except BaseException as error:
            return self._fail(failure(node, "on_update()", error))
        target = context.target
        if target is not None:
            self._cycles_silent = 0
            return target
        self._cycles_silent += cycles
        silent = self._cycles_silent * self._period
        if silent > self._target_timeout - ROUNDING:
            self._cycles_silent = 0
            return self._fail(Failure(node.name, f"no frame was submitted for {silent:.3f} s"))
        return None

    def _frame_of_run(self, run: Run, cycles: int) -> MotorFrame | None:
        self._cycles_silent = 0
        try:
            frame = run.apply(cycles)
        except BaseException as error:
            sides = (run.plan.target, self._switching.node)
            return self._fail(failure_among(sides, f"transition '{run.plan.motion.name}'", error))
        sound = isinstance(frame, MotorFrame) and frame.layout is run.robot_layout
        if not sound and not (frame is None and run.done):
            return self._fail(Failure(self.owner, f"the transition made {frame!r}, no frame of the robot"))
        if not run.done:
            return frame
        fault = self._switching.complete(run)
        if fault is not None:
            return self._fail(fault)
        return frame if frame is not None else self._frame_of_state(cycles)

    def _fail(self, fault: Failure) -> MotorFrame | None:
        self._deciding.fail(fault)
        return None if self._switching.passive is None else self.passive_frame

    def _ask_from_state(
        self, name: str, trigger: str, transition: str | None, delay: float, force: bool
    ) -> bool:
        return self._deciding.ask(name, trigger, transition, delay, force)
