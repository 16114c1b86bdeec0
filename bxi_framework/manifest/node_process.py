"""Reads how a node runs as a process: its surroundings, when it starts again, how it ends."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Final

from yaml.nodes import ScalarNode

from bxi_framework.manifest.block import Block
from bxi_framework.manifest.node_decl import RestartDecl, ShutdownDecl
from bxi_framework.manifest.node_texts import check_text
from bxi_framework.manifest.paths import check_path
from bxi_framework.manifest.placeholders import environment_faults

RESTART_FIELDS: Final = frozenset(field.name for field in fields(RestartDecl))
SHUTDOWN_FIELDS: Final = frozenset(field.name for field in fields(ShutdownDecl))
SCHEDULING_FIELDS: Final = frozenset(("cpu_affinity",))
SHUTDOWN_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
HIGHEST_CPU: Final = 1023
MOST_ATTEMPTS: Final = 1000
HIGHEST_EXIT_CODE: Final = 255
LONGEST_DELAY: Final = 3600.0
LONGEST_RUN: Final = 86_400.0
LONGEST_SHUTDOWN: Final = 600.0
STEEPEST_BACKOFF: Final = 100.0

NEVER: Final = RestartDecl(max_attempts=0)
_RESTART: Final = RestartDecl()
_SHUTDOWN: Final = ShutdownDecl()
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_VARIABLE_RULE: Final = "A variable's name is letters, digits and '_', and does not begin with a digit."


def read_environment(block: Block) -> dict[str, str]:
    """Variables that are set for the process; their values may name others, see `placeholders`."""
    holder = block.block("environment")
    found: dict[str, str] = {}
    for name in holder.fields if holder is not None else ():
        assert holder is not None
        if not _VARIABLE.fullmatch(name):
            holder.name_fault(name, f"'{name}' is not the name of a variable.", _VARIABLE_RULE, name)
        before = len(holder.faults.found)
        value = holder.text(name, "")
        node = holder.fields[name]
        if len(holder.faults.found) == before and isinstance(node, ScalarNode):
            check_text(holder.faults, node, holder.path(name), environment_faults)
        found[name] = value
    return found


def read_cwd(block: Block) -> str:
    """The folder in which the process starts, from the Mod's; empty for the Mod's own."""
    if "cwd" not in block:
        return ""
    text = block.some_text("cwd")
    if not text.strip() or text == ".":
        return ""
    check_path(block.faults, block.fields["cwd"], text, block.path("cwd"))
    return text


def read_cpu_affinity(block: Block) -> tuple[int, ...]:
    """The CPUs on which the process may run; none for all."""
    holder = block.block("scheduling")
    if holder is None:
        return ()
    holder.only(SCHEDULING_FIELDS, "'scheduling'")
    return holder.integers("cpu_affinity", 0, HIGHEST_CPU, "A CPU")


def read_restart(block: Block, execution: str) -> RestartDecl:
    """When a node that has failed starts again. Inside this process that is asked for, not the default: what
    has failed there may have left more behind than a process would.
    """
    holder = block.block("restart")
    if holder is None:
        return NEVER if execution == "in_process" else _RESTART
    holder.only(RESTART_FIELDS, "'restart'")
    attempts = holder.integer("max_attempts", _RESTART.max_attempts, 0, MOST_ATTEMPTS)
    return RestartDecl(
        max_attempts=_RESTART.max_attempts if attempts is None else attempts,
        delay=holder.number("delay", _RESTART.delay, low=0.0, high=LONGEST_DELAY),
        backoff=holder.number("backoff", _RESTART.backoff, low=1.0, high=STEEPEST_BACKOFF),
        reset_after=holder.number("reset_after", _RESTART.reset_after, above=0.0, high=LONGEST_RUN),
        non_retryable_exit_codes=holder.integers(
            "non_retryable_exit_codes", 0, HIGHEST_EXIT_CODE, "An exit code"
        ),
    )


def read_shutdown(block: Block) -> ShutdownDecl:
    """How the process is asked, and then made, to end."""
    holder = block.block("shutdown")
    if holder is None:
        return _SHUTDOWN
    holder.only(SHUTDOWN_FIELDS, "'shutdown'")
    return ShutdownDecl(
        signal=holder.choice("signal", SHUTDOWN_SIGNALS, _SHUTDOWN.signal),
        terminate_after=holder.number(
            "terminate_after", _SHUTDOWN.terminate_after, low=0.0, high=LONGEST_SHUTDOWN
        ),
        kill_after=holder.number("kill_after", _SHUTDOWN.kill_after, low=0.0, high=LONGEST_SHUTDOWN),
    )
