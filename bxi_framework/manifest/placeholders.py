"""Placeholders in the texts of a node: facts of the machine, and variables of the environment; never a shell.

``${bxi.system.ip}``, ``${bxi.system.machine}`` and ``${bxi.python.version}`` may stand in parameters,
arguments and values of the environment. The latter may also hold ``$NAME``, ``${NAME}`` and
``${NAME:-default}``; any other ``$`` is refused there, since a process would get it unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bxi_framework.diagnostics import did_you_mean

FACTS: Final = ("bxi.system.ip", "bxi.system.machine", "bxi.python.version")
"""The machine's address in its network, its processor architecture, and ``major.minor`` of Python."""

VARIABLE_RULE: Final = (
    "Write $NAME, ${NAME} or ${NAME:-default}; nothing else is expanded, and no shell runs."
)

_FACT: Final = re.compile(r"\$\{(bxi\.[^{}$]*)(\}?)")
_DOLLAR: Final = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([^{}]*)\})?", re.ASCII)
_INSIDE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?::-[^$`]*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class PlaceholderFault:
    """What is wrong with a placeholder that begins ``offset`` characters into the text."""

    code: str
    offset: int
    message: str
    hint: str
    subject: str


def fact_faults(text: str) -> Iterator[PlaceholderFault]:
    """The placeholders ``${bxi.…}`` that stand for nothing."""
    if "${bxi." not in text:
        return
    for match in _FACT.finditer(text):
        name = match[1]
        if name not in FACTS or not match[2]:
            yield PlaceholderFault(
                "unknown-placeholder",
                match.start(),
                f"There is no placeholder '{match[0]}'."
                if match[2]
                else f"The placeholder '{match[0]}' has no closing brace.",
                did_you_mean(name, FACTS),
                name,
            )


def fact_faults_below(value: object, field: str) -> Iterator[tuple[str, PlaceholderFault]]:
    """The same for every text in plain data, each with its field path below ``field``."""
    if isinstance(value, str):
        for fault in fact_faults(value):
            yield field, fault
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from fact_faults_below(item, f"{field}.{key}")
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from fact_faults_below(item, f"{field}[{index}]")


def environment_faults(text: str) -> Iterator[PlaceholderFault]:
    """Every ``$`` of an environment value that is no placeholder and no variable."""
    if "$" not in text:
        return
    yield from fact_faults(text)
    for match in _DOLLAR.finditer(text):
        name, inside = match[1], match[2]
        if name or text.startswith("${bxi.", match.start()) or (inside and _INSIDE.fullmatch(inside)):
            continue
        yield PlaceholderFault(
            "bad-expansion",
            match.start(),
            f"'{match[0]}' is not a variable.",
            VARIABLE_RULE,
            match[0],
        )


def fill(value: object, facts: Mapping[str, str]) -> object:
    """Plain data with every ``${bxi.…}`` in its texts replaced by the fact."""
    if isinstance(value, str):
        if "${bxi." not in value:
            return value
        return _FACT.sub(lambda match: facts.get(match[1], match[0]) if match[2] else match[0], value)
    if isinstance(value, Mapping):
        return {key: fill(item, facts) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [fill(item, facts) for item in value]
    return value


def expand(text: str, variables: Mapping[str, str], facts: Mapping[str, str]) -> str:
    """A value of the environment with its variables and facts filled in, each once.

    As in a shell, a variable that is not set is empty, and a default stands in for one that is empty.
    """

    def value(match: re.Match[str]) -> str:
        name, inside = match[1], match[2] or ""
        if inside in facts:
            return facts[inside]
        name, colon, default = (name or inside).partition(":-")
        return variables.get(name, "") or default if colon or _INSIDE.fullmatch(name) else match[0]

    return _DOLLAR.sub(value, text) if "$" in text else text
