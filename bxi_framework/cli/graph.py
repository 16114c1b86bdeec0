"""``bxi graph``: draws the state graph of a configuration."""

from __future__ import annotations

from collections.abc import Sequence

from bxi_framework import bootstrap
from bxi_framework.cli.default_config import default_config
from bxi_framework.cli.parsing import Parser, add_boot_options, one_of
from bxi_framework.cli.reports import boot_request, tell
from bxi_framework.loading.preparation import InlinePreparation
from bxi_framework.machine.export import FORMATS


def run(words: Sequence[str]) -> int:
    """Boot without running, and print the graph."""
    parser = Parser("graph", "Print the state graph as a Mermaid or DOT drawing, or as JSON.")
    add_boot_options(parser)
    parser.once(
        "--format",
        type=one_of(FORMATS),
        default="mermaid",
        metavar="FORMAT",
        help=f"one of {', '.join(FORMATS)}",
    )
    values = parser.read(words)
    request = boot_request(values, default_config)
    runtime = bootstrap.assemble(request, InlinePreparation(), tell, lambda: 0.0)
    try:
        print(FORMATS[values.format](runtime.graph).rstrip("\n"))
    finally:
        runtime.close()
    return 0
