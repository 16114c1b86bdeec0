"""The diagnostics: control timing, each Mod and each node, once a second."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from bxi_framework.control.clamps import ClampCount
from bxi_framework.control.inputs import InputHub
from bxi_framework.control.loop import ControlLoop
from bxi_framework.control.runtime import Runtime
from bxi_framework.control.timing import TimingSummary
from bxi_framework.loading.resolve import Resolution
from bxi_framework.ros import qos
from bxi_framework.ros.node_loads import NOT_MEASURED, NodeLoad, NodeLoads
from bxi_framework.ros.texts import NODE, sendable
from bxi_framework.supervision import NodeStatus, Phase, Supervisor

_LEVELS: Final = MappingProxyType(
    {
        Phase.STARTING: DiagnosticStatus.OK,
        Phase.RUNNING: DiagnosticStatus.OK,
        Phase.RESTARTING: DiagnosticStatus.WARN,
        Phase.UNAVAILABLE: DiagnosticStatus.WARN,
        Phase.FAULTED: DiagnosticStatus.ERROR,
        Phase.STOPPING: DiagnosticStatus.STALE,
        Phase.STOPPED: DiagnosticStatus.STALE,
    }
)


class Health:
    """Publishes ``/diagnostics``."""

    def __init__(
        self,
        node: Node,
        runtime: Runtime,
        hub: InputHub,
        loop: ControlLoop,
        supervisor: Supervisor,
        loads: NodeLoads,
    ) -> None:
        self._node = node
        self._name = node.get_name()
        self._hub = hub
        self._clamps = runtime.controller.clamps
        self._clamps_told = 0
        self._loop = loop
        self._supervisor = supervisor
        self._loads = loads
        self._mods = tuple(mod_statuses(runtime.loaded.resolution, self._name))
        self._told = (0, 0, 0)
        self._policies = [node for node in runtime.graph.states.values() if node.inferences]
        self._late: dict[str, int] = {}
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", qos.events())

    def publish(self) -> None:
        """Send one array."""
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        now, statuses = time.monotonic(), self._supervisor.statuses
        self._loads.look(round(now * 1e9), statuses)
        loads = self._loads.latest
        nodes = (node_status(status, self._name, now, loads.get(status.name)) for status in statuses)
        message.status = [
            self._control(),
            self._limits(),
            self._joints(),
            *self._mods,
            *self._models(),
            *nodes,
        ]
        for status in message.status:
            # Control nodes in several namespaces share this topic and their name.
            status.hardware_id = self._node.get_fully_qualified_name()
        self._publisher.publish(message)

    def destroy(self) -> None:
        """Take the publisher down."""
        self._node.destroy_publisher(self._publisher)

    def _control(self) -> DiagnosticStatus:
        summary = self._loop.timing.summary
        counts = (summary.skipped, summary.late, summary.overruns)
        worse = counts != self._told
        self._told = counts
        settings = {**self._loop.claims.values, **self._loop.sweeper.sweeps.as_dict()}
        return control_status(summary, self._name, settings, running=self._loop.running, worse=worse)

    def _limits(self) -> DiagnosticStatus:
        total, told = self._clamps.total, self._clamps_told
        self._clamps_told = total
        return limits_status(total, self._clamps.worst, self._name, worse=total != told)

    def _joints(self) -> DiagnosticStatus:
        names = self._hub.unheard_joints
        message = f"not heard: {', '.join(names)}" if names else "no joint is missing from joint_states"
        level = DiagnosticStatus.WARN if names else DiagnosticStatus.OK
        return _status(self._name, "joints", level, message, {"unheard": len(names)})

    def _models(self) -> Iterable[DiagnosticStatus]:
        """Every state that asks a model; one whose calls were late since the last time is worth a look."""
        for state in self._policies:
            summary = state.inferences[0].summary
            worse = summary.late > self._late.get(state.name, 0)
            self._late[state.name] = summary.late
            message = (
                f"{summary.calls} calls, {summary.late} late, last {summary.last * 1e3:.1f} ms, "
                f"worst {summary.worst * 1e3:.1f} ms"
            )
            level = DiagnosticStatus.WARN if worse else DiagnosticStatus.OK
            yield _status(self._name, f"policy {state.name}", level, message, summary.as_dict())


def control_status(
    summary: TimingSummary, name: str, settings: Mapping[str, object], *, running: bool, worse: bool
) -> DiagnosticStatus:
    """The control loop and what holds while it runs; ``worse`` if cycles were skipped, late or over budget
    since the last time.
    """
    if not running:
        return _status(name, "control", DiagnosticStatus.STALE, "inactive", {})
    level = DiagnosticStatus.WARN if worse else DiagnosticStatus.OK
    message = (
        f"{1e6 / summary.period_us:g} Hz, {summary.skipped} skipped, {summary.late} late, "
        f"{summary.overruns} over budget since the start"
    )
    return _status(name, "control", level, message, {**summary.as_dict(), **settings})


def limits_status(total: int, worst: Sequence[ClampCount], name: str, *, worse: bool) -> DiagnosticStatus:
    """What the limits have cut since the start, and the worst of it; ``worse`` if something was cut since the
    last time.
    """
    level = DiagnosticStatus.WARN if worse else DiagnosticStatus.OK
    message = f"{total} values cut since the start"
    if worst:
        message += f", most often {worst[0].field} of '{worst[0].joint}' by {worst[0].owner}"
    values = {
        f"{each.owner} {each.joint} {each.field}": f"{each.count}, last {each.wanted:.4g} to {each.sent:.4g}"
        for each in worst
    }
    return _status(name, "limits", level, message, values)


def mod_statuses(resolution: Resolution, name: str) -> Iterable[DiagnosticStatus]:
    """Every Mod: those that run, then the others with the reason."""
    for manifest in resolution.manifests:
        version = {"version": str(manifest.version)}
        yield _status(name, f"mod {manifest.id}", DiagnosticStatus.OK, "enabled", version)
    for word, reasons, level in (
        ("disabled", resolution.disabled, DiagnosticStatus.OK),
        ("unavailable", resolution.unavailable, DiagnosticStatus.WARN),
        ("left out", resolution.left_out, DiagnosticStatus.ERROR),
    ):
        for mod_id, reason in reasons.items():
            yield _status(name, f"mod {mod_id}", level, f"{word}: {reason}", {})


def node_status(status: NodeStatus, name: str, now: float, load: NodeLoad | None = None) -> DiagnosticStatus:
    """One node of a Mod, with all its figures; what does not apply is an empty text."""
    message = f"{status.phase.value}: {status.reason}" if status.reason else status.phase.value
    level = _LEVELS[status.phase]
    if status.wanted and status.phase in (Phase.STOPPED, Phase.STOPPING):
        level = DiagnosticStatus.WARN
    figures = NOT_MEASURED if load is None else load.as_dict()
    values = {**status.as_dict(now), **figures, "last_lines": "\n".join(status.last_lines)}
    shown = {key: "" if value is None else value for key, value in values.items() if key != "name"}
    return _status(name, f"{NODE}{status.name}", level, message, shown)


def _status(
    node: str, subject: str, level: bytes, message: str, values: Mapping[str, object]
) -> DiagnosticStatus:
    return DiagnosticStatus(
        level=level,
        name=f"{node}: {subject}",
        message=sendable(message),
        hardware_id="",
        values=[KeyValue(key=key, value=sendable(str(value))) for key, value in values.items()],
    )
