"""The LED matrix of 8 × 16 behind an AiP1640: sixteen columns of one byte, sent over clock and data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

COLUMNS: Final = 16
AUTO_INCREMENT, FIRST_ADDRESS, BRIGHTNESS = 0x40, 0xC0, 0x8A

PATTERNS: Final = {
    "smile": "00000402224440404040442202040000",
    "forward": "00000000080c0e7f7f0e0c0800000000",
    "back": "00000000103070fefe70301000000000",
    "left": "0000183c7e1818181818181818180000",
    "right": "00001818181818181818187e3c180000",
    "stop": "00000000ff81bda5a5bd81ff00000000",
    "heart": "0000000c12224488884422120c000000",
    "clear": "00" * COLUMNS,
}
"""By the kit's names; a column each byte, its lowest bit on top."""


class Matrix:
    """Shows patterns. ``clock`` and ``data`` set their lines."""

    def __init__(self, clock: Callable[[bool], None], data: Callable[[bool], None]) -> None:
        self._clock = clock
        self._data = data

    def show(self, columns: bytes) -> None:
        """Show up to sixteen columns.

        Raises:
            ValueError: more than sixteen.
        """
        if len(columns) > COLUMNS:
            raise ValueError(f"the matrix has {COLUMNS} columns, not {len(columns)}")
        self._send(bytes((AUTO_INCREMENT,)))
        self._send(bytes((FIRST_ADDRESS,)) + columns.ljust(COLUMNS, b"\0"))
        self._send(bytes((BRIGHTNESS,)))

    def _send(self, data: bytes) -> None:
        """One message from start to end; each byte begins with its lowest bit."""
        self._clock(True)
        self._data(True)
        self._data(False)
        for byte in data:
            for bit in range(8):
                self._clock(False)
                self._data(bool(byte >> bit & 1))
                self._clock(True)
        self._clock(False)
        self._data(False)
        self._clock(True)
        self._data(True)


def pattern_bytes(name: str) -> bytes:
    """The columns of a pattern.

    Raises:
        KeyError: there is none of this name.
    """
    return bytes.fromhex(PATTERNS[name]).ljust(COLUMNS, b"\0")
