"""The end of a process that has used ROS: everything is written out, and nothing can crash after that.

The middleware's libraries have objects that are taken down after the interpreter, in an order that nobody
promises; a process that waits for that ends now and then with a segmentation fault instead of its status.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import sys
import threading
from typing import Final

end_process: Final = os._exit
"""Ends the process at once. The framework calls this one; `os._exit` itself is refused to code of Mods."""

_PATIENCE: Final = 2.0
"""Seconds that functions which were registered with `atexit` may take."""

_ROOM: Final = 4096
"""Bytes that a pipe takes at once when it takes anything."""


def leave(status: int) -> None:
    """Write out what is buffered, call what is registered for the end, and end the process."""
    _flush()
    # Beside, since code of a Mod may have registered something that does not return.
    last = threading.Thread(target=_call_registered, name="bxi-leave", daemon=True)
    with contextlib.suppress(RuntimeError):
        last.start()
        last.join(_PATIENCE)
    _flush()
    end_process(status)


def last_words(text: str, descriptor: int = 2, patience: float = 0.2) -> None:
    """Write a text at once, as far as there is room for it: whoever should read it may have stopped to.

    Args:
        text: what to write.
        descriptor: where to.
        patience: seconds to wait for room.
    """
    data = text.encode(errors="backslashreplace")
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    with contextlib.suppress(OSError):
        while data and any(event & select.POLLOUT for _, event in poll.poll(patience * 1000.0)):
            data = data[os.write(descriptor, data[:_ROOM]) :]


def _call_registered() -> None:
    with contextlib.suppress(BaseException):
        atexit._run_exitfuncs()


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
