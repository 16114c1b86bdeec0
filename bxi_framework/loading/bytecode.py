"""Keeps compiled files out of Mod folders: they go under the user's cache folder, or nowhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path


def cache_folder() -> Path:
    """Where this framework keeps compiled files: below ``XDG_CACHE_HOME`` or ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "bxi_framework", "pycache")


def redirect_bytecode() -> Callable[[], None]:
    """Send compiled files to the cache folder until the returned function is called.

    A prefix that the user has set already is kept. If the folder cannot be written, no compiled files are
    written at all.
    """
    folder = cache_folder()
    if sys.pycache_prefix == str(folder):
        return _restore_prefix
    if sys.pycache_prefix is not None:
        return _nothing
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        writable = False
    if writable:
        sys.pycache_prefix = str(folder)
        return _restore_prefix
    if sys.dont_write_bytecode:
        return _nothing
    sys.dont_write_bytecode = True
    return _restore_writing


def _nothing() -> None:
    """What was there before is still there."""


def _restore_prefix() -> None:
    sys.pycache_prefix = None


def _restore_writing() -> None:
    sys.dont_write_bytecode = False
