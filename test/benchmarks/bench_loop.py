"""The loop on its own thread against the machine's clock: how late its ticks begin, beside a bare loop.

The bare loop is the same pacer with nothing to do, so the ratio shows what our work adds to what the machine
does by itself.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from generated_mods import BASIC, CONFIG
from measuring import show

from bxi_framework.control.loop import ControlLoop
from bxi_framework.control.pacer import Pacer
from bxi_framework.ros.clock import SystemClock
from bxi_framework.testing import Bench

RATES = (50, 500, 1000)
SECONDS = 6.0


def bare(rate: int) -> tuple[float, float, int]:
    """Median and 99th percentile of the lateness in µs, and skipped cycles, of a loop without work."""
    pacer = Pacer(SystemClock(), round(1e9 / rate), 0)
    count = int(rate * SECONDS)
    late = np.array([pacer.wait()[1] for _ in range(count)]) / 1e3
    return float(np.median(late)), float(np.percentile(late, 99)), pacer.skipped


def loop(rate: int) -> dict[str, float | int]:
    """The same of the control loop with 31 joints in a moving state, nothing published."""
    with Bench(CONFIG) as robot:
        robot.request_state(f"{BASIC}/normal")
        robot.step(50)
        robot.request_state(f"{BASIC}/hello")
        robot.step(100)
        settings = replace(
            robot.runtime.config.control_runtime, period_sec=1.0 / rate, statistics_interval_sec=SECONDS
        )
        running = ControlLoop(
            robot.runtime.controller,
            robot._hub,
            SystemClock(),
            settings,
            lambda frame: None,
            lambda *line: None,
        )
        running.start()
        time.sleep(SECONDS)
        assert running.stop(1.0)
        return running.timing.summary.as_dict()


def main() -> None:
    """One line for each rate."""
    for rate in RATES:
        median, high, skipped = bare(rate)
        ours = loop(rate)
        show(
            f"loop_{rate}_hz",
            lateness_median_us=ours["lateness_median_us"],
            lateness_p99_us=ours["lateness_p99_us"],
            compute_p99_us=ours["compute_p99_us"],
            skipped=ours["skipped"],
            bare_lateness_median_us=round(median, 1),
            bare_lateness_p99_us=round(high, 1),
            bare_skipped=skipped,
        )


if __name__ == "__main__":
    main()
