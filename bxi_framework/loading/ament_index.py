"""Where ROS packages are installed, read from the marker files of the ament index; needs no ROS."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

_MARKERS: Final = ("share", "ament_index", "resource_index", "packages")


def package_prefix(name: str) -> Path | None:
    """The install prefix of a ROS package, None if it is not installed.

    Looks through ``AMENT_PREFIX_PATH``, then through this Python environment, where wheels bring an index.
    """
    if not name or "/" in name:
        return None
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    for prefix in (*prefixes, sys.prefix):
        if prefix and Path(prefix, *_MARKERS, name).is_file():
            return Path(prefix)
    return None
