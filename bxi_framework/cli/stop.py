"""``bxi stop`` and ``bxi resume``: the stop of a running control node, and its end."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from bxi_framework.cli.parsing import Parser, add_namespace, add_timeout


def stop(words: Sequence[str]) -> int:
    """Stop the robot and say what its joints do; 1 if nobody answers."""
    parser = Parser("stop", "Stop the robot now; nothing moves until 'bxi resume' and a new choice of state.")
    parser.add_argument("--reason", default="bxi stop", help="shown with the stop for as long as it holds")
    return _ask(parser, words, "stop", ("reason",))


def resume(words: Sequence[str]) -> int:
    """Take a stop back; 1 if it is refused or nobody answers."""
    parser = Parser("resume", "Take a stop back. Nothing moves by that: choose a state afterwards.")
    return _ask(parser, words, "resume", ())


def _ask(parser: Parser, words: Sequence[str], verb: str, arguments: Sequence[str]) -> int:
    add_namespace(parser)
    add_timeout(parser)
    values = parser.read(words)

    from bxi_framework.ros.client import ask

    args: Mapping[str, object] = {name: getattr(values, name) for name in arguments}
    answer = ask(verb, args, values.namespace, values.timeout)
    if not answer.ok:
        print(f"refused: {answer.reason}", file=sys.stderr)
        return 1
    print(f"{verb}: {answer.reason or 'nothing moves until a state is asked for'}")
    return 0
