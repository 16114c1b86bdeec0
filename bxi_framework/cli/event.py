"""``bxi event``: sends an event to a running control node."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bxi_framework.cli.parsing import Parser, add_namespace, add_timeout


def run(words: Sequence[str]) -> int:
    """Send the event; 1 if it is refused or nobody answers."""
    parser = Parser("event", "Send an event to a running control node, as if its button had been pressed.")
    parser.add_argument("name", metavar="NAME", help="full name, such as com.example.wave/activate")
    add_namespace(parser)
    add_timeout(parser)
    values = parser.read(words)

    from bxi_framework.ros.client import ask

    answer = ask("event", {"name": values.name}, values.namespace, values.timeout)
    if not answer.ok:
        print(f"refused: {answer.reason}", file=sys.stderr)
    return 0 if answer.ok else 1
