"""``bxi mod``: finds the verb for what can be done with Mods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from bxi_framework.cli import mod_inspect, mod_list, mod_new, mod_publish, mod_schema, mod_validate
from bxi_framework.cli.verbs import run_verb

VERBS: Final[Mapping[str, Callable[[Sequence[str]], int]]] = MappingProxyType(
    {
        "list": mod_list.run,
        "inspect": mod_inspect.run,
        "validate": mod_validate.run,
        "new": mod_new.run,
        "publish": mod_publish.run,
        "schema": mod_schema.run,
    }
)
USAGE: Final = """usage: bxi mod VERB [options]

  list                  list every Mod that is found, and whether it runs
  inspect ID            show all that is known of one Mod
  validate PATH         check Mods as a start would
  new ID                make a new Mod and its test
  publish --output DIR  copy the Mods without the protected ones
  schema                print the JSON schema of mod.yaml

bxi mod VERB --help says more of each."""


def run(words: Sequence[str]) -> int:
    """Find the verb and run it."""
    return run_verb(words, VERBS, USAGE, "mod")
