"""What is left of a node after its keeper and the guard were killed, found without their help."""

from __future__ import annotations

from typing import Final

from bxi_framework.supervision.guard.tree import Process, all_processes, carriers, descendants, look_up

MARK: Final = "BXI_NODE_RUN"
"""The variable that every process of a node inherits; its value is different at each start."""


def remains(pid: int, start: int, mark: str) -> list[Process]:
    """The living processes of a node.

    Args:
        pid: the node's process, which began at ``start``; see `tree.Process`.
        mark: the value of `MARK` at that start.

    Found are those that carry the mark, the session of the node's process while that lives, and all below
    them.
    """
    known = all_processes()
    found = {process.pid: process for process in carriers(f"{MARK}={mark}")}
    root = look_up(pid)
    if root is not None and root.start == start:
        found.update((process.pid, process) for process in known.values() if process.session == pid)
    for process in list(found.values()):
        found.update((below.pid, below) for below in descendants(process.pid, known=known))
    return [process for process in found.values() if not process.dead]
