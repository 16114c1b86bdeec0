"""The name of this machine's platform, as Mods name the folders of their binaries."""

from __future__ import annotations

import platform
import sys


def platform_name() -> str:
    """Such as ``linux-x86_64`` or ``linux-aarch64``."""
    return f"{sys.platform}-{platform.machine()}"
