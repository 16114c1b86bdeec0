"""What a node prints, as lines for a log: bounded in length and number, whatever the node does."""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

LONGEST: Final = 4096
"""Bytes of a line that are shown."""

PER_SECOND: Final = 100
"""Lines that are shown in one second."""

KEPT: Final = 20
"""The last lines that are kept for a report, shown or not."""

LONGEST_KEPT: Final = 400
"""Characters of a kept line."""

_PERIOD: Final = 1.0
_CONTROLS: Final = {number: f"\\x{number:02x}" for number in (*range(32), *range(127, 160)) if number != 9}


class Line(NamedTuple):
    """A line for a log; ``level`` is ``info`` for the node's own, ``warning`` for what is said of them."""

    level: str
    text: str


class Lines:
    """The output of one node. Lines end with a line feed, a carriage return, or both."""

    def __init__(self) -> None:
        self._line = b""
        self._cut = 0
        self._after_return = False
        self._period_end = 0.0
        self._shown = 0
        self._left_out = 0
        self._left_out_bytes = 0
        self._last: deque[str] = deque(maxlen=KEPT)

    @property
    def last(self) -> tuple[str, ...]:
        """The last lines, shown or not."""
        return tuple(self._last)

    @property
    def flooding(self) -> bool:
        """True while lines are left out because there are too many, or one goes on beyond what is shown."""
        return self._left_out > 0 or self._cut > 0

    @property
    def due(self) -> float | None:
        """When `tell` has something to say; None if it has not."""
        return self._period_end if self._left_out else None

    def feed(self, data: bytes, now: float) -> list[Line]:
        """Take in what was read; the lines to show."""
        found = self.tell(now)
        if now >= self._period_end:
            self._period_end, self._shown = now + _PERIOD, 0
        data = self._unified(data)
        place = 0
        while self._shown < PER_SECOND:
            end = data.find(b"\n", place)
            if end < 0:
                break
            self._extend(data[place:end], found)
            self._end(found)
            place = end + 1
        if self._shown >= PER_SECOND:
            place = self._pass_over(data, place)
        self._extend(data[place:], found)
        return found

    def tell(self, now: float) -> list[Line]:
        """Say how much was left out, at most once a second."""
        if not self._left_out or now < self._period_end:
            return []
        text = (
            f"{self._left_out} lines ({_size(self._left_out_bytes)}) were left out; "
            f"at most {PER_SECOND} a second are shown"
        )
        self._left_out = self._left_out_bytes = 0
        return [Line("warning", text)]

    def close(self) -> list[Line]:
        """The rest, after the last byte."""
        found: list[Line] = []
        if self._line or self._cut:
            self._end(found)
        return found + self.tell(self._period_end)

    def lose(self, lines: list[Line]) -> None:
        """Count lines that could not be handed on as left out."""
        self._left_out += len(lines)
        self._left_out_bytes += sum(len(line.text) for line in lines)

    def _unified(self, data: bytes) -> bytes:
        """``data`` with every end of a line as a line feed."""
        if self._after_return and data.startswith(b"\n"):
            data = data[1:]
        self._after_return = data.endswith(b"\r") if data else self._after_return
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return data

    def _extend(self, data: bytes, found: list[Line]) -> None:
        """Add to the line under way; a line that gets too long is shown now, as far as it goes."""
        if not data:
            return
        if self._cut:
            self._cut += len(data)
            return
        self._line += data
        if len(self._line) > LONGEST:
            end = LONGEST
            while end > LONGEST - 3 and self._line[end] & 0xC0 == 0x80:
                end -= 1
            head, self._cut = self._line[:end], len(self._line) - end
            self._line = b""
            self._show(f"{_readable(head)} … (cut here, the line goes on)", found, len(head))

    def _end(self, found: list[Line]) -> None:
        """The line under way is complete."""
        if not self._cut:
            self._show(_readable(self._line), found, len(self._line) + 1)
        elif self._left_out:
            self._left_out_bytes += self._cut + 1
        else:
            found.append(Line("info", f"… {self._cut} more bytes of that line were cut"))
        self._line, self._cut = b"", 0

    def _show(self, text: str, found: list[Line], size: int) -> None:
        self._last.append(text[:LONGEST_KEPT])
        if self._shown < PER_SECOND:
            self._shown += 1
            found.append(Line("info", text))
        else:
            self._left_out += 1
            self._left_out_bytes += size

    def _pass_over(self, data: bytes, place: int) -> int:
        """Count the lines that begin at ``place`` without looking at them, except the last, which are kept;
        where the line under way begins.
        """
        end = data.rfind(b"\n") + 1
        if end <= place:
            return place
        pieces = data[place : end - 1].rsplit(b"\n", KEPT)
        if len(pieces) > KEPT:
            passed = pieces.pop(0)
            self._left_out += passed.count(b"\n") + 1
            self._left_out_bytes += len(self._line) + self._cut + len(passed) + 1
            self._line, self._cut = b"", 0
        nowhere: list[Line] = []
        for piece in pieces:
            self._extend(piece, nowhere)
            self._end(nowhere)
        return end


def _readable(data: bytes) -> str:
    """The bytes as text; what is not UTF-8 and what would move a cursor is shown as escapes."""
    return data.decode("utf-8", "backslashreplace").translate(_CONTROLS)


def _size(number: int) -> str:
    return f"{number / 1e6:.1f} MB" if number >= 100_000 else f"{number} bytes"
