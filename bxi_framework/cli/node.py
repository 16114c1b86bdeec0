"""``bxi node``: lists the nodes of Mods that a running control node looks after, restarts and stops them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from bxi_framework.cli.parsing import Parser, add_namespace, add_timeout
from bxi_framework.cli.verbs import run_verb

USAGE: Final = """usage: bxi node VERB [options]

  list          list the nodes of all Mods and what became of each
  restart NAME  start a node anew, also one that was given up or stopped by hand
  stop NAME     stop a node until it is restarted

bxi node VERB --help says more of each."""


def run(words: Sequence[str]) -> int:
    """Find the verb and run it."""
    return run_verb(words, VERBS, USAGE, "node")


def list_nodes(words: Sequence[str]) -> int:
    """Print the nodes; 1 if nobody answers."""
    parser = Parser("node list", "List the nodes of all Mods of a running control node.")
    parser.add_argument("--json", action="store_true", help="print a JSON list with all figures of each")
    add_namespace(parser)
    add_timeout(parser)
    values = parser.read(words)

    from bxi_framework.ros.client import read_nodes

    nodes = read_nodes(values.namespace, values.timeout)
    print(json.dumps(nodes, ensure_ascii=False, indent=2) if values.json else "\n".join(lines(nodes)))
    return 0


def restart(words: Sequence[str]) -> int:
    """Start a node anew; 1 if that is refused or nobody answers."""
    return _ask("restart", "Start a node anew, also one that was given up or stopped by hand.", words)


def stop(words: Sequence[str]) -> int:
    """Stop a node; 1 if that is refused or nobody answers."""
    return _ask("stop", "Stop a node, and what depends on it, until it is restarted.", words)


VERBS: Final[Mapping[str, Callable[[Sequence[str]], int]]] = MappingProxyType(
    {"list": list_nodes, "restart": restart, "stop": stop}
)


def lines(nodes: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """The nodes for a terminal: name, state and its age, then what else there is to say."""
    rows = [(node["name"], node["state"], _duration(node["age"]), _more(node)) for node in nodes]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for name, state, age, more in rows:
        yield f"{name:{widths[0]}}  {state:{widths[1]}}  {age:>{widths[2]}}  {more}".rstrip()


def _more(node: Mapping[str, Any]) -> str:
    parts = []
    if node["pid"] is not None:
        parts.append(f"process {node['pid']}")
    if node["cpu_percent"] is not None:
        parts.append(f"{node['cpu_percent']:.0f} % CPU")
    if node["longest_callback"]:
        parts.append(f"longest callback {node['longest_callback_ms']:.1f} ms ({node['longest_callback']})")
    if node["restarts"]:
        parts.append(f"restarts {node['restarts']}")
    if node["next_attempt"] is not None:
        parts.append(f"next in {node['next_attempt']:.1f} s")
    if node["reason"]:
        parts.append(node["reason"])
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    """Short and plain: ``4 s``, ``12 min``, ``3 h``."""
    if seconds < 120.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 7200.0 else f"{seconds / 3600.0:.0f} h"


def _ask(verb: str, description: str, words: Sequence[str]) -> int:
    parser = Parser(f"node {verb}", description)
    parser.add_argument("name", metavar="NAME", help="full name, such as com.example.camera/camera")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    add_namespace(parser)
    add_timeout(parser)
    values = parser.read(words)

    from bxi_framework.ros.client import ask

    answer = ask(f"node_{verb}", {"name": values.name}, values.namespace, values.timeout)
    if values.json:
        print(json.dumps({"ok": answer.ok, "reason": answer.reason}, ensure_ascii=False))
    elif not answer.ok:
        print(f"refused: {answer.reason}", file=sys.stderr)
    elif answer.reason:
        print(answer.reason)
    return 0 if answer.ok else 1
