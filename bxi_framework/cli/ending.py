"""Lets the program end though code of a Mod has left a thread that would keep it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading


def end_program(status: int) -> int:
    """The exit status, if the process can end by itself; otherwise it ends here."""
    main = threading.main_thread()
    if any(thread is not main and not thread.daemon for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(status)
    return status
