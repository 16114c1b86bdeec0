"""The configuration that a start without one runs, for tests that have no robot of their own."""

from __future__ import annotations

from pathlib import Path

from bxi_framework.loading.roots import default_config_file


def default_config() -> Path:
    """The file of the default robot.

    Raises:
        FileNotFoundError: the files that come with the framework are not there.
    """
    file = default_config_file()
    if file is None:
        raise FileNotFoundError("the configurations that come with the framework are not found")
    return file
