"""Starts a thread too early."""

import threading
from bxi_framework.mod_api import PoseState

DONE = threading.Event()
WORKER = threading.Thread(target=DONE.wait, args=(2.0,), name="too-early", daemon=True)
WORKER.start()


class RestState(PoseState[None]):
    """Holds zero."""
