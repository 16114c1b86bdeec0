"""A main process to be killed: starts the nodes of a Mod, then does as its input says."""

from __future__ import annotations

import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from supervision.rig import Fleet, read

from bxi_framework.supervision.backend import Life


def main(root: str, mark: str, ending: str) -> None:
    """Start everything, say so, and wait; at the end of the input close in order, or hang."""
    fleet = Fleet(read(Path(root)), mark=mark)
    names = [spec.decl.local for spec in fleet.specs.values()]
    fleet.start(*names)
    for name in names:
        fleet.reach(name, Life.RUNNING)
        fleet.says(name, "holding")
    pids = [fleet.guard(), *(fleet.look(name).pid for name in names)]
    sys.stdout.write(" ".join(map(str, pids)) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    if ending == "close":
        fleet.backend.close()
    elif ending == "stuck":
        while True:
            time.sleep(60)


if __name__ == "__main__":
    main(*sys.argv[1:])
