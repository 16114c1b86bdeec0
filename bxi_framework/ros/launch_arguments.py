"""What the launch file asks and how its answers reach the control node; needs neither rclpy nor launch.

Every argument is text. ROS reads parameter values on a command line as YAML, where ``y`` is a boolean and
``1e3`` a number, so each text travels as a quoted scalar and arrives as it was typed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bxi_framework.diagnostics import did_you_mean

LOG_LEVELS = ("debug", "info", "warn", "error", "fatal")

_ASSIGNMENT = ":="


@dataclass(frozen=True, slots=True)
class LaunchArgument:
    """One argument of the launch file."""

    name: str
    default: str
    description: str


def launch_arguments(default_config: str) -> tuple[LaunchArgument, ...]:
    """The table of arguments; ``default_config`` is the configuration file that runs when none is named."""
    return (
        LaunchArgument("config", default_config, "System configuration file (YAML)."),
        LaunchArgument(
            "mod_paths",
            "",
            f"Folders with more Mods, separated by '{os.pathsep}', after those of the configuration.",
        ),
        LaunchArgument("namespace", "", "ROS namespace of the control node and of its relative topic names."),
        LaunchArgument("log_level", "info", f"Least severe message to log: {', '.join(LOG_LEVELS)}."),
    )


def check_assignments(command_line: Iterable[str], arguments: Sequence[LaunchArgument]) -> None:
    """Refuse a ``name:=value`` on the command line whose name is not declared or that is given twice.

    Raises ``ValueError`` that lists every fault. Entries without ``:=`` are not ours to judge.
    """
    valid = [argument.name for argument in arguments]
    given = Counter(entry.split(_ASSIGNMENT, 1)[0] for entry in command_line if _ASSIGNMENT in entry)
    faults = [
        f"launch argument '{name}' does not exist. {did_you_mean(name, valid)}"
        for name in given
        if name not in valid
    ]
    faults += [
        f"launch argument '{name}' is given {count} times. Give it once."
        for name, count in given.items()
        if name in valid and count > 1
    ]
    if faults:
        raise ValueError("\n".join(faults))


def split_mod_paths(text: str) -> list[str]:
    """The folders of a list separated like ``PATH``; empty entries are left out."""
    return [folder for folder in text.split(os.pathsep) if folder]


def node_arguments(*, config: str, mod_paths: str, log_level: str) -> list[str]:
    """The command line after ``--ros-args`` that hands the answers to the control node, all text unchanged.

    Raises ``ValueError`` for a log level that does not exist or text that spans lines.
    """
    if log_level not in LOG_LEVELS:
        raise ValueError(
            f"launch argument 'log_level' is '{log_level}', expected one of {', '.join(LOG_LEVELS)}. "
            f"{did_you_mean(log_level, LOG_LEVELS)}"
        )
    command = ["-p", f"config:={_quoted('config', config)}"]
    folders = [_quoted("mod_paths", folder) for folder in split_mod_paths(mod_paths)]
    # ROS cannot tell the type of an empty list, so no folders means no parameter.
    if folders:
        command += ["-p", f"mod_paths:=[{', '.join(folders)}]"]
    return [*command, "--log-level", log_level]


def _quoted(argument: str, text: str) -> str:
    """The text as a YAML scalar in single quotes, where only the quote itself and line ends are special."""
    if not text.isprintable():
        raise ValueError(
            f"launch argument '{argument}' holds a line end or control character: {text!r}. "
            "Give one line of text."
        )
    return "'" + text.replace("'", "''") + "'"
