"""Versions (``1.10.2``) and constraints on them (``>=1,<2``).

A version is numbers joined by dots, of any length, compared number by number: 1.10 is newer than 1.9, and 1,
1.0 and 1.0.0 are the same. A constraint is one or more comparisons ``== != >= <= > <`` joined by commas, all
of which must hold for some version; spaces around them are allowed. Nothing else is: no pre-releases, no
``v1``, no ``*``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
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
_NUMBER: Final = f"[0-9]{{1,{_LONGEST_NUMBER}}}"
VERSION_PATTERN: Final = rf"{_NUMBER}(?:\.{_NUMBER})*"
_COMPARISON: Final = rf"\s*(?:{'|'.join(_OPERATORS)})\s*{VERSION_PATTERN}\s*"
CONSTRAINT_PATTERN: Final = f"{_COMPARISON}(?:,{_COMPARISON})*"
"""What an editor can check of a version and of a constraint while one types."""

_FOREIGN_OPERATORS: Final = ("~=", "~", "^", "=>", "=<", "=")
_CONSTRAINT_RULE: Final = "Write comparisons (== != >= <= > <) joined by commas, such as >=1,<2."
_VERSION_RULE: Final = "Write numbers joined by dots, such as 1.2.0."


class VersionSyntaxError(ValueError):
    """A text is no version or no constraint; ``offset`` is the character at fault, counted from 0."""

    def __init__(self, offset: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.hint = hint


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
            VersionSyntaxError: the text is no version.
        """
        return Version(_numbers(text, 0), text)

    def __str__(self) -> str:
        return self.text


Part = tuple[str, Version]


@dataclass(frozen=True, slots=True)
class Constraint:
    """Comparisons that a version must all meet."""

    parts: tuple[Part, ...]
    text: str = field(compare=False)

    @staticmethod
    @lru_cache(maxsize=1024)
    def parse(text: str) -> Constraint:
        """Read ``>=1,<2``.

        Raises:
            VersionSyntaxError: the text is no constraint, or no version can meet it.
        """
        if not text.strip():
            raise VersionSyntaxError(0, "it is empty", _CONSTRAINT_RULE)
        parts: list[Part] = []
        start = 0
        for part in text.split(","):
            parts.append(_comparison(part, start))
            if not _can_be_met(parts):
                offset = start + len(part) - len(part.lstrip())
                raise VersionSyntaxError(
                    offset,
                    f"no version can meet '{part.strip()}' and what stands before it",
                    "Correct the bounds; each version must meet all comparisons.",
                )
            start += len(part) + 1
        return Constraint(tuple(parts), text)

    def accepts(self, version: Version) -> bool:
        """True if the version meets every comparison."""
        numbers = version.numbers
        return all(_OPERATORS[sign](numbers, bound.numbers) for sign, bound in self.parts)

    def __str__(self) -> str:
        return self.text


def _can_be_met(parts: Sequence[Part]) -> bool:
    """True if some version meets all comparisons. Between any two versions there are others, so only a range
    that is one version or none needs a closer look.
    """
    lows = [bound for sign, bound in parts if sign in (">=", ">", "==")]
    highs = [bound for sign, bound in parts if sign in ("<=", "<", "==")]
    if not highs or not lows:
        lowest = Version((0,), "0")
        return not highs or min(highs) > lowest or Constraint(tuple(parts), "").accepts(lowest)
    low, high = max(lows), min(highs)
    return low < high or (low == high and Constraint(tuple(parts), "").accepts(low))


def _comparison(part: str, start: int) -> Part:
    """One comparison; ``start`` is where it begins in the whole text."""
    body = part.strip()
    offset = start + len(part) - len(part.lstrip())
    if not body:
        raise VersionSyntaxError(start, "a comparison is missing", _CONSTRAINT_RULE)
    sign = body[:2] if body[:2] in _OPERATORS else body[:1]
    if sign not in _OPERATORS:
        message = f"'{body}' does not begin with one of {' '.join(_OPERATORS)}"
        raise VersionSyntaxError(offset, message, _operator_hint(body))
    number = body[len(sign) :].lstrip()
    return sign, Version(_numbers(number, offset + len(body) - len(number)), number)


def _operator_hint(body: str) -> str:
    if body[0] in _DIGITS:
        return f"For exactly that version write =={body}, for it and all later ones >={body}."
    if body in ("*", "x", "X"):
        return "For any version write >=0."
    if body.startswith(_FOREIGN_OPERATORS):
        return "Write the range out, such as >=1.2,<2."
    return _CONSTRAINT_RULE


def _numbers(text: str, start: int) -> tuple[int, ...]:
    """The numbers of a version without trailing zeros; ``start`` is where it begins in the whole text."""
    numbers = []
    offset = start
    for part in text.split("."):
        if not part:
            raise VersionSyntaxError(offset, "a number is missing", _VERSION_RULE)
        for index, character in enumerate(part):
            if character not in _DIGITS:
                message = f"{character!r} is not a digit"
                raise VersionSyntaxError(offset + index, message, _digit_hint(text, character))
        if len(part) > _LONGEST_NUMBER:
            message = f"a number of more than {_LONGEST_NUMBER} digits"
            raise VersionSyntaxError(offset, message, _VERSION_RULE)
        numbers.append(int(part))
        offset += len(part) + 1
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _digit_hint(text: str, character: str) -> str:
    if "{" in text or "$" in text or text.startswith(("@", "%", "<")):
        return "This looks like a placeholder that was never filled in; write the version."
    if text[:1] in "vV" and text[1:2] in _DIGITS:
        return f"Leave out the '{text[0]}': {text[1:]}."
    if character in "-+" or character.isalpha():
        return "Pre-releases and build tags are not part of a version here; write numbers joined by dots."
    return _VERSION_RULE
