"""The nearest valid name for a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

_CLOSE: Final = 0.6
"""Of two names that belong together at least this part is the same."""


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The entry of ``valid`` that looks most like ``name``, or ``None`` if none comes close.

    What both have in common up to a ``.`` or ``/`` does not count: ``com.a.base`` is not near to
    ``com.a.wave``. Where no whole name is near, what follows the last ``/`` is compared: ``gaol`` is near to
    ``test.mod/goal``.
    """
    return _nearest(name, tuple(sorted(valid)))


# Many Mods that miss the same one ask the same question.
@lru_cache(maxsize=32)
def _nearest(name: str, candidates: tuple[str, ...]) -> str | None:
    whole = {candidate.lower(): candidate for candidate in reversed(candidates)}
    local = {full.rpartition("/")[2]: candidate for full, candidate in whole.items()}
    wanted = name.lower()
    for known, word in ((whole, wanted), (local, wanted.rpartition("/")[2])):
        close = max(_likenesses(word, known), default=None)
        if close is not None:
            return known[close[1]]
    return None


def _likenesses(wanted: str, candidates: Iterable[str]) -> Iterator[tuple[float, str]]:
    """How much each candidate that is close looks like ``wanted``, and the candidate."""
    matchers: dict[int, SequenceMatcher[str]] = {}
    for candidate in candidates:
        common = _common_parts(wanted, candidate)
        matcher = matchers.get(common)
        if matcher is None:
            matcher = matchers[common] = SequenceMatcher(None, "", wanted[common:])
        matcher.set_seq1(candidate[common:])
        if (
            matcher.real_quick_ratio() >= _CLOSE
            and matcher.quick_ratio() >= _CLOSE
            and (likeness := matcher.ratio()) >= _CLOSE
        ):
            yield likeness, candidate


def _common_parts(one: str, other: str) -> int:
    """How many characters of both are the same up to the last ``.`` or ``/`` that they share."""
    common = 0
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            break
        if left in "./":
            common = index + 1
    return common


def did_you_mean(name: str, valid: Iterable[str], *, most: int = 8) -> str:
    """A sentence that helps after a wrong name: the nearest one, else the list of valid names."""
    candidates = sorted(valid)
    close = nearest(name, candidates)
    if close is not None:
        return f"Did you mean '{close}'?"
    if not candidates:
        return "No names are defined here."
    shown = ", ".join(candidates[:most])
    more = f" and {len(candidates) - most} more" if len(candidates) > most else ""
    return f"Valid names: {shown}{more}."
