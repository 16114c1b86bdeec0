"""All nodes of the Mods of one run: their backends, their supervisor and its thread, from start to end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Final

from rclpy.node import Node

from bxi_framework.loading.execute import LoadedMods
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.ros.backends import JoinedBackend
from bxi_framework.ros.node_loads import NodeLoads
from bxi_framework.ros.node_names import NodeNames
from bxi_framework.ros.nodes import InProcessBackend
from bxi_framework.supervision import Supervisor, node_specs
from bxi_framework.supervision.facts import machine_facts
from bxi_framework.supervision.preparation import NodeStart
from bxi_framework.supervision.process import ProcessBackend
from bxi_framework.supervision.rounds import Rounds
from bxi_framework.supervision.surroundings import Host

PATIENCE: Final = 6.5
"""Seconds that the nodes may take to end before what is left of them is killed."""

_ENDING: Final = 1.0
"""Seconds that the look under way may take to end."""


class NodeFleet:
    """Starts, watches and ends the nodes. Its methods belong to the main thread.

    Args:
        loaded: the Mods that run.
        control: the framework's own node; those of the Mods are below its namespace.
        states: the states whose nodes are needed.
        asked: the start of nodes that a switch waits for.
        log: takes messages; must not block.
    """

    def __init__(
        self,
        loaded: LoadedMods,
        control: Node,
        states: Callable[[], frozenset[str]],
        asked: Callable[[], NodeStart | None],
        log: LogSink,
    ) -> None:
        self._log = log
        names = NodeNames(control.get_fully_qualified_name(), log)
        self._inside = InProcessBackend(log, control=control, names=names)
        host = Host(os.environ, sys.executable, machine_facts)
        self._backend = JoinedBackend(
            self._inside, ProcessBackend(loaded.manifests, host, log, time.monotonic), names
        )
        self.supervisor = Supervisor(
            node_specs(loaded.manifests, loaded.node_factories, control.get_namespace().rstrip("/")),
            self._backend,
            time.monotonic,
            log,
            unavailable=loaded.resolution.unavailable_nodes,
            states=states,
            asked=asked,
        )
        self._rounds = Rounds(self.supervisor, log)
        self._rounds.start()

    @property
    def stuck(self) -> bool:
        """True while code of a Mod does not return, so that not everything can be taken down."""
        return self._inside.stuck

    @property
    def loads(self) -> NodeLoads:
        """How heavy the nodes are."""
        return self._inside.loads

    def start(self) -> None:
        """Want the nodes to run; nobody waits for them."""
        self.supervisor.start()

    def stop(self) -> None:
        """Stop the nodes, those first on which no other depends."""
        if not self._rounds.stop_nodes(PATIENCE):
            self._log("warning", "nodes", f"some still run after {PATIENCE:g} s and are killed")

    def close(self) -> None:
        """Release everything; what still lives is killed."""
        if not self._rounds.end(_ENDING):
            self._log("warning", "nodes", f"the look at them did not end within {_ENDING:g} s")
        self._backend.close()
