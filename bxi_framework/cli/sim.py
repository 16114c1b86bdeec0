"""``bxi sim``: finds the verb for what can be done with virtual robots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from bxi_framework.cli import sim_plan, sim_run
from bxi_framework.cli.verbs import run_verb

VERBS: Final[Mapping[str, Callable[[Sequence[str]], int]]] = MappingProxyType(
    {"plan": sim_plan.run, "run": sim_run.run}
)
USAGE: Final = """usage: bxi sim VERB [options]

  plan FILE  build a simulation and print what it was resolved to
  run FILE   build a simulation and run it as fast as the machine can

bxi sim VERB --help says more of each."""


def run(words: Sequence[str]) -> int:
    """Find the verb and run it."""
    return run_verb(words, VERBS, USAGE, "sim")
