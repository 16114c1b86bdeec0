"""A main process that lacks something while it starts a node, and has it when the node is tried again.

It prints why the first start has failed, then what became of the second, one JSON text a line.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from supervision.living import children, until
from supervision.rig import ID, Fleet, name_of, read

from bxi_framework.machine.requests import Verdict
from bxi_framework.supervision import NodeStatus, Phase, Supervisor


@contextmanager
def limited(what: int, most: int, *others: int) -> Iterator[None]:
    """A soft limit for a while, for this process and others."""
    pids = (os.getpid(), *others)
    before = resource.getrlimit(what)
    for pid in pids:
        resource.prlimit(pid, what, (most, before[1]))
    try:
        yield
    finally:
        for pid in pids:
            resource.prlimit(pid, what, before)


@contextmanager
def no_folder() -> Iterator[None]:
    """No folder for temporary files, for a while."""
    tempfile.tempdir = "/proc/self/no-such-folder"
    try:
        yield
    finally:
        tempfile.tempdir = None


@contextmanager
def full_folder() -> Iterator[None]:
    """The folder for temporary files is full for a while; it must be a small one."""
    ballast = Path(tempfile.gettempdir(), "ballast")
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(512))
        except OSError:
            pass
    try:
        yield
    finally:
        ballast.unlink()


def handles() -> int:
    """One more than the highest open descriptor."""
    return max(int(name) for name in os.listdir("/proc/self/fd")) + 1


def guard() -> list[int]:
    """The guard, once there is one."""
    return [pid for pid in children() if name_of(pid) == "bxi-guard"]


def say(text: str) -> None:
    sys.stdout.write(f"{json.dumps(text)}\n")
    sys.stdout.flush()


SCARCE: dict[str, Callable[[], AbstractContextManager[None]]] = {
    "processes": lambda: limited(resource.RLIMIT_NPROC, 1, *guard()),
    "handles": lambda: limited(resource.RLIMIT_NOFILE, handles()),
    "folder": no_folder,
    "space": full_folder,
}


def main(root: str, mark: str, what: str, warm: str) -> None:
    """``warm`` is the name of a node that is started before anything is scarce, so that there is a guard."""
    with Fleet(read(Path(root)), mark=mark) as fleet:
        supervisor = Supervisor(tuple(fleet.specs.values()), fleet.backend, time.monotonic, fleet._log)

        def status(local: str) -> NodeStatus:
            supervisor.poll()
            return next(status for status in supervisor.statuses if status.name == f"{ID}/{local}")

        def reach(local: str, phase: Phase) -> NodeStatus:
            until(lambda: status(local).phase is phase, lambda: f"{phase}: {status(local)}")
            return status(local)

        if warm:
            supervisor.start()
            supervisor.halt(f"{ID}/late", lambda _: None)
            reach(warm, Phase.RUNNING)
        with SCARCE[what]():
            if warm:
                supervisor.restart(f"{ID}/late", lambda _: None)
            else:
                supervisor.start()
            failed = reach("late", Phase.FAULTED)
        say(failed.reason)
        verdicts: list[Verdict] = []
        supervisor.restart(f"{ID}/late", verdicts.append)
        supervisor.poll()
        assert verdicts == [Verdict(True)]
        say(reach("late", Phase.RUNNING).reason)
        supervisor.stop()
        until(lambda: supervisor.poll() or supervisor.idle, "all have ended")


if __name__ == "__main__":
    main(*sys.argv[1:])
