"""Text from files as a terminal may show it."""

from __future__ import annotations


def clean(text: str) -> str:
    """The text with a space for each tab and a visible sign for every other character that does not print,
    so that nothing in a file can steer a terminal. Its length stays the same.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text
    )
