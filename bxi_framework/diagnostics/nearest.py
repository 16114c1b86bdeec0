"""The nearest valid name for a misspelt one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The entry of ``valid`` that looks most like ``name``, or ``None`` if none comes close.

    Where no whole name does, what follows the last ``/`` is compared: ``gaol`` is near to ``test.mod/goal``.
    """
    candidates = sorted(valid)
    whole = {candidate.lower(): candidate for candidate in reversed(candidates)}
    local = {full.rpartition("/")[2]: candidate for full, candidate in whole.items()}
    for known, wanted in ((whole, name), (local, name.rpartition("/")[2])):
        close = difflib.get_close_matches(wanted.lower(), list(known), n=1, cutoff=0.6)
        if close:
            return known[close[0]]
    return None


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
