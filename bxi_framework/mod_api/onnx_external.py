"""Which files an ONNX model keeps its tensors in, read from its bytes before a library opens any of them.

An ONNX file is a protobuf message. Only the fields on the way to a tensor's ``external_data`` are looked into
(https://github.com/onnx/onnx/blob/main/onnx/onnx.proto); everything else is stepped over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

_LENGTH, _VARINT, _FIXED_64, _FIXED_32 = 2, 0, 1, 5

# What a field of a message holds, by field number.
_INSIDE: Final[Mapping[str, Mapping[int, str]]] = MappingProxyType(
    {
        "model": {7: "graph", 25: "function"},
        "graph": {1: "node", 5: "tensor", 15: "sparse"},
        "function": {7: "node", 11: "attribute"},
        "node": {5: "attribute"},
        "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
        "sparse": {1: "tensor", 2: "tensor"},
        "tensor": {13: "entry"},
    }
)


def external_files(model: bytes) -> list[str]:
    """The places of external tensors as the model names them, each once.

    Raises:
        ValueError: the bytes are cut off or are no such message.
    """
    return list(dict.fromkeys(_places(memoryview(model), "model")))


def _places(data: memoryview, kind: str) -> Iterator[str]:
    inside = _INSIDE[kind]
    for field, chunk in _chunks(data):
        part = inside.get(field)
        if part == "entry":
            entry = {number: bytes(text) for number, text in _chunks(chunk)}
            if entry.get(1) == b"location":
                yield entry.get(2, b"").decode("utf-8", "replace")
        elif part is not None:
            yield from _places(chunk, part)


def _chunks(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """The fields of a message that have a length: number and content."""
    at, end = 0, len(data)
    while at < end:
        key, at = _varint(data, at)
        kind = key & 7
        if kind == _LENGTH:
            size, at = _varint(data, at)
            if at + size > end:
                raise ValueError(f"a part of {size} bytes is cut off after {end - at}")
            yield key >> 3, data[at : at + size]
            at += size
        elif kind == _VARINT:
            _, at = _varint(data, at)
        elif kind in (_FIXED_64, _FIXED_32):
            at += 8 if kind == _FIXED_64 else 4
        else:
            raise ValueError(f"there is no kind of field {kind}")
    if at != end:
        raise ValueError("the last field is cut off")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where the next field begins."""
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError("a number is cut off")
