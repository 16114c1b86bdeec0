"""Who else sends motor frames to the same robot. Two controllers at once would tear at its joints.

On one machine a name is claimed, which answers at once and is free again however the process ends. Others
show on the ROS graph, which can take three seconds to tell of them.
"""

from __future__ import annotations

import hashlib
import os
import socket
import time

from rclpy.node import Node

from bxi_framework.diagnostics import Diagnostic, Report

FIRST_LOOK = 0.3
"""Seconds that the graph is looked at before the first frame is sent."""

LAST_LOOK = 5.0
"""Seconds after the first frame in which another controller, found late, makes this one withdraw."""


def claimed(topic: str) -> socket.socket | None:
    """A socket whose name only one process of this machine can have, for the frames on ``topic``; None if
    another has it.
    """
    domain = os.environ.get("ROS_DOMAIN_ID", "").strip().lstrip("0") or "0"
    # The name of a socket is short, that of a topic need not be.
    name = hashlib.sha256(f"{domain}{topic}".encode()).hexdigest()
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0bxi_framework/{name}")
    except OSError:
        claim.close()
        return None
    return claim


MOST_TOLD = 32
"""How many of them are named."""

LOOK_EVERY = 1.0
"""Seconds between two looks for a controller that comes later."""


class Rivals:
    """Claims the robot, then looks for other publishers of ``motor_frame`` besides the node's own."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._topic = node.resolve_topic_name("motor_frame")
        self._claim: socket.socket | None = None
        self._until = 0.0
        self._next_look = 0.0
        self._told: set[str] = set()

    def claim(self) -> Report | None:
        """Claim the robot on this machine, before any publisher of ours shows on the graph; what stands in
        the way, if anything does.
        """
        if self._claim is None:
            self._claim = claimed(self._topic)
        if self._claim is None:
            return self._report(f"'{self._node.get_fully_qualified_name()}' on this machine")
        return None

    def look_before_start(self) -> Report | None:
        """What the graph shows while no frame is sent yet."""
        end = time.monotonic() + FIRST_LOOK
        while time.monotonic() < end:
            report = self._look()
            if report is not None:
                return report
            time.sleep(0.02)
        self._until = time.monotonic() + LAST_LOOK
        return None

    def look_again(self) -> Report | None:
        """What the graph shows late of a controller that was there before."""
        return self._look() if time.monotonic() < self._until else None

    def newcomers(self) -> tuple[str, ...]:
        """Who has begun to send frames though this controller was there first; each is named once. They may
        be programs that look for nobody before they send.
        """
        now = time.monotonic()
        if now < self._until or now < self._next_look:
            return ()
        self._next_look = now + LOOK_EVERY
        found = [name for name in self._others() if name not in self._told]
        if len(self._told) < MOST_TOLD:
            self._told.update(found)
            return tuple(found)
        return ()

    def let_go(self) -> None:
        """Leave the robot to others."""
        self._until = 0.0
        if self._claim is not None:
            self._claim.close()
            self._claim = None

    def _look(self) -> Report | None:
        known = self._others()
        return self._report(", ".join(f"'{name}'" for name in known)) if known else None

    def _others(self) -> list[str]:
        """The other publishers on the topic."""
        infos = self._node.get_publishers_info_by_topic(self._topic)
        names = [f"{info.node_namespace.rstrip('/')}/{info.node_name}" for info in infos]
        own = self._node.get_fully_qualified_name()
        if own in names:
            names.remove(own)
        # A publisher shows before the name of its node is known.
        return [name for name in names if not name.rpartition("/")[2].startswith("_")]

    def _report(self, who: str) -> Report:
        return Report(
            [
                Diagnostic(
                    "second-controller",
                    f"{who} already sends motor frames on '{self._topic}'.",
                    hint="End it first, or give this robot a namespace or ROS_DOMAIN_ID of its own.",
                )
            ]
        )
