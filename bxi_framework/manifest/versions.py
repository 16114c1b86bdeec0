"""Versions (``1.10.2``) and constraints on them (``>=1,<2``).

A version is numbers joined by dots, of any length, compared number by number: 1.10 is newer than 1.9, and 1,
1.0 and 1.0.0 are the same. A constraint is one or more comparisons ``== != >= <= > <`` joined by commas, all
of which must hold; spaces around them are allowed. Nothing else is: no pre-releases, no ``v1``, no ``*``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

_OPERATORS: Final[dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_DIGITS: Final = frozenset("0123456789")
_LONGEST_NUMBER: Final = 18


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A numeric dotted version; equality and order ignore trailing zeros."""

    numbers: tuple[int, ...]
    text: str = field(compare=False)

    @staticmethod
    @lru_cache(maxsize=1024)
    def parse(text: str) -> Version:
        """Read ``1.2.3``.

        Raises:
            ValueError: the text is no version; the message says what is wrong and at which column,
                counted from 1.
        """
        return Version(_numbers(text, 0), text)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Constraint:
    """Comparisons that a version must all meet."""

    parts: tuple[tuple[str, Version], ...]
    text: str = field(compare=False)

    @staticmethod
    @lru_cache(maxsize=1024)
    def parse(text: str) -> Constraint:
        """Read ``>=1,<2``.

        Raises:
            ValueError: the text is no constraint; the message says what is wrong and at which column,
                counted from 1.
        """
        if not text.strip():
            raise ValueError("column 1: the constraint is empty; write for example >=1,<2")
        parts = []
        start = 0
        for part in text.split(","):
            parts.append(_comparison(part, start))
            start += len(part) + 1
        return Constraint(tuple(parts), text)

    def accepts(self, version: Version) -> bool:
        """True if the version meets every comparison."""
        numbers = version.numbers
        return all(_OPERATORS[sign](numbers, bound.numbers) for sign, bound in self.parts)

    def __str__(self) -> str:
        return self.text


def _comparison(part: str, start: int) -> tuple[str, Version]:
    """One comparison; ``start`` is where it begins in the whole text."""
    body = part.strip()
    column = start + len(part) - len(part.lstrip())
    if not body:
        raise ValueError(f"column {start + 1}: a comparison is missing; write for example >=1,<2")
    sign = body[:2] if body[:2] in _OPERATORS else body[:1]
    if sign not in _OPERATORS:
        hint = "; for exactly that version write ==" + body if body[0] in _DIGITS else ""
        raise ValueError(
            f"column {column + 1}: '{body}' does not begin with one of {' '.join(_OPERATORS)}{hint}"
        )
    number = body[len(sign) :].lstrip()
    return sign, Version(_numbers(number, column + len(body) - len(number)), number)


def _numbers(text: str, start: int) -> tuple[int, ...]:
    """The numbers of a version without trailing zeros; ``start`` is where it begins in the whole text."""
    numbers = []
    column = start
    for part in text.split("."):
        if not part:
            raise ValueError(f"column {column + 1}: a number is missing; a version is numbers joined by dots")
        for offset, character in enumerate(part):
            if character not in _DIGITS:
                raise ValueError(
                    f"column {column + offset + 1}: {character!r} is not a digit; "
                    f"a version is numbers joined by dots, such as 1.2.0"
                )
        if len(part) > _LONGEST_NUMBER:
            raise ValueError(f"column {column + 1}: a number of more than {_LONGEST_NUMBER} digits")
        numbers.append(int(part))
        column += len(part) + 1
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
