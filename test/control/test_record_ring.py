"""The ring of the last ticks: what goes in comes out, the oldest falls out, and copying disturbs nobody."""

from __future__ import annotations

import threading
import tracemalloc

import numpy as np
import pytest
from control.record_rigs import no_rest, snapshots
from machine.rigs import TWO_JOINTS

from bxi_framework.control.record.ring import Ring
from bxi_framework.robot import MotorFrame
from bxi_framework.safety import Clamp

LAYOUT = TWO_JOINTS.layout


def frame(value: float) -> MotorFrame:
    """Every value of the frame is ``value``, so that a row mixed from two ticks would show."""
    made = MotorFrame(LAYOUT)
    made.data[...] = value
    return made


def filled(ticks: int, size: int) -> Ring:
    """Tick ``n`` begins at 100·n, is sent at 100·n + 7, and its values are n + 1."""
    ring, snapshot = Ring(size, LAYOUT), snapshots()
    for number in range(ticks):
        ring.add(100 * number, snapshot(), frame(number + 1), 1 + number % 2, 3000, 7)
    return ring


def test_nothing_was_added() -> None:
    series = Ring(5, LAYOUT).series(no_rest)
    assert {name: (len(each), each.values.shape) for name, each in series.items()} == {
        "timing": (0, (0, 3)),
        "frames": (0, (0, 5, 2)),
        "readings": (0, (0, 3, 2)),
        "imu": (0, (0, 7)),
        "command": (0, (0, 3)),
        "clamps": (0, (0, 2)),
    }


def test_what_goes_in_comes_out() -> None:
    series = filled(3, 5).series(no_rest)
    assert series["frames"].time.tolist() == [7, 107, 207]
    assert series["frames"].values[:, :, 1].tolist() == [[1.0] * 5, [2.0] * 5, [3.0] * 5]
    assert series["timing"].time.tolist() == [0, 100, 200]
    assert series["timing"].values.tolist() == [
        pytest.approx([3.0, 0.007, 1.0]),
        pytest.approx([3.0, 0.007, 2.0]),
        pytest.approx([3.0, 0.007, 1.0]),
    ]
    assert series["readings"].values[1].tolist() == [[2.0, 2.0], [2.25, 2.25], [2.5, 2.5]]
    assert series["imu"].values[2].tolist() == [3.0, 3.0, 3.0, 3.0, -3.0, -3.0, -3.0]
    assert series["command"].values[:, 0].tolist() == [0.5, 1.0, 1.5]
    assert len(series["clamps"]) == 0


@pytest.mark.parametrize(("ticks", "kept"), [(4, 4), (5, 5), (6, 5), (7, 5), (11, 5), (12, 5), (600, 5)])
def test_the_oldest_falls_out(ticks: int, kept: int) -> None:
    series = filled(ticks, 5).series(no_rest)
    last = list(range(ticks - kept, ticks))
    assert series["timing"].time.tolist() == [100 * number for number in last]
    assert series["frames"].values[:, 0, 0].tolist() == [number + 1.0 for number in last]
    assert series["readings"].values[:, 0, 0].tolist() == [number + 1.0 for number in last]


def test_an_input_appears_at_the_tick_that_saw_it_first() -> None:
    ring, snapshot = Ring(10, LAYOUT), snapshots()
    first, second = snapshot(), snapshot()
    mixed = first._replace(joints=second.joints)
    for number, inputs in enumerate((first, first, mixed, mixed, second)):
        ring.add(100 * number, inputs, frame(0.0), 1, 0, 0)
    series = ring.series(no_rest)
    assert series["readings"].time.tolist() == [0, 200]
    assert series["readings"].values[:, 0, 0].tolist() == [1.0, 2.0]
    assert series["imu"].time.tolist() == series["command"].time.tolist() == [0, 400]


def test_clamps_belong_to_the_tick_that_was_added_last_and_are_bits_by_field_and_joint() -> None:
    ring, snapshot = Ring(3, LAYOUT), snapshots()
    for number in range(7):
        ring.add(100 * number, snapshot(), frame(0.0), 1, 0, 0)
        if number in (1, 5):
            ring.add_clamps(
                (Clamp("qpos", "a", 2.0, 1.0), Clamp("step", "a", 1.0, 0.5), Clamp("torque", "b", 9.0, 5.0))
            )
    clamps = ring.series(no_rest)["clamps"]
    assert clamps.time.tolist() == [500]
    assert clamps.values.tolist() == [[0b100001, 0b010000]]


def test_a_copy_that_takes_long_leaves_out_what_was_overwritten_meanwhile() -> None:
    ring, snapshot = filled(1000, 1000), snapshots()
    rests = 0

    def rest() -> None:
        nonlocal rests
        rests += 1
        for _ in range(10):
            ring.add(100 * ring.count, snapshot(), frame(ring.count + 1), 1, 0, 7)

    series = ring.series(rest)
    assert rests > 5
    # The first tick that is left is the one after all that the later ticks have pushed out.
    first = ring.count - 1000
    assert series["timing"].time.tolist() == [100 * number for number in range(first, 1000)]
    for name in ("frames", "readings", "imu", "command"):
        assert len(series[name]) == 1000 - first
    assert series["frames"].values[:, 2, 1].tolist() == [number + 1.0 for number in range(first, 1000)]


def test_while_another_thread_adds_ticks_no_copy_holds_half_of_one() -> None:
    ring, snapshot = Ring(20_000, LAYOUT), snapshots()
    ready = [(snapshot(), frame(number + 1)) for number in range(1000)]
    enough = threading.Event()

    def run() -> None:
        for number in range(200_000):
            inputs, made = ready[number % 1000]
            ring.add(100 * number, inputs, made, 1, 0, 7)
            if enough.is_set():
                return

    thread = threading.Thread(target=run)
    thread.start()
    copied = 0
    for _ in range(50):
        series = ring.series(no_rest)
        frames, readings = series["frames"], series["readings"]
        rows = frames.values.reshape(len(frames), 10)
        copied += len(rows)
        assert (rows == rows[:, :1]).all()
        assert (rows[:, 0] == (frames.time - 7) // 100 % 1000 + 1).all()
        assert (np.diff(frames.time) == 100).all()
        assert (readings.values[:, 0, 0] == readings.time // 100 % 1000 + 1).all()
    enough.set()
    thread.join(20.0)
    assert not thread.is_alive() and copied > 0


def test_adding_ticks_takes_no_memory() -> None:
    ring, snapshot = Ring(100, LAYOUT), snapshots()
    inputs, made = [snapshot(), snapshot()], frame(1.0)
    for number in range(300):
        ring.add(number, inputs[number % 2], made, 1, 0, 0)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for number in range(5000):
        ring.add(number, inputs[number % 2], made, 1, 0, 0)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 1000
