"""Whether some bytes are one whole JPEG, told from its structure without decoding it."""

from __future__ import annotations

from typing import Final

_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
_FRAMES: Final = frozenset((0xC0, 0xC1, 0xC2))
_RESTARTS: Final = range(0xD0, 0xD8)
_LARGEST_SIDE: Final = 4096


def jpeg_fault(data: bytes) -> str | None:
    """What is wrong with it; ``None`` for a picture from its first marker to its last."""
    if len(data) < 4 or data[0] != 0xFF or data[1] != _START:
        return "no start of a JPEG"
    place, framed = 2, False
    while place + 4 <= len(data):
        if data[place] != 0xFF:
            return "a segment begins without a marker"
        marker = data[place + 1]
        if marker == 0xFF:
            place += 1
            continue
        length = int.from_bytes(data[place + 2 : place + 4], "big")
        if length < 2 or place + 2 + length > len(data):
            return "a segment is cut"
        if marker in _FRAMES:
            fault = _frame_fault(data[place + 4 : place + 2 + length])
            if fault is not None:
                return fault
            framed = True
        place += 2 + length
        if marker == _SCAN:
            return _scan_fault(data, place) if framed else "a scan without a frame"
    return "no picture data"


def _frame_fault(frame: bytes) -> str | None:
    if len(frame) < 6:
        return "the frame is cut"
    height, width = int.from_bytes(frame[1:3], "big"), int.from_bytes(frame[3:5], "big")
    if not (0 < height <= _LARGEST_SIDE and 0 < width <= _LARGEST_SIDE):
        return f"a size of {width} × {height}"
    return None


def _scan_fault(data: bytes, place: int) -> str | None:
    """Compressed data holds no marker but restarts, until the end of the picture or the next segment."""
    while True:
        place = data.find(b"\xff", place)
        if place < 0 or place + 1 >= len(data):
            return "no end of the picture"
        marker = data[place + 1]
        if marker == _END:
            return None if place + 2 == len(data) else "something follows the end"
        if marker == 0x00 or marker in _RESTARTS or marker == 0xFF:
            place += 1 if marker == 0xFF else 2
        elif marker == 0xC4 or marker == _SCAN:
            length = int.from_bytes(data[place + 2 : place + 4], "big")
            if length < 2 or place + 2 + length > len(data):
                return "a segment is cut"
            place += 2 + length
        else:
            return "the picture data is damaged"
