"""The node: motor frames in, readings out, at a factor of real time; with services to pause and to begin
anew.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

# Older distributions have ClockType in this module only.
from rclpy.clock import Clock as SystemClock
from rclpy.clock import ClockType  # type: ignore[attr-defined]
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Float32MultiArray, Float64MultiArray, String
from std_srvs.srv import SetBool, Trigger

from bxi_framework.mod_api import ConfigReader, NodeBuildContext
from bxi_framework.simulation import (
    EndpointDescriptor,
    Extension,
    SimulationError,
    SimulationInstance,
    open_simulation,
)

from .commands import FrameError, FrameRouter, read_layout, takes_frames
from .messages import Outlet, outlets
from .names import topic_name
from .pace import FactorMeter
from .runner import Runner

NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
PATIENCE = 5.0
"""Seconds that a service, or the end, waits for the simulation."""
BEHIND = 0.95
"""Below this share of the wanted factor the simulation counts as slow."""
SOUND_WINDOW = 0.5
"""Seconds over which a factor must be measured to say so."""


class SimulationNode(Node):
    """A virtual robot. Use `create_simulation_node`, which reads the context."""

    def __init__(
        self,
        context: NodeBuildContext,
        scene: Path,
        extensions: Iterable[Extension] = (),
        offers: Iterable[Any] = (),
    ) -> None:
        params = ConfigReader(context.params, "params")
        factor = params.float("factor", 1.0, minimum=0.0, maximum=1000.0)
        seed = params.integer("seed", minimum=0) if "seed" in params else None
        clock = params.boolean("clock", False)
        topics = params.value("topics", {})
        params.finish()
        simulation = open_simulation(scene, extensions=extensions, offers=offers)
        remaps = [part for old, new in context.remappings.items() for part in ("-r", f"{old}:={new}")]
        super().__init__(
            context.node_name,
            namespace=context.namespace or None,
            cli_args=["--ros-args", *remaps, *context.arguments] if remaps or context.arguments else None,
        )
        self._factor = factor
        self._meter = FactorMeter()
        self._refused = ""
        self._router: FrameRouter | None = None
        self._layout: tuple[str, ...] = ()
        self._runner = Runner(simulation, seed, factor, self._publish, self._tell_failure)
        run = self._runner.instance
        self.declare_parameter("seed", run.seed)
        self._time_out = self.create_publisher(Clock, "/clock", NEWEST) if clock else None
        self._outlets = self._make_outlets(run, topics)
        self._sent: dict[str, float] = {}
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._serve(run)
        self._meter.restart(time.monotonic(), run.time)
        self._runner.start()

    def _make_outlets(self, run: SimulationInstance, topics: Any) -> dict[str, list[tuple[Outlet, Any]]]:
        if not isinstance(topics, Mapping) or not all(isinstance(name, str) for name in topics.values()):
            raise ValueError("params.topics must map ids of devices to topics")
        unknown = [each for each in topics if each not in run.devices]
        if unknown:
            known = ", ".join(sorted(run.devices)) or "none"
            raise ValueError(
                f"params.topics names '{unknown[0]}'; the devices of this simulation are {known}"
            )
        return {
            device.id: [
                (outlet, self.create_publisher(type(outlet.message), outlet.topic, NEWEST))
                for outlet in outlets(device, topics.get(device.id))
            ]
            for device in run.devices.values()
        }

    def _serve(self, run: SimulationInstance) -> None:
        self.create_subscription(String, "joint_layout", self._on_layout, LATCHED)
        self.create_subscription(Float32MultiArray, "motor_frame", self._on_frame, NEWEST)
        for descriptor in run.inputs.values():
            self._take(descriptor.id, descriptor.value.shape)
        for endpoint in run.endpoints.values():
            if not takes_frames(endpoint):
                self._take_commands(endpoint)
        self.create_service(Trigger, "~/reset", self._on_reset)
        self.create_service(SetBool, "~/pause", self._on_pause)
        self.create_timer(1.0, self._diagnose, clock=SystemClock(clock_type=ClockType.STEADY_TIME))

    def _take(self, input_id: str, shape: tuple[int, ...]) -> None:
        """A topic for an input, and a service as well if it is a single number."""
        name = topic_name(input_id)

        def on_values(message: Float64MultiArray) -> None:
            try:
                values = list(message.data)
                self._runner.ask(lambda run: run.feed(input_id, values if shape else values[0]), PATIENCE)
            except (ValueError, IndexError, SimulationError, TimeoutError) as error:
                self._refuse(f"input '{input_id}': {error}")

        def on_switch(request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
            try:
                self._runner.ask(lambda run: run.feed(input_id, float(request.data)), PATIENCE)
                response.success = True
            except (ValueError, SimulationError, TimeoutError) as error:
                response.message = str(error)
            return response

        self.create_subscription(Float64MultiArray, name, on_values, NEWEST)
        if not shape:
            self.create_service(SetBool, f"~/{name}", on_switch)

    def _take_commands(self, endpoint: EndpointDescriptor) -> None:
        """A topic for an endpoint that is no matter of motor frames, such as the control of a vehicle."""

        def on_values(message: Float64MultiArray) -> None:
            try:
                values = np.asarray(message.data).reshape(endpoint.command.shape)
                self._runner.ask(lambda run: run.command(endpoint.id, values), PATIENCE)
            except (ValueError, SimulationError, TimeoutError) as error:
                self._refuse(f"endpoint '{endpoint.id}': {error}")

        self.create_subscription(Float64MultiArray, topic_name(endpoint.id), on_values, NEWEST)

    def _on_layout(self, message: String) -> None:
        try:
            layout = read_layout(message.data)
        except FrameError as error:
            self._refuse(str(error))
            return
        if layout == self._layout:
            return
        router = FrameRouter(layout, self._runner.instance.endpoints.values())
        self._layout, self._router = layout, router
        if router.unmoved:
            self.get_logger().warning(f"nothing in the simulation moves {', '.join(router.unmoved)}")

    def _on_frame(self, message: Float32MultiArray) -> None:
        if self._router is None:
            return
        try:
            commands = self._router.commands(message.data)
        except FrameError as error:
            self._refuse(str(error))
            return

        def give(run: SimulationInstance) -> None:
            for endpoint, values in commands.items():
                run.command(endpoint, values)

        self._runner.tell(give)

    def _refuse(self, reason: str) -> None:
        self._refused = reason
        self.get_logger().error(reason, throttle_duration_sec=5.0)

    def _on_reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        seed = self.get_parameter("seed").get_parameter_value().integer_value
        try:
            self._runner.ask(lambda _run: self._runner.reset(seed), PATIENCE)
            self._meter.restart(time.monotonic(), self._runner.instance.time)
            response.success, response.message = True, f"seed {seed}"
        except (Exception, SystemExit) as error:  # Making the parts anew runs code of theirs.
            response.message = _said(error)
        return response

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._runner.pause(request.data)
        self._meter.restart(time.monotonic(), self._runner.instance.time)
        response.success, response.message = True, "paused" if request.data else "running"
        return response

    def _publish(self, run: SimulationInstance) -> None:
        """Send what is new; on the runner's thread."""
        stamp = self._stamp(run.time)
        if self._time_out is not None:
            self._time_out.publish(Clock(clock=stamp))
        for device_id, group in self._outlets.items():
            reading = run.reading(device_id)
            if self._sent.get(device_id) == reading.stamp:
                continue
            self._sent[device_id] = reading.stamp
            for outlet, publisher in group:
                if outlet.written(stamp, reading.channels):
                    publisher.publish(outlet.message)

    def _stamp(self, simulated: float) -> Time:
        """Now, by the clock that everyone else uses."""
        if self._time_out is None:
            now: Time = self.get_clock().now().to_msg()
            return now
        seconds, nanoseconds = divmod(round(simulated * 1e9), 1_000_000_000)
        return Time(sec=seconds, nanosec=nanoseconds)

    def _tell_failure(self, error: BaseException) -> None:
        self.get_logger().error(f"the simulation stands still until ~/reset: {_said(error)}")

    def _diagnose(self) -> None:
        runner = self._runner
        simulated = runner.instance.time
        reached = self._meter.read(time.monotonic(), simulated)
        status = DiagnosticStatus(
            name=f"{self.get_name()}: simulation", hardware_id=self.get_fully_qualified_name()
        )
        status.level, status.message = self._judge(reached)
        values = {
            "factor": f"{reached:.3f}",
            "wanted_factor": f"{self._factor:g}" if self._factor else "as fast as it goes",
            "simulated_time": f"{simulated:.3f}",
            "seed": str(runner.instance.seed),
            "paused": str(runner.paused).lower(),
            "last_refusal": self._refused,
        }
        status.values = [KeyValue(key=key, value=value) for key, value in values.items()]
        array = DiagnosticArray(status=[status])
        array.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(array)

    def _judge(self, reached: float) -> tuple[bytes, str]:
        if self._runner.failure is not None:
            return DiagnosticStatus.ERROR, _said(self._runner.failure)
        if self._runner.paused:
            return DiagnosticStatus.OK, "paused"
        if reached < BEHIND * self._factor and self._meter.window >= SOUND_WINDOW:
            return DiagnosticStatus.WARN, f"runs at {reached:.2f} of real time instead of {self._factor:g}"
        return DiagnosticStatus.OK, f"runs at {reached:.2f} of real time"

    def destroy_node(self) -> None:
        """End the run first: its thread publishes."""
        try:
            self._runner.close(PATIENCE)
        finally:
            super().destroy_node()


def _said(error: BaseException) -> str:
    """What a failure says: an error of a run as it is, another one with its type."""
    return str(error) if isinstance(error, (SimulationError, ValueError, TimeoutError)) else repr(error)


def create_simulation_node(
    context: NodeBuildContext,
    scene: Path,
    extensions: Iterable[Extension] = (),
    offers: Iterable[Any] = (),
) -> SimulationNode:
    """A node that runs the simulation that the manifest at ``scene`` describes, with ``extensions`` added;
    ``offers`` are the classes of extensions, vehicles and tracks that the manifest may name.

    ``context.params`` may hold ``factor`` (simulated seconds for each real one, 1; 0 is as fast as it goes),
    ``seed``, ``clock`` (publish simulated time on ``/clock``) and ``topics`` (device id to topic).

    Raises:
        UnsoundSimulationError: the manifest cannot be built; the text is the report.
        ValueError: a parameter does not fit.
    """
    return SimulationNode(context, scene, extensions, offers)
