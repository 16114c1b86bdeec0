"""Which configuration runs if none is named: the one that ``config/default`` names."""

from __future__ import annotations

from pathlib import Path

from bxi_framework.cli.parsing import UsageError
from bxi_framework.loading.roots import share_folder


def default_config() -> Path:
    """The default configuration file.

    Raises:
        UsageError: the files that come with the framework are not there.
    """
    share = share_folder()
    pointer = share / "config" / "default" if share is not None else None
    try:
        name = pointer.read_text(encoding="utf-8").strip() if pointer is not None else ""
    except OSError:
        name = ""
    if pointer is None or not name:
        raise UsageError(
            "the configurations that come with the framework are not found; name one with --config FILE"
        )
    return pointer.parent / name
