"""Lets the program end with its status, whatever code of a Mod or the middleware has left behind."""

from __future__ import annotations

import sys
import threading

from bxi_framework.ros.leaving import leave


def end_program(status: int) -> int:
    """The exit status, if the process can end by itself; otherwise it ends here."""
    main = threading.main_thread()
    left = any(thread is not main and not thread.daemon for thread in threading.enumerate())
    if left or "rclpy" in sys.modules:
        leave(status)
    return status
