"""What the command line asks of a run; needs no rclpy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How the control node is started.

    ``default_config`` runs if neither ``config`` nor the ROS parameter of that name says another one.
    ``ros_args`` is everything after ``--ros-args``. ``command`` is how a person at this terminal calls the
    command line tool.
    """

    default_config: Path
    config: Path | None = None
    mod_paths: tuple[Path, ...] = ()
    overrides: tuple[str, ...] = ()
    safe: bool = False
    namespace: str = ""
    log_level: str | None = None
    ros_args: tuple[str, ...] = ()
    command: str = "bxi"


class NoAnswerError(Exception):
    """No control node answered; the message says where it was looked for."""
