"""The flight record: what one tick costs the control thread, and what a file of a minute costs beside it."""

from __future__ import annotations

import time
from io import BytesIO

import numpy as np
from generated_mods import BASIC, CONFIG
from measuring import measure, show

from bxi_framework.control.record import Reason
from bxi_framework.control.record.write import write_flight
from bxi_framework.robot import ImuReading, InputSnapshot, JointReadings
from bxi_framework.testing import Bench


def snapshots(robot: Bench) -> tuple[InputSnapshot, InputSnapshot]:
    """Two snapshots between which every input is new."""

    def one() -> InputSnapshot:
        joints = JointReadings.zeros(robot.joints.names)
        return InputSnapshot(joints, ImuReading(), np.zeros(3, dtype=np.float32), (0,) * 21, 0)

    return one(), one()


def bench_tick(name: str, *, inputs_are_new: bool) -> None:
    """One tick of 31 joints."""
    with Bench(CONFIG) as robot:
        robot.step()
        record, frame, pair = robot.runtime.record, robot.frame, snapshots(robot)
        record.reserve()
        at = 0

        def tick() -> None:
            nonlocal at
            at ^= inputs_are_new
            record.tick(0, pair[at], frame, 1, 0, 0)

        measure(name, tick)


def bench_write(name: str, rate: int) -> None:
    """A minute of 31 joints that move, from memory to the bytes of a file, without rests."""
    with Bench(CONFIG, overrides=[f"control_runtime.period_sec={1 / rate}"]) as robot:
        robot.request_state(f"{BASIC}/normal")
        robot.request_state(f"{BASIC}/hello")
        robot.step(60 * rate)
        stream, begin = BytesIO(), time.perf_counter()
        write_flight(
            stream, robot.runtime.record.flight(Reason(0, "request", ""), 0, lambda: None), lambda: None
        )
        seconds = time.perf_counter() - begin
    show(name, seconds=round(seconds, 2), megabytes=round(stream.tell() / 1e6, 2), ticks=60 * rate)


if __name__ == "__main__":
    bench_tick("record_tick", inputs_are_new=True)
    bench_tick("record_tick_old_inputs", inputs_are_new=False)
    bench_write("record_write_50_hz", 50)
    bench_write("record_write_1000_hz", 1000)
