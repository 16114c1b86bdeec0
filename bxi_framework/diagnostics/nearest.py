"""The nearest valid name for a misspelt one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The entry of ``valid`` that looks most like ``name``, or ``None`` if none comes close."""
    candidates = sorted(valid)
    by_lower = {candidate.lower(): candidate for candidate in reversed(candidates)}
    close = difflib.get_close_matches(name.lower(), list(by_lower), n=1, cutoff=0.6)
    if close:
        return by_lower[close[0]]
    tail = [c for c in candidates if c.rsplit("/", 1)[-1] == name.rsplit("/", 1)[-1]]
    return tail[0] if tail else None


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
