"""Loads the shared libraries that a Mod brings, so that its compiled modules find them by name."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence


def preload(files: Sequence[str]) -> None:
    """Load libraries in the order in which they need each other.

    That order is found by trying: a library whose needs are not loaded yet is tried again after the others.
    They stay loaded until the process ends, since nothing can tell when their code is no longer in use.

    Raises:
        OSError: libraries cannot be loaded; the message names each of them with the reason.
    """
    waiting = list(files)
    while waiting:
        refused: dict[str, OSError] = {}
        for file in waiting:
            try:
                ctypes.CDLL(file)
            except OSError as error:
                refused[file] = error
        if len(refused) == len(waiting):
            raise OSError("; ".join(str(error) for error in refused.values()))
        waiting = list(refused)
