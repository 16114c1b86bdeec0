"""How heavy each node of a Mod is: its share of a CPU, and what its callbacks take."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from bxi_framework.diagnostics.guard import guarded
from bxi_framework.supervision import NodeStatus

_SHORTEST_NS: Final = 500_000_000
"""A look that comes sooner after the one before gives the figures of that one."""

_NOTABLE_PERCENT: Final = 5.0


@dataclass(frozen=True, slots=True)
class NodeLoad:
    """Between the last two looks: percent of one CPU, and for a node inside this process callbacks per second
    and the longest one in ms, with its name.
    """

    cpu_percent: float
    callbacks_per_s: float | None = None
    longest_callback_ms: float | None = None
    longest_callback: str = ""

    def as_dict(self) -> dict[str, object]:
        """All of it in plain types."""
        return {
            "cpu_percent": self.cpu_percent,
            "callbacks_per_s": self.callbacks_per_s,
            "longest_callback_ms": self.longest_callback_ms,
            "longest_callback": self.longest_callback,
        }


NOT_MEASURED: Final = MappingProxyType(
    {"cpu_percent": None, "callbacks_per_s": None, "longest_callback_ms": None, "longest_callback": ""}
)
"""What stands for the load of a node that does not run."""


class _Tally:
    """Of one node inside this process; the times are in ns and count from its first callback on."""

    __slots__ = ("callback", "callbacks", "cpu", "longest", "seen_callbacks", "seen_cpu")

    def __init__(self) -> None:
        self.callbacks = self.cpu = self.longest = 0
        self.callback = ""
        self.seen_callbacks = self.seen_cpu = 0


class NodeLoads:
    """`note` belongs to the thread of the callbacks, `look` to one other; ``latest`` may be read by any."""

    def __init__(self) -> None:
        self.latest: Mapping[str, NodeLoad] = MappingProxyType({})
        """By the full name of the node; those without a figure are not in it."""
        self._inside: dict[str, _Tally] = {}
        self._processes: dict[int, int] = {}
        self._looked_at = 0

    def note(self, name: str, callback: str, cpu_ns: int, wall_ns: int) -> None:
        """Take in one callback: the CPU time that went into finding and running it, and how long it ran."""
        tally = self._inside.get(name)
        if tally is None:
            tally = self._inside[name] = _Tally()
        tally.callbacks += 1
        tally.cpu += cpu_ns
        if wall_ns > tally.longest:
            tally.longest, tally.callback = wall_ns, callback

    def look(self, now_ns: int, statuses: Iterable[NodeStatus]) -> None:
        """Renew ``latest``: what the nodes have taken since the last look."""
        passed = now_ns - self._looked_at
        if passed < _SHORTEST_NS:
            return
        self._looked_at = now_ns
        found: dict[str, NodeLoad] = {}
        processes: dict[int, int] = {}
        for status in statuses:
            tally = self._inside.get(status.name)
            if tally is not None:
                found[status.name] = _taken(tally, passed)
            elif status.pid is not None:
                total = guarded(_cpu_ns, status.pid).value
                if total is None:
                    continue
                processes[status.pid] = total
                if status.pid in self._processes:
                    share = 100.0 * (total - self._processes[status.pid]) / passed
                    found[status.name] = NodeLoad(round(max(0.0, share), 1))
        self._processes = processes
        self.latest = MappingProxyType(found)

    def busiest(self) -> str:
        """The node inside this process that takes most, as part of a sentence; empty if none takes much."""
        inside = {name: load for name, load in self.latest.items() if load.callbacks_per_s is not None}
        name = max(inside, key=lambda name: inside[name].cpu_percent, default=None)
        if name is None or inside[name].cpu_percent < _NOTABLE_PERCENT:
            return ""
        load = inside[name]
        return (
            f"node '{name}' took {load.cpu_percent:.0f} % of a CPU, its longest callback "
            f"{load.longest_callback_ms:.1f} ms ({load.longest_callback})"
        )


def _taken(tally: _Tally, passed: int) -> NodeLoad:
    callbacks, cpu, longest, name = tally.callbacks, tally.cpu, tally.longest, tally.callback
    load = NodeLoad(
        round(100.0 * (cpu - tally.seen_cpu) / passed, 1),
        round(1e9 * (callbacks - tally.seen_callbacks) / passed, 1),
        round(longest / 1e6, 2),
        name,
    )
    tally.seen_callbacks, tally.seen_cpu = callbacks, cpu
    tally.longest, tally.callback = 0, ""
    return load


def _cpu_ns(pid: int) -> int:
    """The CPU time that a process has used since it began."""
    fields = (
        Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    )
    user, system = int(fields[11]), int(fields[12])
    return (user + system) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
