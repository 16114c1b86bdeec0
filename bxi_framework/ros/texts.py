"""Texts from outside and for others: how long they may be, and how they are sent on."""

from __future__ import annotations

from typing import Final

NODE: Final = "node "
"""What the name of a node's status on ``/diagnostics`` begins with, after that of the control node."""

LONGEST_NAME: Final = 256
"""Characters of a name or a reason."""

LONGEST_MESSAGE: Final = 16_384
"""Characters of a whole request. Reading a longer one would hold the interpreter, and with it the loop."""


def unusable(text: str, what: str) -> str:
    """Why a name or reason cannot be taken; empty if it can."""
    if len(text) > LONGEST_NAME:
        return f"{what} is longer than {LONGEST_NAME} characters"
    if not is_sound(text):
        return f"{what} holds half of a surrogate pair, which is no character"
    return ""


def is_sound(text: str) -> bool:
    """True if a text can be sent: a lone surrogate from a JSON escape cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def sendable(text: str) -> str:
    """The text with an escape for whatever cannot be sent, so that no publisher fails over it."""
    return text if is_sound(text) else text.encode("utf-8", "backslashreplace").decode()
