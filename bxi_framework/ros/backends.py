"""Joins the backend for nodes inside this process and that for processes: each node goes where it belongs."""

from __future__ import annotations

from bxi_framework.ros.node_names import NodeNames, ros_name
from bxi_framework.supervision import NodeBackend, NodeSpec, Sight


class JoinedBackend:
    """Hands each node to the backend for its ``execution``; keeps the ROS names of processes."""

    def __init__(self, in_process: NodeBackend, process: NodeBackend, names: NodeNames) -> None:
        self._names = names
        self._backends = {"in_process": in_process, "process": process}
        self._owners: dict[str, NodeBackend] = {}

    def start(self, spec: NodeSpec) -> None:
        """Begin to start a node."""
        self._owners[spec.name] = self._backends[spec.decl.execution]
        if spec.decl.execution == "process" and ros_name(spec):
            self._names.take(spec.name, ros_name(spec))
        self._owners[spec.name].start(spec)

    def look(self, name: str) -> Sight:
        """What became of a node that was started."""
        return self._owners[name].look(name)

    def stop(self, name: str) -> None:
        """Begin to end a node."""
        self._owners[name].stop(name)

    def forget(self, name: str) -> None:
        """Release what is kept of a node that has ended."""
        self._names.release(name)
        self._owners.pop(name).forget(name)

    def close(self) -> None:
        """Release everything."""
        for backend in self._backends.values():
            backend.close()
