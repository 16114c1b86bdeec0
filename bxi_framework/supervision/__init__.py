"""The nodes that Mods bring: what is to run, in which order, and what became of it.

``spec``        a node as the manifests describe it, and the order of their starts
``backend``     what runs one kind of node
``process``     the backend for nodes that are processes; ``guard`` is the program that keeps them,
                ``guard_link`` the way to it, ``remains`` what is left of a node without it
``process_plan``  a node as a process to start. Its parts: ``command``, ``surroundings`` (folder, environment,
                Python), ``params_file``, ``handover`` (what a python node is given), ``facts``
``status``      what became of a node
``desired``     which nodes should run; ``policy`` what follows when one has ended by itself
``reconcile``   one step from what is to what should be
``supervisor``  keeps all nodes as they should be; ``rounds`` is its thread, ``telling`` what the log hears,
                ``fold`` what it hears only once in a while
``preparation``  switches of state that need nodes
"""

from __future__ import annotations

from bxi_framework.supervision.backend import Life, NodeBackend, Sight
from bxi_framework.supervision.spec import NodeSpec, node_specs, start_order
from bxi_framework.supervision.status import NodeStatus, Phase
from bxi_framework.supervision.supervisor import Supervisor

__all__ = [
    "Life",
    "NodeBackend",
    "NodeSpec",
    "NodeStatus",
    "Phase",
    "Sight",
    "Supervisor",
    "node_specs",
    "start_order",
]
