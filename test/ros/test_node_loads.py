"""Which node is heavy: figures of callbacks inside this process and of processes, and how they are told."""

from __future__ import annotations

import os
import time

from bxi_framework.ros.node_loads import NodeLoads
from bxi_framework.supervision import NodeStatus, Phase

MS = 1_000_000
SECOND = 1000 * MS


def status(name: str, pid: int | None = None) -> NodeStatus:
    return NodeStatus(name, "com.example", "", Phase.RUNNING, 0.0, pid=pid)


def test_each_look_shows_what_came_since_the_last() -> None:
    loads = NodeLoads()
    nodes = [status("com.example/busy"), status("com.example/calm")]
    loads.look(SECOND, nodes)
    assert loads.latest == {}
    for _ in range(10):
        loads.note("com.example/busy", "timer", 20 * MS, 15 * MS)
        loads.note("com.example/calm", "subscription 'x'", 100_000, 10_000)
    loads.note("com.example/busy", "subscription 'y'", 100 * MS, 40 * MS)
    loads.look(2 * SECOND, nodes)
    busy, calm = (loads.latest[node.name] for node in nodes)
    assert (busy.cpu_percent, busy.callbacks_per_s) == (30.0, 11.0)
    assert (busy.longest_callback_ms, busy.longest_callback) == (40.0, "subscription 'y'")
    assert (calm.cpu_percent, calm.callbacks_per_s) == (0.1, 10.0)
    assert loads.busiest() == (
        "node 'com.example/busy' took 30 % of a CPU, its longest callback 40.0 ms (subscription 'y')"
    )
    loads.look(4 * SECOND, nodes)
    assert loads.latest["com.example/busy"].cpu_percent == 0.0
    assert loads.latest["com.example/busy"].longest_callback == ""
    assert loads.busiest() == ""


def test_looks_in_a_row_show_the_same() -> None:
    loads = NodeLoads()
    loads.note("com.example/busy", "timer", 100 * MS, 90 * MS)
    loads.look(SECOND, [status("com.example/busy")])
    before = loads.latest
    loads.look(SECOND + 10 * MS, [status("com.example/busy")])
    assert loads.latest is before


def test_a_process_is_measured_between_two_looks_and_one_that_is_gone_is_not() -> None:
    loads = NodeLoads()
    mine = status("com.example/process", pid=os.getpid())
    gone = status("com.example/gone", pid=2**22 + 1)
    loads.look(SECOND, [mine, gone])
    assert mine.name not in loads.latest
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    loads.look(2 * SECOND, [mine, gone])
    assert 5.0 <= loads.latest[mine.name].cpu_percent < 100.0
    assert loads.latest[mine.name].callbacks_per_s is None
    assert gone.name not in loads.latest
    assert loads.busiest() == "", "a process of its own does not hold this interpreter"
