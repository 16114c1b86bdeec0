"""Nodes of Mods inside this process: on one shared executor, on threads apart from the control thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final, NamedTuple

from rclpy.node import Node

from bxi_framework.diagnostics.guard import describe_error, guarded, mod_place, place_below, traceback_below
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.ros.node_health import NodeGoneError, destroyed, take_back, trouble_of, unfit
from bxi_framework.ros.node_loads import NodeLoads
from bxi_framework.ros.node_names import NodeNames
from bxi_framework.ros.node_run import NodeRun
from bxi_framework.ros.node_threads import CallbackThread, Worker
from bxi_framework.ros.refusals import at_work
from bxi_framework.supervision import Life, NodeSpec, Sight
from bxi_framework.supervision.facts import filled, machine_facts
from bxi_framework.supervision.fold import Fold
from bxi_framework.supervision.guard.lacks import advice, lacking

LONGEST: Final = 10.0
"""Seconds that a factory, a callback or a take-down may take; then the node is given up."""

_PATIENCE: Final = 2.0
"""Seconds that the callback under way has when its node is to end."""

_CLOSING: Final = 0.5
"""Seconds that each thread has to end."""

_KEPT: Final = 20
"""Lines of a traceback that are kept."""

_ANSWERING: Final = 0.25
"""Seconds that the answer of a service which has failed gets to reach its caller: it dies with its node."""


class _Job(NamedTuple):
    """Code of a Mod that the worker is in: for which start of a node, what it is, and since when (s)."""

    run: NodeRun
    what: str
    since: float


class InProcessBackend:
    """Runs the nodes that ``create_node`` factories make.

    Factories and take-downs run on one thread, callbacks on another, so that neither holds up ROS or the
    supervisor. Code of a Mod that holds one of the two for ``longest`` seconds costs its own node only: the
    others go on on a new thread.

    Args:
        log: takes messages; must not block.
        longest: seconds, see above.
        control: the framework's own node, which no factory may hand in.
        names: told the ROS name of each node.
    """

    def __init__(
        self,
        log: LogSink,
        longest: float = LONGEST,
        control: Node | None = None,
        names: NodeNames | None = None,
    ) -> None:
        self._log = log
        self._control = control
        self._names = names
        self._longest = longest
        self._runs: dict[str, NodeRun] = {}
        self._owners: dict[Node, NodeRun] = {}
        self._loads = NodeLoads()
        self._callbacks = CallbackThread(self._failed, self._whose, self._spent, log)
        self._worker = Worker()
        self._job: _Job | None = None
        self._replacing = Lock()
        self._folding = Lock()
        self._fold = Fold(time.monotonic)
        self._left: list[Callable[[], bool]] = []

    @property
    def stuck(self) -> bool:
        """True while code of a Mod does not return, so that not everything can be taken down."""
        return any(alive() for alive in self._left)

    @property
    def loads(self) -> NodeLoads:
        """What the callbacks take."""
        return self._loads

    def start(self, spec: NodeSpec) -> None:
        """Have the node's factory called."""
        run = self._runs[spec.name] = NodeRun(spec)
        try:
            self._put(run, "create_node()", self._make)
        except RuntimeError as error:
            run.end(lacking("a thread for its factory cannot be started", error))

    def look(self, name: str) -> Sight:
        """What became of a node; one that has failed, or that holds its thread, has ended."""
        now = time.monotonic()
        job, working = self._job, self._callbacks.working
        if job is not None and now - job.since > self._longest:
            self._give_up_job(job)
        if working is not None and working.node is not None and now - working.since > self._longest:
            self._give_up_callback(working.node, working.callback)
        self._look_for_trouble(self._runs[name])
        return self._runs[name].sight()

    def stop(self, name: str) -> None:
        """Have the node taken down between two of its callbacks."""
        run = self._runs[name]
        if not run.asked and run.life is not Life.ENDED:
            run.asked = True
            run.life = Life.STOPPING
            self._put(run, "destroy_node()", self._end)

    def forget(self, name: str) -> None:
        """Release what is kept of a node that has ended."""
        self._runs.pop(name, None)

    def close(self) -> None:
        """Take down what is left, and end both threads."""
        for name in list(self._runs):
            self.stop(name)
        if not self._worker.end(_CLOSING):
            self._left.append(self._worker.give_up())
        callbacks = self._callbacks
        if not callbacks.end(_CLOSING):
            self._left.append(lambda: callbacks.alive)
        self._runs.clear()

    def _put(self, run: NodeRun, what: str, work: Callable[[NodeRun], None]) -> None:
        def job() -> None:
            own = self._job = _Job(run, what, time.monotonic())
            with at_work(run.who, run.spec.name, callback=False):
                error = guarded(work, run).error
            if error is not None:
                run.end(f"{what} failed: {describe_error(error)}")
            if self._job is own:
                self._job = None

        self._worker.put(job)

    def _make(self, run: NodeRun) -> None:
        """On the worker: call the factory."""
        factory = run.spec.factory
        if run.life is not Life.STARTING or factory is None:
            return
        run.waits_for = "create_node() to return"
        outcome = guarded(lambda: factory(filled(run.spec.context, machine_facts())))
        node = outcome.value
        if outcome.error is not None:
            self._fail(run, "create_node()", outcome.error)
            return
        if not isinstance(node, Node):
            run.end(f"create_node() returned a {type(node).__name__}, expected a rclpy node")
            return
        others = self._owners.get(node)
        if others is not None or node is self._control:
            whose = "the control node itself" if others is None else f"the node of '{others.spec.name}'"
            run.end(f"create_node() returned {whose}, expected one of its own")
            return
        run.node = node
        self._owners[node] = run
        trouble = unfit(node)
        if trouble:
            run.end(f"create_node() returned {trouble}")
        if run.given_up:
            self._destroy(run)
        elif not run.asked:
            if self._names is not None:
                self._names.take(run.spec.name, node.get_fully_qualified_name())
            self._take_in(run, node)

    def _take_in(self, run: NodeRun, node: Node) -> None:
        """Run the node's callbacks from now on."""
        try:
            with self._replacing:
                # Before the first callback, which may be the end of it.
                run.life = Life.RUNNING
                self._callbacks.add(node)
        except RuntimeError as error:
            run.end(lacking("a thread for its callbacks cannot be started", error))
            self._destroy(run)

    def _end(self, run: NodeRun) -> None:
        """On the worker: take the node down."""
        node, callbacks = run.node, self._callbacks
        if node is not None and not callbacks.remove(node, _PATIENCE):
            working = callbacks.working
            if working is not None and self._give_up_callback(node, working.callback):
                return
        self._destroy(run)
        run.end()

    def _destroy(self, run: NodeRun) -> None:
        node, run.node = run.node, None
        if node is None:
            return
        self._owners.pop(node, None)
        take_back(node)
        error = None if destroyed(node) else guarded(node.destroy_node).error
        if error is not None:
            self._log("warning", run.spec.name, f"destroy_node() failed: {describe_error(error)}")

    def _whose(self, node: Node) -> tuple[str, str]:
        run = self._owners.get(node)
        return (f"the node '{node.get_name()}'", "") if run is None else (run.who, run.spec.name)

    def _look_for_trouble(self, run: NodeRun) -> None:
        """A node that its own code has destroyed or taken away counts as failed."""
        node = run.node
        if run.life is not Life.RUNNING or node is None:
            return
        with self._replacing:
            trouble = trouble_of(node, self._callbacks.executor)
        # By now it may be taken down in order.
        if trouble and run.life is Life.RUNNING and run.node is node:
            run.end(trouble)
            self._put(run, "destroy_node()", self._destroy)

    def _spent(self, node: Node, callback: str, cpu_ns: int, wall_ns: int) -> None:
        run = self._owners.get(node)
        if run is not None:
            self._loads.note(run.spec.name, callback, cpu_ns, wall_ns)

    def _failed(self, node: Node | None, callback: str, error: BaseException) -> None:
        """On the thread of the callbacks: the node gets no more of them, and is taken down soon."""
        run = self._owners.get(node) if node is not None else self._by_place(error)
        if run is None:
            if node is not None and node.executor is not None:
                node.executor.remove_node(node)
            whose = "" if node is None else f" of the node '{node.get_name()}', which no factory made,"
            self._log("error", "mod-nodes", f"{callback}{whose} failed: {describe_error(error)}")
            return
        own = run.node
        if isinstance(error, NodeGoneError):
            if run.life is Life.RUNNING:
                run.end(f"{callback}: {error}")
        else:
            self._fail(run, callback, error)
        if own is None:
            return
        if own.executor is not None:
            own.executor.remove_node(own)
        self._put(run, "destroy_node()", self._after_answer if callback[:8] == "service " else self._destroy)

    def _by_place(self, error: BaseException) -> NodeRun | None:
        """The node whose Mod's code has failed, if that Mod has one alone."""
        found = [run for run in self._owners.values() if place_below(error, run.spec.root) is not None]
        return found[0] if len(found) == 1 else None

    def _after_answer(self, run: NodeRun) -> None:
        time.sleep(_ANSWERING)
        self._destroy(run)

    def _fail(self, run: NodeRun, what: str, error: BaseException) -> None:
        lines = traceback_below(error, run.spec.root)[-_KEPT:]
        with self._folding:
            more = self._fold.admits(run.spec.name, tuple(lines))
        for line in () if more is None else (*lines, more.strip()):
            if line:
                self._log("info", run.spec.name, line)
        said = f"{what} failed: {mod_place(error, run.spec.root)}"
        run.end(f"{said}. {advice(error)}" if advice(error) else said, tuple(lines))

    def _give_up_job(self, job: _Job) -> None:
        """The worker goes on with the next job on a new thread; this one's node is taken down if it comes to
        be.
        """
        with self._replacing:
            if self._job is not job:
                return
            self._left.append(self._worker.give_up())
            self._job = None
        job.run.end(f"{job.what} has not returned for {self._longest:g} s", final=True)

    def _give_up_callback(self, node: Node, callback: str) -> bool:
        """The callbacks of all other nodes go on on a new thread; this node is taken down once its own has
        returned. False if it has returned by now.
        """
        run = self._owners.get(node)
        with self._replacing:
            old = self._callbacks
            if run is None or old.working is None or old.working.node is not node:
                return False
            self._callbacks = CallbackThread(self._failed, self._whose, self._spent, self._log)
            for other in old.nodes:
                if other is not node:
                    self._callbacks.add(other)
            old.end(0.0, lambda: self._put(run, "destroy_node()", self._destroy))
            self._left.append(lambda: old.alive)
        run.end(f"{callback} does not return", final=True)
        return True
