"""The names that a Mod may give: ids, local names, full names, and the fixed names of remote slots."""

from __future__ import annotations

import re
from typing import Final

SLOT_NAMES: Final[tuple[str, ...]] = (
    *(f"btn_{number}" for number in range(1, 11)),
    *(f"axis_{number}" for number in range(1, 11)),
    "mode",
)
"""The 21 slots of the remote control in their fixed order."""

_ID: Final = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)+", re.ASCII)
_LOCAL: Final = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)

ID_RULE: Final = (
    "An id is lower-case letters and digits in two or more parts joined by '.', '_' or '-', "
    "such as com.example.wave."
)
LOCAL_RULE: Final = (
    "A name begins with a lower-case letter and goes on with lower-case letters, digits and '_', "
    "such as wave_left."
)


def is_id(text: str) -> bool:
    """True for a Mod id such as ``com.example.wave``."""
    return _ID.fullmatch(text) is not None


def is_local(text: str) -> bool:
    """True for a name inside a Mod such as ``wave``."""
    return _LOCAL.fullmatch(text) is not None


def is_full(text: str) -> bool:
    """True for ``<mod id>/<local name>``."""
    owner, slash, local = text.partition("/")
    return slash == "/" and is_id(owner) and is_local(local)


def qualify(mod_id: str, name: str) -> str:
    """The full name: a name without ``/`` belongs to the Mod itself."""
    return name if "/" in name else f"{mod_id}/{name}"


def owner_of(full_name: str) -> str:
    """The id of the Mod that a full name belongs to; empty for a system-wide name."""
    owner, slash, _ = full_name.partition("/")
    return owner if slash else ""
