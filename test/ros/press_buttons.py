"""A gamepad as a process: publishes ``joy`` at 50 Hz, and presses the buttons that its input names.

Each line of the input names inputs, such as ``rb b`` or ``rt a``; they are pressed in turn and held
for a moment.
"""

from __future__ import annotations

import queue
import sys
import threading
import time

import rclpy
from sensor_msgs.msg import Joy

BUTTONS = {"a": 0, "b": 1, "x": 2, "y": 3, "lb": 4, "rb": 5, "back": 6, "start": 7}
TRIGGERS = {"lt": 2, "rt": 5}
PERIOD = 0.02
HOLD = 0.12


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def message(pressed: list[str]) -> Joy:
    """What an Xbox pad reports while these inputs are pressed."""
    axes = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    buttons = [0] * len(BUTTONS)
    for name in pressed:
        if name in TRIGGERS:
            axes[TRIGGERS[name]] = -1.0
        else:
            buttons[BUTTONS[name]] = 1
    return Joy(axes=axes, buttons=buttons)


def main() -> None:
    rclpy.init()
    node = rclpy.create_node("gamepad")
    publisher = node.create_publisher(Joy, "joy", 1)
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line.strip())
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()

    def show(pressed: list[str], seconds: float) -> None:
        for _ in range(max(1, round(seconds / PERIOD))):
            publisher.publish(message(pressed))
            time.sleep(PERIOD)

    while publisher.get_subscription_count() == 0:
        time.sleep(PERIOD)
    show([], 0.2)
    say("ready")
    while True:
        show([], PERIOD)
        if lines.empty():
            continue
        line = lines.get()
        if line is None:
            break
        names = line.split()
        for count in range(1, len(names) + 1):
            show(names[:count], HOLD / len(names))
        say(f"pressed {line}")
        show([], HOLD)
    node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
