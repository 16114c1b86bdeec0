"""What can be guessed of a manifest that cannot be read, so that its fault is not told again for others."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from bxi_framework.manifest.document import MAX_BYTES
from bxi_framework.manifest.names import is_id

_ID: Final = re.compile(r"^[\"']?id[\"']?[ \t]*:[ \t]*[\"']?([a-z0-9._-]+)", re.MULTILINE)
_DISABLED: Final = re.compile(r"^[\"']?enable[\"']?[ \t]*:[ \t]*false[ \t]*(?:#.*)?$", re.MULTILINE)
_EVENT: Final = re.compile(r"\bevent[\"']?[ \t]*:[ \t]*[\"']?([a-z0-9._/-]+)")


def text_of(path: Path) -> str:
    """The beginning of a file as text, whatever its bytes; empty if it cannot be read."""
    try:
        if not os.path.isfile(path):
            return ""
        with open(path, "rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return ""


def likely_id(path: Path, text: str) -> str:
    """The id that stands in the text, else the name of the folder, which is often the id."""
    match = _ID.search(text)
    return match[1] if match and is_id(match[1]) else path.parent.name


def likely_events(text: str, mod_id: str) -> frozenset[str]:
    """The full names of the events that routes and actions in the text seem to name."""
    names = _EVENT.findall(text)
    return frozenset(name if "/" in name else f"{mod_id}/{name}" for name in names)


def seems_disabled(text: str) -> bool:
    """True if a line of the text disables the Mod."""
    return _DISABLED.search(text) is not None
