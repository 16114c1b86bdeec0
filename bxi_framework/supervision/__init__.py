"""The nodes that Mods bring: what is to run, in which order, and what became of it.

``spec``        a node as the manifests describe it, and the order of their starts
``backend``     what runs one kind of node
``supervisor``  ordered start, reverse stop, and a status for each node
"""

from __future__ import annotations

from bxi_framework.supervision.backend import NodeBackend, Phase
from bxi_framework.supervision.spec import NodeSpec, node_specs, start_order
from bxi_framework.supervision.supervisor import NodeStatus, Supervisor

__all__ = ["NodeBackend", "NodeSpec", "NodeStatus", "Phase", "Supervisor", "node_specs", "start_order"]
