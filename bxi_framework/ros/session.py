"""What one configure builds and one clean-up takes down: a booted robot with its ROS side and its loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from rclpy.clock import Clock as SteadyClock
from rclpy.clock_type import ClockType
from rclpy.node import Node

from bxi_framework.control.clock import Clock
from bxi_framework.control.ending import SafeEnd
from bxi_framework.control.inputs import InputHub
from bxi_framework.control.lapses import LapseTeller
from bxi_framework.control.loop import ControlLoop
from bxi_framework.control.record import Reason
from bxi_framework.control.record.recorder import Recorder
from bxi_framework.control.runtime import Runtime
from bxi_framework.control.stall import StallWatch
from bxi_framework.machine.export import FORMATS, SUFFIXES
from bxi_framework.machine.requests import Resume, Stop, Verdict
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.ros.ending import PATIENCE, LastFrames
from bxi_framework.ros.frames import FrameOutput
from bxi_framework.ros.health import Health
from bxi_framework.ros.inputs import Inputs
from bxi_framework.ros.node_fleet import NodeFleet
from bxi_framework.ros.postbox import Postbox
from bxi_framework.ros.requests import Requests
from bxi_framework.ros.stalls import Stalls
from bxi_framework.ros.topics import Topics
from bxi_framework.ros.views import Views
from bxi_framework.supervision.preparation import NodePreparation

RECORD_PATIENCE = 2.0
"""Seconds that the flight record may take at the end."""


class Session:
    """Joins a runtime to a node. All methods belong to the main thread."""

    def __init__(self, node: Node, runtime: Runtime, preparation: NodePreparation, clock: Clock) -> None:
        self.runtime = runtime
        self.stuck = False
        """True if code of a Mod did not return, so that not everything could be taken down."""
        self._node = node
        log = self._log = runtime.record.notebook.log
        self._clock = clock
        self._activated = False
        config = runtime.config
        runtime.engine.context.ros_node = node
        self.hub = InputHub(
            runtime.model,
            command_timeout=config.remote.command_timeout,
            now_ns=self._clock.now_ns,
            gamepad=runtime.gamepad,
            warn=lambda message: log("warning", "inputs", message),
        )
        self._frames = FrameOutput(node, runtime.model.passive_frame())
        self._recorder = Recorder(runtime.record, config.record, time.time_ns, log)
        self._end = SafeEnd(config.safe_ending, runtime.controller, clock.now_ns)
        period = config.control_runtime.period_sec
        self._last_frames = LastFrames(
            self._end, runtime.controller, self.hub, self._frames, clock, period, log
        )
        stalls = Stalls(runtime.record.notebook, self._recorder, self._last_frames.amid_a_stall)
        watch = StallWatch(
            clock,
            period,
            lambda: runtime.engine.owner,
            self._frames.publish_passive,
            stalls.begun,
            stalls.over,
            stalls.end,
        )
        self.loop = ControlLoop(
            runtime.controller,
            self.hub,
            clock,
            config.control_runtime,
            self._frames.publish,
            log,
            runtime.record.tick,
            watch,
        )
        self._nodes = NodeFleet(
            runtime.loaded,
            node,
            lambda: runtime.engine.in_use,
            lambda: preparation.asked,
            log,
        )
        self._postbox = Postbox(node, runtime.record.post, lambda: self.loop.running, self._clock.now_ns)
        self._requests = Requests(
            node, self._postbox, self._nodes.supervisor, runtime.graph.stop, self._recorder.save, log
        )
        self._inputs = Inputs(node, self.hub, lambda: self._requests.stop("gamepad"), log)
        states = (entry.state for entry in runtime.graph.states.values())
        self._topics = Topics(node, states, self.hub, log)
        self._views = Views(
            node, runtime, self.hub, self.loop, self._nodes.supervisor, self._nodes.loads, self._clock.now_ns
        )
        self._health = Health(node, runtime, self.hub, self.loop, self._nodes.supervisor, self._nodes.loads)
        self._lapses = LapseTeller(
            self.loop.lapses,
            self.loop.timing,
            round(config.control_runtime.statistics_interval_sec * 1e9),
            self.loop.budget_ns,
            log,
            self._nodes.loads.busiest,
        )
        # The clock of the node may be set, or be that of a simulation that stands still.
        steady = SteadyClock(clock_type=ClockType.STEADY_TIME)
        self._timers = [
            node.create_timer(1.0 / config.control_runtime.maintenance_hz, self._maintain, clock=steady),
            node.create_timer(1.0, self._health.publish, clock=steady),
        ]
        self._recorder.start()
        export_graph(runtime, log)

    def activate(self) -> None:
        """Start the nodes of the Mods, then the loop."""
        if self._activated:
            # The robot may be anywhere by now, so it begins from the stop state, not amid what it did.
            engine = self.runtime.engine
            stopped = engine.snapshot().stop

            def go_on(verdict: Verdict) -> None:
                if stopped is None:
                    engine.post(Resume(self._tell_refusal))

            engine.post(Stop(stopped or "activated anew", go_on))
        self._activated = True
        self._nodes.start()
        self.loop.start()
        self.runtime.loaded.resources.control_thread_ident = self.loop.thread_ident

    def park(self, wait: Callable[[], None]) -> None:
        """Bring the robot to its parking state, if it has one, while ``wait`` keeps everything going."""
        if self.loop.running:
            self._end.park(wait)
        else:
            self._end.miss("the control loop has ended")

    def deactivate(self, *, cut: bool) -> None:
        """Stop the loop, send the last frame, stop the nodes of the Mods."""
        if not self.loop.running:
            self._recorder.want(Reason(self.runtime.record.notebook.now_ns(), "end", "the loop ended"))
        ended = self._last_frames.stop_loop(self.loop, cut=cut)
        self.stuck = self.stuck or not ended
        self._lapses.tell()
        self._views.refresh()
        self._nodes.stop()

    def withdraw(self) -> None:
        """Stop the loop and the nodes of the Mods, and leave the joints to another controller."""
        self.stuck = not self.loop.stop(PATIENCE) or self.stuck
        self._nodes.stop()

    def last_word(self) -> None:
        """Send the passive frame at once, since the process is about to end without its safe ending."""
        self._frames.publish_last(0.05)

    def close(self) -> None:
        """Take everything down; what a Mod keeps busy is left behind."""
        for timer in self._timers:
            self._node.destroy_timer(timer)
        if not self._recorder.close(RECORD_PATIENCE):
            self._log("warning", "record", f"the flight record was not written within {RECORD_PATIENCE:g} s")
        self._nodes.close()
        self.stuck = self.stuck or self._nodes.stuck
        inputs = (self._inputs, self._topics, self._requests, self._postbox)
        for part in (*inputs, self._views, self._health, self._frames):
            part.destroy()
        if not self.stuck:
            for problem in self.runtime.close():
                self._log("warning", "mods", problem)

    def _tell_refusal(self, verdict: Verdict) -> None:
        if not verdict.ok:
            self._log("warning", "control", f"the stop holds: {verdict.reason}")

    def _maintain(self) -> None:
        self._postbox.look_after()
        self._frames.look_for_listeners()
        self._lapses.look(self._clock.now_ns())
        self._views.refresh()


def export_graph(runtime: Runtime, log: LogSink) -> None:
    """Write the state graph to the file that the configuration names, if it names one."""
    path: Path | None = runtime.config.graph.export
    if path is None:
        return
    form = SUFFIXES.get(path.suffix)
    if form is None:
        log("warning", "graph", f"'{path}' is not written: its name must end in {', '.join(SUFFIXES)}")
        return
    try:
        path.write_text(FORMATS[form](runtime.graph), encoding="utf-8")
    except OSError as error:
        log("warning", "graph", f"'{path}' is not written: {error.strerror}")
