"""The line of a file that a diagnostic is about, with a mark below the place."""

from __future__ import annotations

import os
import re
import unicodedata
from typing import Final

from bxi_framework.diagnostics.clean import clean

_MOST_BYTES: Final = 4 * 1024 * 1024
_WIDTH: Final = 90
_BEFORE: Final = 60
_LINE_BREAK: Final = re.compile("\r\n|[\r\n]")
_YAML_LINE_BREAK: Final = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


class Excerpts:
    """Reads lines of files, each file once."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def around(self, file: str, line: int, column: int | None) -> list[str]:
        """The line with its number, and a mark at the column if that is known; nothing if the line is not
        there any more.
        """
        lines = self._of(file)
        if not 0 < line <= len(lines) or not lines[line - 1].strip():
            return []
        text, at = _window(lines[line - 1], (column or 1) - 1)
        number = str(line)
        found = [f"{number} | {text}"]
        if column is not None and at <= len(text):
            found.append(f"{' ' * len(number)} | {' ' * _columns(text[:at])}^")
        return found

    def _of(self, file: str) -> list[str]:
        if file not in self._lines:
            self._lines[file] = _read(file)
        return self._lines[file]


def _read(file: str) -> list[str]:
    try:
        if not os.path.isfile(file) or os.path.getsize(file) > _MOST_BYTES:
            return []
        with open(file, "rb") as source:
            text = source.read(_MOST_BYTES).decode("utf-8", errors="replace")
    except (OSError, ValueError):
        return []
    return (_YAML_LINE_BREAK if file.endswith((".yaml", ".yml")) else _LINE_BREAK).split(text)


def _window(line: str, at: int) -> tuple[str, int]:
    """The part of a line around a character, and where the character stands in it."""
    line = clean(line)
    if len(line) <= _WIDTH:
        return line.rstrip(), at
    begin = max(0, min(at - _BEFORE, len(line) - _WIDTH))
    part = line[begin : begin + _WIDTH].rstrip()
    before, after = "…" if begin else "", "…" if begin + _WIDTH < len(line) else ""
    return f"{before}{part}{after}", at - begin + len(before)


def _columns(text: str) -> int:
    """How wide a text is on a terminal."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in text)
