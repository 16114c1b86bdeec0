"""ROS names for the ids of a simulation."""

from __future__ import annotations

import re

_OTHER = re.compile(r"[^A-Za-z0-9_/]")


def topic_name(part_id: str) -> str:
    """An id as a relative topic: what a topic cannot have becomes ``_``."""
    steps = [_OTHER.sub("_", step) for step in part_id.split("/") if step]
    return "/".join(f"_{step}" if step[0].isdigit() else step for step in steps)
