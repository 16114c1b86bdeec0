"""Command line parsing that refuses what it does not know and names what was probably meant."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from bxi_framework.diagnostics import did_you_mean

_NAMESPACE: Final = re.compile(r"/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*/?", re.ASCII)

REFUSED = 2
"""The exit status after a wrong command line or a start that was refused."""


class UsageError(Exception):
    """The command line cannot be understood; the message says what to write instead."""


class Parser(argparse.ArgumentParser):
    """One verb's options; every mistake is a `UsageError` instead of an exit."""

    def __init__(self, verb: str, description: str) -> None:
        super().__init__(prog=f"bxi {verb}", description=description, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Refuse."""
        raise UsageError(f"{message}\n{self.format_usage().strip()}")

    def once(self, option: str, **settings: Any) -> None:
        """Add an option that takes one value and may be given once."""
        self.add_argument(option, action=_Once, **settings)

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse all of ``words``.

        Raises:
            UsageError: something is missing, unknown or given twice.
        """
        for word in words:
            name, given, _ = word.partition("=")
            option = self._option_string_actions.get(name)
            if given and option is not None and option.nargs == 0:
                self.error(f"{name} takes no value; write {name} alone, or leave it out")
        values, rest = self.parse_known_args(words)
        for word in rest:
            if word.startswith("-"):
                name = word.partition("=")[0]
                self.error(f"no option '{name}'. {did_you_mean(name, self._option_string_actions)}")
            self.error(f"'{word}' is one argument too many")
        return values


class _Once(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        given = f"{self.dest} given"
        if hasattr(namespace, given):
            parser.error(f"{option_string} is given twice; give it once")
        setattr(namespace, given, True)
        setattr(namespace, self.dest, values)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds above 0")
    return value


def _namespace(text: str) -> str:
    if text not in ("", "/") and not _NAMESPACE.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a ROS namespace. Write names of letters, digits and '_', joined by '/'; "
            "none begins with a digit."
        )
    return text


def one_of(valid: Iterable[str]) -> Callable[[str], str]:
    """A type of argument: one of these words."""
    words = tuple(valid)

    def read(text: str) -> str:
        if text not in words:
            raise argparse.ArgumentTypeError(f"'{text}' is none of the choices. {did_you_mean(text, words)}")
        return text

    return read


def add_boot_options(parser: Parser) -> None:
    """The options of every verb that reads a configuration."""
    parser.once(
        "--config", type=Path, metavar="FILE", help="system configuration (default: the default robot)"
    )
    parser.add_argument(
        "--mod-path",
        action="append",
        default=[],
        type=Path,
        metavar="DIR",
        help="a folder with more Mods; may be given several times",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="overrides",
        metavar="KEY=VALUE",
        help="laid over the configuration, such as control_runtime.period_sec=0.01; several times if needed",
    )
    parser.add_argument("--safe", action="store_true", help="use the built-in Mods only")


def add_namespace(parser: Parser) -> None:
    """The option of every verb that runs a control node or talks to one."""
    parser.once(
        "--namespace", type=_namespace, default="", metavar="NS", help="ROS namespace of the control node"
    )


def add_timeout(parser: Parser, seconds: float = 8.0) -> None:
    """The option of every verb that waits for an answer."""
    parser.once(
        "--timeout",
        type=_seconds,
        default=seconds,
        metavar="SECONDS",
        help=f"how long to look for the control node and wait for its answer (default: {seconds:g})",
    )
