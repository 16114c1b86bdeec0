"""What a run needs of the machine around it: a folder for ROS's own log, and the terminal it came from."""

from __future__ import annotations

import os
import select
import tempfile
from collections.abc import Mapping
from pathlib import Path


def find_log_folder() -> None:
    """See to it that ROS finds a folder for its log. Without a home, as under a service manager, it would
    refuse to start over that.
    """
    folder = _log_folder(os.environ)
    if folder is None or not _writable(folder):
        own = Path(tempfile.gettempdir(), f"bxi-ros-log-{os.getuid()}")
        known = _writable(own) and not own.is_symlink() and own.stat().st_uid == os.getuid()
        os.environ["ROS_LOG_DIR"] = str(own) if known else tempfile.mkdtemp(prefix="bxi-ros-log-")


def _log_folder(environment: Mapping[str, str]) -> Path | None:
    """The folder that ROS takes; it does not look for a home anywhere but in the environment."""
    named, ros, home = (environment.get(name) for name in ("ROS_LOG_DIR", "ROS_HOME", "HOME"))
    if named:
        return Path(named)
    if ros:
        return Path(ros, "log")
    return Path(home, ".ros", "log") if home else None


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


class Terminal:
    """The terminal on standard error, if there is one. A `make` between it and us keeps its hang-up to
    itself, so the terminal is asked directly.
    """

    def __init__(self, descriptor: int = 2) -> None:
        self._poll: select.poll | None = None
        if os.isatty(descriptor):
            self._poll = select.poll()
            self._poll.register(descriptor, 0)

    @property
    def closed(self) -> bool:
        """True once the terminal is gone."""
        if self._poll is None:
            return False
        return any(event & (select.POLLHUP | select.POLLERR) for _, event in self._poll.poll(0))
