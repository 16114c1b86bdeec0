"""What the verbs that boot have in common: the request and how a report is shown."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from bxi_framework.control.runtime import BootRequest
from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.render import render_text


def boot_request(values: argparse.Namespace, default_config: Callable[[], Path]) -> BootRequest:
    """What the boot options ask for."""
    config = values.config if values.config is not None else default_config()
    return BootRequest(config.absolute(), tuple(values.mod_path), tuple(values.overrides), safe=values.safe)


def print_report(report: Report, stream: TextIO) -> None:
    """Show a report, in colour on a terminal."""
    colour = stream.isatty() and "NO_COLOR" not in os.environ
    stream.write(render_text(report, colour=colour) + "\n")


def tell(level: str, source: str, message: str) -> None:
    """Show the warnings of a start that never runs."""
    if level in ("warning", "error"):
        print(f"{level} {source}: {message}", file=sys.stderr)
