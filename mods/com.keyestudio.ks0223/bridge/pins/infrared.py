"""Codes of an infrared remote control in the NEC format, from the edges of the receiver's line."""

from __future__ import annotations

from typing import Final

_BITS: Final = 32
_LEAD: Final = (0.0125, 0.0145)
"""Seconds from falling edge to falling edge: 9 ms carrier and 4.5 ms pause."""

_REPEAT: Final = (0.0105, 0.0123)
_ZERO: Final = (0.0008, 0.0016)
_ONE: Final = (0.0018, 0.0028)


class NecDecoder:
    """Takes the falling edges, at which a carrier begins; all that counts is the time between them."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._code = 0
        self._bits: int | None = None
        self._whole: int | None = None

    def falling(self, at: float) -> int | None:
        """A falling edge at a time in seconds; the code once it is whole, and again for each repeat."""
        last, self._last = self._last, at
        if last is None:
            return None
        passed = at - last
        if _LEAD[0] < passed < _LEAD[1]:
            self._bits, self._code, self._whole = 0, 0, None
            return None
        if _REPEAT[0] < passed < _REPEAT[1]:
            return self._whole
        if self._bits is None:
            return None
        if _ZERO[0] < passed < _ZERO[1]:
            return self._take(0)
        if _ONE[0] < passed < _ONE[1]:
            return self._take(1)
        self._bits = None
        return None

    def _take(self, bit: int) -> int | None:
        assert self._bits is not None
        self._code |= bit << self._bits
        self._bits += 1
        if self._bits < _BITS:
            return None
        self._bits = None
        address, command = self._code & 0xFFFF, self._code >> 16
        # The second byte of the command is the first one turned over; the address may use both of its bytes.
        self._whole = (address << 16) | command if (command & 0xFF) ^ (command >> 8) == 0xFF else None
        return self._whole
