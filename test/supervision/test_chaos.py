"""Nodes are killed at random: each is seen to have ended and can start again, and nothing piles up."""

from __future__ import annotations

import os
import random
import signal
import threading
from pathlib import Path

from supervision.living import children, marked, until
from supervision.rig import ID, Fleet, act, write_fleet

from bxi_framework.supervision.backend import Life

KILLS = int(os.environ.get("BXI_CHAOS_NODE_KILLS", "20"))
"""How often a process is killed."""

SEED = 20240607


def below(pid: int) -> list[int]:
    """The children of a process, dead ones included."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    return [int(word) for word in text.split()]


def test_killed_nodes_are_noticed_and_nothing_piles_up(tmp_path: Path) -> None:
    quick = {"signal": "SIGINT", "terminate_after": 0.05, "kill_after": 0.05}
    nodes = {
        "plain": act("hold", shutdown=quick),
        "told": act("hold", shutdown=quick, params={"car": "on"}),
        "wild": act("stubborn", "hold", shutdown=quick, params={"car": "off"}),
    }
    chance = random.Random(SEED)
    with Fleet(write_fleet(tmp_path, nodes)) as fleet:

        def start(local: str) -> None:
            fleet.lines.clear()
            fleet.start(local)
            fleet.says(local, "holding")

        def held() -> tuple[int, int, int, int]:
            """What this process and the guard hold once the guard has waited for all keepers that ended."""
            guard = fleet.guard()
            until(lambda: len(below(guard)) == len(nodes), "there is one keeper for each node")
            ours, theirs = os.listdir("/proc/self/fd"), os.listdir(f"/proc/{guard}/fd")
            return len(ours), len(theirs), threading.active_count(), len(children())

        for local in nodes:
            start(local)
        before, processes = held(), len(marked(fleet.mark))
        files = len(list(fleet.backend._link.folder.iterdir()))
        for _ in range(KILLS):
            local = chance.choice(list(nodes))
            pid = fleet.look(local).pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            sight = fleet.ended(local)
            assert (sight.exit_code, sight.reason) == (-signal.SIGKILL, "it was killed by SIGKILL")
            assert all(fleet.look(other).life is Life.RUNNING for other in nodes if other != local)
            fleet.backend.forget(f"{ID}/{local}")
            start(local)
        assert held() == before
        assert len(marked(fleet.mark)) == processes
        assert len(list(fleet.backend._link.folder.iterdir())) == files == 2
