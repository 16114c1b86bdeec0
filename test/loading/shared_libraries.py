"""Writes shared libraries without a compiler: they hold no code, only a name and what they need."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_ENTRY = struct.Struct("<qQ")
_NULL, _NEEDED, _STRTAB, _SYMTAB, _STRSZ, _SYMENT, _SONAME = 0, 1, 5, 6, 10, 11, 14
_LOAD, _DYNAMIC, _READABLE, _WRITABLE, _SHARED_OBJECT, _PAGE = 1, 2, 4, 2, 3, 0x10000


def write_library(path: Path, *needed: str) -> None:
    """A 64-bit ELF library for this machine's processor whose name is that of the file."""
    names = [path.name, *needed]
    strings = b"\0" + b"\0".join(name.encode() for name in names) + b"\0"
    offsets = [strings.index(b"\0" + name.encode() + b"\0") + 1 for name in names]
    start = _HEADER.size + 2 * _SEGMENT.size
    count = len(needed) + 6
    text = start + count * _ENTRY.size
    symbols = text + (len(strings) + 7) // 8 * 8
    entries = [
        (_SONAME, offsets[0]),
        *((_NEEDED, offset) for offset in offsets[1:]),
        (_STRTAB, text),
        (_SYMTAB, symbols),
        (_STRSZ, len(strings)),
        (_SYMENT, 24),
        (_NULL, 0),
    ]
    size = symbols + 24
    machine = struct.unpack_from("<H", Path(sys.executable).resolve().read_bytes()[:64], 18)[0]
    header = _HEADER.pack(
        b"\x7fELF\x02\x01\x01", _SHARED_OBJECT, machine, 1, 0, _HEADER.size, 0, 0, 64, 56, 2, 64, 0, 0
    )
    flags = _READABLE | _WRITABLE
    dynamic = count * _ENTRY.size
    load = _SEGMENT.pack(_LOAD, flags, 0, 0, 0, size, size, _PAGE)
    table = _SEGMENT.pack(_DYNAMIC, flags, start, start, start, dynamic, dynamic, 8)
    body = b"".join(_ENTRY.pack(*entry) for entry in entries)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((header + load + table + body + strings).ljust(size, b"\0"))
