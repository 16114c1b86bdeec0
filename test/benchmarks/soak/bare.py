"""A loop of the same rate that does nothing, in a process of its own: what this machine allows.

``bare.py RATE`` begins with a line on its input, ends with the end of it, and prints its figures.
"""

from __future__ import annotations

import sys
from threading import Event, Thread

from measures import figures_of, say

from bxi_framework.control.pacer import Pacer
from bxi_framework.ros.clock import SystemClock


def main(rate: float) -> None:
    """Wait for cycle after cycle."""
    sys.stdin.readline()
    ending = Event()
    Thread(target=lambda: (sys.stdin.read(), ending.set()), daemon=True).start()
    pacer = Pacer(SystemClock(), round(1e9 / rate))
    late: list[int] = []
    while not ending.is_set():
        late.append(pacer.wait()[1])
    figures = figures_of(late, 1e3)
    say({"lateness_us": figures, "skipped": pacer.skipped, "ticks": len(late)})


if __name__ == "__main__":
    main(float(sys.argv[1]))
