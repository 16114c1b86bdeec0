"""Supervised nodes are killed at random: each starts again or is given up by its policy; nothing piles up."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from pathlib import Path

from supervision.living import children, marked, until
from supervision.rig import ID, Fleet, act, write_fleet

from bxi_framework.machine.requests import Verdict
from bxi_framework.supervision import NodeStatus, Phase, Supervisor

KILLS = int(os.environ.get("BXI_CHAOS_NODE_KILLS", "20"))
"""How often a process is killed."""

SEED = 20240607
QUICK = {"signal": "SIGINT", "terminate_after": 0.05, "kill_after": 0.05}


def restart(attempts: int) -> dict[str, object]:
    """A policy with so many attempts, none of which is forgotten during a test."""
    return {"max_attempts": attempts, "delay": 0.01, "backoff": 1.0, "reset_after": 3600.0}


NODES = {
    "plain": act("hold", shutdown=QUICK, restart=restart(1000)),
    "told": act("hold", shutdown=QUICK, restart=restart(2), params={"car": "on"}),
    "wild": act("stubborn", "hold", shutdown=QUICK, restart=restart(3), params={"car": "off"}),
    "last": act("hold", shutdown=QUICK, restart=restart(0)),
}
MOST = {"plain": 1000, "told": 2, "wild": 3, "last": 0}


class Supervised(Fleet):
    """A fleet under a supervisor."""

    def __init__(self, folder: Path) -> None:
        super().__init__(write_fleet(folder, NODES))
        self.supervisor = Supervisor(tuple(self.specs.values()), self.backend, time.monotonic, self._log)

    def status(self, local: str) -> NodeStatus:
        """A node's status after one more step."""
        self.supervisor.poll()
        return next(status for status in self.supervisor.statuses if status.name == f"{ID}/{local}")

    def running(self, local: str) -> int:
        """Wait until a node runs and says so; its process."""
        until(lambda: self.status(local).phase is Phase.RUNNING, lambda: f"{local} runs; {self.lines[-9:]}")
        until(lambda: self.supervisor.poll() or "holding" in self.printed(local), f"{local} holds")
        pid = self.status(local).pid
        assert pid is not None
        return pid

    def given_up(self, local: str) -> NodeStatus:
        """Wait until a node is not started any more."""
        until(lambda: self.status(local).phase is Phase.FAULTED, f"{local} is given up")
        return self.status(local)

    def held(self) -> tuple[int, int, int, int, int]:
        """What this process and the guard hold once the guard has waited for all keepers that ended."""
        guard = self.guard()
        until(lambda: len(below(guard)) == len(NODES), "there is one keeper for each node")
        ours, theirs = os.listdir("/proc/self/fd"), os.listdir(f"/proc/{guard}/fd")
        files = list(self.backend._link.folder.iterdir())
        return len(ours), len(theirs), len(files), threading.active_count(), len(children())


def below(pid: int) -> list[int]:
    """The children of a process, dead ones included."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    return [int(word) for word in text.split()]


def test_killed_nodes_start_again_or_are_given_up_and_nothing_piles_up(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    with Supervised(tmp_path) as fleet:
        fleet.supervisor.start()
        pids = {local: fleet.running(local) for local in NODES}
        before, processes = fleet.held(), len(marked(fleet.mark))
        kills = dict.fromkeys(NODES, 0)
        outcomes = set()
        verdicts: list[Verdict] = []
        for _ in range(KILLS):
            local = chance.choice(list(NODES))
            kills[local] += 1
            fleet.lines.clear()
            os.kill(pids[local], signal.SIGKILL)
            if kills[local] > MOST[local]:
                status = fleet.given_up(local)
                assert (status.exit_code, status.pid) == (-signal.SIGKILL, None)
                assert (status.reason, status.restarts) == ("it was killed by SIGKILL", MOST[local])
                # A person tries again.
                fleet.supervisor.restart(f"{ID}/{local}", verdicts.append)
                fleet.supervisor.poll()
                assert verdicts.pop() == Verdict(True)
                kills[local] = 0
            pids[local] = fleet.running(local)
            assert fleet.status(local).restarts == kills[local]
            outcomes.add(kills[local] > 0)
        assert outcomes == {True, False}
        assert fleet.held() == before
        assert len(marked(fleet.mark)) == processes
        fleet.supervisor.stop()
        until(lambda: fleet.supervisor.poll() or fleet.supervisor.idle, "all have ended")
        assert marked(fleet.mark) == []
        assert list(fleet.backend._link.folder.iterdir()) == []
