"""What operators and tools see: the joint layout, the state graph and the state, each as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping

from rclpy.node import Node
from std_msgs.msg import String

from bxi_framework.control.inputs import InputHub
from bxi_framework.control.loop import ControlLoop
from bxi_framework.control.runtime import Runtime
from bxi_framework.machine.export import graph_as_dict
from bxi_framework.ros import qos
from bxi_framework.ros.node_loads import NodeLoads
from bxi_framework.ros.texts import sendable
from bxi_framework.supervision import Supervisor

AT_LEAST_EVERY_NS = 500_000_000
"""The state is published this often even if nothing changes."""


class Views:
    """Publishes ``joint_layout`` and ``~/graph`` once, and ``~/state`` whenever there is a reason to."""

    def __init__(
        self,
        node: Node,
        runtime: Runtime,
        hub: InputHub,
        loop: ControlLoop,
        supervisor: Supervisor,
        loads: NodeLoads,
        now_ns: Callable[[], int],
    ) -> None:
        self._node = node
        self._engine = runtime.engine
        self._watch = runtime.controller.watch
        self._clamps = runtime.controller.clamps
        self._limits = {each.input: each.limit for each in runtime.config.watchdogs}
        self._hub = hub
        self._loop = loop
        self._supervisor = supervisor
        self._loads = loads
        self._now_ns = now_ns
        self._seen: tuple[object, ...] = ()
        self._last_ns = 0
        self._state = node.create_publisher(String, "~/state", qos.standing())
        self._fixed = [
            _published(node, "joint_layout", runtime.model.as_dict()),
            _published(node, "~/graph", graph_as_dict(runtime.graph)),
        ]

    def refresh(self) -> None:
        """Publish the state if it has changed or was last published half a second ago."""
        now = self._now_ns()
        seen = (self._engine.revision, self._nodes())
        if seen != self._seen or now - self._last_ns >= AT_LEAST_EVERY_NS:
            self._seen, self._last_ns = seen, now
            self._state.publish(String(data=_json(self.state())))

    def state(self) -> dict[str, object]:
        """What ``~/state`` says now."""
        return {
            **self._engine.snapshot().as_dict(),
            "control": {"active": self._loop.running, "velocity": self._hub.velocity_source},
            "inputs": self._inputs(),
            "unheard_joints": list(self._hub.unheard_joints),
            "clamps": self._clamps.as_dict(),
            "nodes": [
                {"name": name, "state": state, "cpu_percent": self._cpu_percent(name)}
                for name, state in self._nodes()
            ],
            "timing": self._loop.timing.summary.as_dict(),
        }

    def _nodes(self) -> tuple[tuple[str, str], ...]:
        """The nodes of the Mods, each with what became of it."""
        return tuple((status.name, status.phase.value) for status in self._supervisor.statuses)

    def _cpu_percent(self, name: str) -> float | None:
        """The share of a CPU that a node takes, if it is known."""
        load = self._loads.latest.get(name)
        return None if load is None else load.cpu_percent

    def _inputs(self) -> dict[str, object]:
        """How old each input is (s, null if it was never heard), and whether that is too old."""
        ages = self._hub.snapshot().ages._asdict()
        lost = () if self._watch is None else self._watch.lost
        return {
            name: {
                "age": None if math.isinf(age) else round(age, 3),
                "limit": self._limits.get(name),
                "lost": name in lost,
            }
            for name, age in ages.items()
        }

    def destroy(self) -> None:
        """Take the publishers down."""
        for publisher in (self._state, *self._fixed):
            self._node.destroy_publisher(publisher)


def _published(node: Node, topic: str, value: Mapping[str, object]):  # type: ignore[no-untyped-def]
    publisher = node.create_publisher(String, topic, qos.standing())
    publisher.publish(String(data=_json(value)))
    return publisher


def _json(value: Mapping[str, object]) -> str:
    return sendable(json.dumps(value, ensure_ascii=False, allow_nan=False))
