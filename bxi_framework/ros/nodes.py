"""Nodes of Mods inside this process: on one shared executor, on a thread apart from the control thread."""

from __future__ import annotations

from threading import Event, Thread

from rclpy.node import Node

from bxi_framework.diagnostics.guard import describe_error, guarded, mod_place
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.ros.executor import NamingExecutor
from bxi_framework.supervision import Life, NodeSpec, Sight
from bxi_framework.supervision.facts import filled, machine_facts

_PATIENCE = 0.5
"""Seconds that a callback under way may take before its node is left as it is."""


class InProcessBackend:
    """Runs the nodes that ``create_node`` factories make. The thread starts with the first node."""

    def __init__(self, log: LogSink) -> None:
        self._log = log
        self._executor = NamingExecutor(self._failed)
        self._specs: dict[Node, NodeSpec] = {}
        self._nodes: dict[str, Node] = {}
        self._reasons: dict[str, str] = {}
        self._stopping = Event()
        self._thread: Thread | None = None
        self.stuck = False
        """True if a callback did not return, so that a node could not be taken down."""

    def start(self, spec: NodeSpec) -> None:
        """Call the node's factory and let the executor have the node."""
        self._reasons.pop(spec.name, None)
        assert spec.factory is not None
        outcome = guarded(spec.factory, filled(spec.context, machine_facts()))
        if outcome.error is not None:
            self._reasons[spec.name] = f"create_node() failed: {mod_place(outcome.error, spec.root)}"
            return
        node = outcome.value
        if not isinstance(node, Node):
            kind = type(node).__name__
            self._reasons[spec.name] = f"create_node() returned a {kind}, expected a rclpy node"
            return
        self._specs[node] = spec
        self._nodes[spec.name] = node
        self._executor.add_node(node)
        if self._thread is None:
            self._thread = Thread(target=self._spin, name="mod-nodes", daemon=True)
            self._thread.start()

    def look(self, name: str) -> Sight:
        """What became of a node; one that has failed has ended."""
        reason = self._reasons.get(name)
        return Sight(Life.RUNNING) if reason is None else Sight(Life.ENDED, reason=reason)

    def stop(self, name: str) -> None:
        """Take the node down between two callbacks."""
        self._reasons.setdefault(name, "")
        self._take_down(name)

    def forget(self, name: str) -> None:
        """Release a node that has failed."""
        self._take_down(name)
        self._reasons.pop(name, None)

    def _take_down(self, name: str) -> None:
        node = self._nodes.pop(name, None)
        if node is None:
            return
        if not self._executor.busy.acquire(timeout=_PATIENCE):
            self.stuck = True
            self._log("warning", name, "a callback does not return; the nodes are left as they are")
            return
        try:
            self._executor.remove_node(node)
            del self._specs[node]
            outcome = guarded(node.destroy_node)
        finally:
            self._executor.busy.release()
        if outcome.error is not None:
            self._log("warning", name, f"destroy_node() failed: {describe_error(outcome.error)}")

    def close(self) -> None:
        """End the thread."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(_PATIENCE)
            self.stuck = self.stuck or self._thread.is_alive()
        if not self.stuck:
            self._executor.shutdown()

    def _spin(self) -> None:
        while not self._stopping.is_set():
            outcome = guarded(self._executor.spin_once, 0.1)
            if outcome.error is not None:
                self._log(
                    "warning", "mod-nodes", f"the executor goes on after {describe_error(outcome.error)}"
                )

    def _failed(self, node: Node | None, callback: str, error: BaseException) -> None:
        """On the executor's thread: the node is out of the way at once, its status follows by `look`."""
        spec = self._specs.get(node) if node is not None else None
        if node is None or spec is None:
            return
        self._executor.remove_node(node)
        self._reasons[spec.name] = f"{callback} failed: {mod_place(error, spec.root)}"
