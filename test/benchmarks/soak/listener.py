"""Hears the motor frames in a process of its own and measures the time between them.

It says ``ready`` once it hears frames, begins to measure with a line on its input, ends with the end of it,
and prints its figures.
"""

from __future__ import annotations

import sys
import time
from array import array
from threading import Event, Thread

import numpy as np
import rclpy
from measures import figures_of, say
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import Float32MultiArray

LATE_MS = 25.0
PATIENCE = 40.0
LONG_MS = 60.0


def main() -> None:
    """Note when each frame comes."""
    rclpy.init(args=[])
    node = rclpy.create_node("soak_listener")
    times = array("q")
    quality = QoSProfile(depth=200, reliability=ReliabilityPolicy.BEST_EFFORT)
    # As bytes: what is in a frame costs this process nothing.
    node.create_subscription(
        Float32MultiArray, "motor_frame", lambda _: times.append(time.monotonic_ns()), quality, raw=True
    )
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    patience = time.monotonic() + PATIENCE
    while len(times) < 5:
        executor.spin_once(0.1)
        if time.monotonic() > patience:
            sys.exit(f"no frames came within {PATIENCE:g} s")
    print("ready", flush=True)
    ending = Event()
    begun: list[int] = []

    def orders() -> None:
        sys.stdin.readline()
        begun.append(time.monotonic_ns())
        sys.stdin.read()
        ending.set()

    Thread(target=orders, daemon=True).start()
    while not ending.is_set():
        executor.spin_once(0.1)
    heard = np.frombuffer(times, dtype=np.int64)
    gaps = np.diff(heard[heard >= begun[0]]) / 1e6
    say(
        {
            "frames": len(gaps) + 1,
            "gap_ms": figures_of(gaps),
            "over_25_ms": int((gaps > LATE_MS).sum()),
            "over_60_ms": int((gaps > LONG_MS).sum()),
        }
    )


if __name__ == "__main__":
    main()
