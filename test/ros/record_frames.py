"""An independent listener as a process: prints every state, and saves all motor frames when its input ends.

Usage: record_frames.py FILE. The file then holds ``time`` (s, monotonic, shape (T,)) and ``frame`` (T, 5, N).
"""

from __future__ import annotations

import json
import sys
import threading
import time

import numpy as np
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Float32MultiArray, String


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    rclpy.init()
    node = rclpy.create_node("recorder")
    times: list[float] = []
    frames: list[np.ndarray] = []
    last = ""

    def on_frame(message: Float32MultiArray) -> None:
        times.append(time.monotonic())
        rows, joints = (dim.size for dim in message.layout.dim)
        frames.append(np.array(message.data, dtype=np.float32).reshape(rows, joints))

    def on_state(message: String) -> None:
        nonlocal last
        state = json.loads(message.data)
        run = state["transition"]
        shown = f"{run['from']} > {run['to']}" if run is not None else f"in {state['current']['name']}"
        if shown != last:
            last = shown
            say(shown)

    node.create_subscription(Float32MultiArray, "motor_frame", on_frame, QoSProfile(depth=1000))
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_subscription(String, "bxi_control/state", on_state, latched)

    ended = threading.Event()

    def read() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=read, daemon=True).start()
    say("ready")
    while not ended.is_set():
        rclpy.spin_once(node, timeout_sec=0.1)
    np.savez(sys.argv[1], time=np.array(times), frame=np.array(frames))
    say("saved")
    node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
