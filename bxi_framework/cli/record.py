"""``bxi record``: the flight records of a robot."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from bxi_framework.cli import record_show
from bxi_framework.cli.parsing import Parser, add_namespace, add_timeout
from bxi_framework.cli.verbs import run_verb
from bxi_framework.control.record.folder import default_folder, records_in

USAGE: Final = """usage: bxi record VERB [options]

  list         list the records of this machine
  show [FILE]  print what happened in a record, and draw it with --plot OUT.svg
  save         ask a running control node to write its record now

bxi record VERB --help says more of each."""


def run(words: Sequence[str]) -> int:
    """Find the verb and run it."""
    return run_verb(words, VERBS, USAGE, "record")


def _list(words: Sequence[str]) -> int:
    """Print the records, oldest first; 1 if the folder cannot be read."""
    parser = Parser("record list", "List the flight records of this machine, the newest last.")
    parser.once("--folder", type=Path, metavar="DIR", help="default: below the user's state folder")
    values = parser.read(words)
    try:
        folder = default_folder() if values.folder is None else values.folder
        found = records_in(folder) if values.folder is not None or folder.is_dir() else []
        lines = [f"{path.stat().st_size / 1e6:8.1f} MB  {path}" for path in found]
    except OSError as error:
        print(f"bxi: {error.filename or 'records'}: {error.strerror or error}", file=sys.stderr)
        return 1
    for line in lines:
        print(line)
    if not found:
        print(f"there are no records in {folder}")
    return 0


def _save(words: Sequence[str]) -> int:
    """Ask for a record and print its path; 1 if it was not written."""
    parser = Parser("record save", "Ask a running control node to write its flight record now.")
    parser.once("--reason", metavar="TEXT", help="is kept in the record")
    add_namespace(parser)
    add_timeout(parser, 60.0)
    values = parser.read(words)

    from bxi_framework.ros.client import ask

    args = {"reason": values.reason} if values.reason else {}
    answer = ask("record", args, values.namespace, values.timeout)
    print(answer.reason, file=sys.stdout if answer.ok else sys.stderr)
    return 0 if answer.ok else 1


VERBS: Final[Mapping[str, Callable[[Sequence[str]], int]]] = MappingProxyType(
    {"list": _list, "show": record_show.run, "save": _save}
)
