"""Keeps compiled files out of Mod folders: they go under the user's cache folder, or nowhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bxi_framework.loading.shared_change import SharedChange

PREFIX: Final = "PYTHONPYCACHEPREFIX"
NO_WRITING: Final = "PYTHONDONTWRITEBYTECODE"


def cache_folder() -> Path:
    """Where this framework keeps compiled files: below ``XDG_CACHE_HOME`` or ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "bxi_framework", "pycache")


def bytecode_variables() -> dict[str, str]:
    """The environment variables that make a child process keep its compiled files where this one does."""
    if sys.pycache_prefix is not None:
        return {PREFIX: sys.pycache_prefix}
    return {NO_WRITING: "1"} if sys.dont_write_bytecode else {}


def redirect_bytecode() -> Callable[[], None]:
    """Send compiled files of this process, and of children that Mods start, to the cache folder until the
    returned function is called.

    A prefix that the user has set already is kept. If the folder cannot be written, no compiled files are
    written at all.
    """
    return _REDIRECTION.use()


def _redirect() -> Callable[[], None]:
    before = sys.pycache_prefix, sys.dont_write_bytecode
    variables = {name: os.environ.get(name) for name in (PREFIX, NO_WRITING)}
    folder = cache_folder()
    if sys.pycache_prefix is None and _is_writable(folder):
        sys.pycache_prefix = str(folder)
    elif sys.pycache_prefix is None:
        sys.dont_write_bytecode = True
    os.environ.update(bytecode_variables())

    def restore() -> None:
        sys.pycache_prefix, sys.dont_write_bytecode = before
        for name, value in variables.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    return restore


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


_REDIRECTION: Final = SharedChange(_redirect)
