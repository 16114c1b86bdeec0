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
    if not name or "/" in name or "\0" in name:
        return None
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    for prefix in (*prefixes, sys.prefix):
        if prefix and os.path.isfile(os.path.join(prefix, *_MARKERS, name)):
            return Path(prefix)
    return None
