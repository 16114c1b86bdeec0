"""Finds the verb that a command line names among those that there are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

from bxi_framework.cli.parsing import REFUSED, UsageError
from bxi_framework.diagnostics import did_you_mean


def run_verb(
    words: Sequence[str], verbs: Mapping[str, Callable[[Sequence[str]], int]], usage: str, group: str = ""
) -> int:
    """Run the verb that ``words`` begin with and return its exit status; ``group`` is the verb before it.

    Raises:
        UsageError: there is no such verb.
    """
    if not words:
        print(usage, file=sys.stderr)
        return REFUSED
    verb, *rest = words
    if verb in ("-h", "--help", "help"):
        print(usage)
        return 0
    if verb not in verbs:
        raise UsageError(f"no verb '{f'{group} {verb}'.strip()}'. {did_you_mean(verb, verbs)}\n{usage}")
    return verbs[verb](rest)
