"""Which configuration runs if none is named."""

from __future__ import annotations

from pathlib import Path

from bxi_framework.cli.parsing import UsageError
from bxi_framework.loading.roots import default_config_file


def default_config() -> Path:
    """The default configuration file.

    Raises:
        UsageError: the files that come with the framework are not there.
    """
    file = default_config_file()
    if file is None:
        raise UsageError(
            "the configurations that come with the framework are not found; name one with --config FILE"
        )
    return file
