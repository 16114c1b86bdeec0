"""The names that a Mod may give: ids, local names, full names, and the fixed names of remote slots."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

SLOT_NAMES: Final[tuple[str, ...]] = (
    *(f"btn_{number}" for number in range(1, 11)),
    *(f"axis_{number}" for number in range(1, 11)),
    "mode",
)
"""The 21 slots of the remote control in their fixed order."""

ID_PATTERN: Final = r"[a-z0-9]+(?:[._-][a-z0-9]+)+"
LOCAL_PATTERN: Final = r"[a-z][a-z0-9_]*"
FULL_PATTERN: Final = f"{ID_PATTERN}/{LOCAL_PATTERN}"
ROS_NAME_PATTERN: Final = r"(?:~/|/)?[A-Za-z_][A-Za-z0-9_]*(?:/[A-Za-z_][A-Za-z0-9_]*)*"

_ID: Final = re.compile(ID_PATTERN, re.ASCII)
_LOCAL: Final = re.compile(LOCAL_PATTERN, re.ASCII)
_ROS_NAME: Final = re.compile(ROS_NAME_PATTERN, re.ASCII)

ID_RULE: Final = (
    "An id is lower-case letters and digits in two or more parts joined by '.', '_' or '-', "
    "such as com.example.wave."
)
LOCAL_RULE: Final = (
    "A name begins with a lower-case letter and goes on with lower-case letters, digits and '_', "
    "such as wave_left."
)

ROS_RULE: Final = (
    "A ROS name is words of letters, digits and '_' joined by '/', such as camera/image; "
    "it may begin with '/'."
)


def is_id(text: str) -> bool:
    """True for a Mod id such as ``com.example.wave``."""
    return _ID.fullmatch(text) is not None


def id_trouble(text: str) -> tuple[int, str]:
    """Which character of a text that is no id is at fault, counted from 0, and what to write instead."""
    for offset, character in enumerate(text):
        if not character.isascii():
            name = unicodedata.name(character, f"U+{ord(character):04X}")
            return offset, f"The character '{character}' is {name}, none of a to z. {ID_RULE}"
    if is_id(text.lower()):
        offset = next(offset for offset, character in enumerate(text) if character.isupper())
        return offset, f"Write it in lower case: {text.lower()}."
    return 0, ID_RULE


def is_local(text: str) -> bool:
    """True for a name inside a Mod such as ``wave``."""
    return _LOCAL.fullmatch(text) is not None


def is_full(text: str) -> bool:
    """True for ``<mod id>/<local name>``."""
    owner, slash, local = text.partition("/")
    return slash == "/" and is_id(owner) and is_local(local)


def is_ros_name(text: str) -> bool:
    """True for a ROS name such as ``camera/image``, ``/tf`` or ``~/state``."""
    return _ROS_NAME.fullmatch(text) is not None


def qualify(mod_id: str, name: str) -> str:
    """The full name: a name without ``/`` belongs to the Mod itself."""
    return name if "/" in name else f"{mod_id}/{name}"


def owner_of(full_name: str) -> str:
    """The id of the Mod that a full name belongs to; empty for a system-wide name."""
    owner, slash, _ = full_name.partition("/")
    return owner if slash else ""
