"""The diagnostics: control timing, each Mod and each node, once a second."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from bxi_framework.control.loop import ControlLoop
from bxi_framework.control.runtime import Runtime
from bxi_framework.control.timing import TimingSummary
from bxi_framework.loading.resolve import Resolution
from bxi_framework.ros import qos
from bxi_framework.supervision import NodeStatus, Phase, Supervisor

_PHASES: Final = MappingProxyType(
    {
        Phase.WAITING: DiagnosticStatus.WARN,
        Phase.STARTING: DiagnosticStatus.OK,
        Phase.RESTARTING: DiagnosticStatus.WARN,
        Phase.STOPPING: DiagnosticStatus.STALE,
        Phase.RUNNING: DiagnosticStatus.OK,
        Phase.FAULTED: DiagnosticStatus.ERROR,
        Phase.STOPPED: DiagnosticStatus.STALE,
    }
)


class Health:
    """Publishes ``/diagnostics``."""

    def __init__(self, node: Node, runtime: Runtime, loop: ControlLoop, supervisor: Supervisor) -> None:
        self._node = node
        self._name = node.get_name()
        self._loop = loop
        self._supervisor = supervisor
        self._mods = tuple(mod_statuses(runtime.loaded.resolution, self._name))
        self._told = (0, 0, 0)
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", qos.events())

    def publish(self) -> None:
        """Send one array."""
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        nodes = (node_status(status, self._name) for status in self._supervisor.statuses)
        message.status = [self._control(), *self._mods, *nodes]
        self._publisher.publish(message)

    def destroy(self) -> None:
        """Take the publisher down."""
        self._node.destroy_publisher(self._publisher)

    def _control(self) -> DiagnosticStatus:
        summary = self._loop.timing.summary
        counts = (summary.skipped, summary.late, summary.overruns)
        worse = counts != self._told
        self._told = counts
        return control_status(summary, self._name, running=self._loop.running, worse=worse)


def control_status(summary: TimingSummary, name: str, *, running: bool, worse: bool) -> DiagnosticStatus:
    """The control loop; ``worse`` if cycles were skipped, late or over budget since the last time."""
    if not running:
        return _status(name, "control", DiagnosticStatus.STALE, "inactive", {})
    level = DiagnosticStatus.WARN if worse else DiagnosticStatus.OK
    message = (
        f"{1e6 / summary.period_us:g} Hz, {summary.skipped} skipped, {summary.late} late, "
        f"{summary.overruns} over budget since the start"
    )
    return _status(name, "control", level, message, summary.as_dict())


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


def node_status(status: NodeStatus, name: str) -> DiagnosticStatus:
    """One node of a Mod."""
    message = f"{status.phase.value}: {status.reason}" if status.reason else status.phase.value
    values = {
        "label": status.label,
        "pid": status.pid,
        "exit_code": status.exit_code,
        "restarts": status.restarts,
        "last_lines": "\n".join(status.last_lines),
    }
    shown = {key: value for key, value in values.items() if value not in (None, "")}
    return _status(name, f"node {status.name}", _PHASES[status.phase], message, shown)


def _status(
    node: str, subject: str, level: bytes, message: str, values: Mapping[str, object]
) -> DiagnosticStatus:
    return DiagnosticStatus(
        level=level,
        name=f"{node}: {subject}",
        message=message,
        hardware_id="",
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
    )
