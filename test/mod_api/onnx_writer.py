"""Writes small ONNX models byte by byte, sound ones and broken ones.

The package `onnx` would refuse to write most of the broken ones, and no other test needs it: field numbers of
a few protobuf messages (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto) are all there is to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

Axis: TypeAlias = "int | str | None"

FLOAT, DOUBLE, INT64 = 1, 11, 7
IR_VERSION, OPSET = 8, 13


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def chunk(field: int, data: bytes | str) -> bytes:
    raw = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(raw)) + raw


def value(name: str, shape: Sequence[Axis], kind: int = FLOAT) -> bytes:
    """An input or output; an axis is a length, a name, or open."""
    axes = b"".join(chunk(1, _axis(axis)) for axis in shape)
    return chunk(1, name) + chunk(2, chunk(1, number(1, kind) + chunk(2, axes)))


def _axis(axis: Axis) -> bytes:
    if isinstance(axis, str):
        return chunk(2, axis)
    return b"" if axis is None else number(1, axis)


def tensor(name: str, values: ArrayLike, place: str | None = None) -> bytes:
    """A constant, in the model or at a place outside of it."""
    array = np.asarray(values, dtype=np.float32)
    head = b"".join(number(1, size) for size in array.shape) + number(2, FLOAT) + chunk(8, name)
    if place is None:
        return head + chunk(9, array.tobytes())
    entries = {"location": place, "offset": "0", "length": str(array.nbytes)}
    return head + b"".join(chunk(13, chunk(1, k) + chunk(2, v)) for k, v in entries.items()) + number(14, 1)


def node(operator: str, inputs: Sequence[str], output: str) -> bytes:
    return b"".join(chunk(1, name) for name in inputs) + chunk(2, output) + chunk(4, operator)


def model(
    nodes: Sequence[bytes], inputs: Sequence[bytes], outputs: Sequence[bytes], tensors: Sequence[bytes] = ()
) -> bytes:
    """A whole file."""
    parts = ((1, nodes), (5, tensors), (11, inputs), (12, outputs))
    graph = b"".join(chunk(field, part) for field, them in parts for part in them) + chunk(2, "graph")
    return number(1, IR_VERSION) + chunk(7, graph) + chunk(8, number(2, OPSET))


def linear(
    weights: ArrayLike,
    *,
    observed: Sequence[Axis] | None = None,
    acted: Sequence[Axis] | None = None,
    place: str | None = None,
) -> bytes:
    """``action = obs @ weights``, with batches of one unless the shapes say otherwise."""
    array = np.asarray(weights, dtype=np.float32)
    rows, columns = array.shape
    return model(
        [node("MatMul", ["obs", "weights"], "action")],
        [value("obs", (1, rows) if observed is None else observed)],
        [value("action", (1, columns) if acted is None else acted)],
        [tensor("weights", array, place)],
    )


def logarithm(size: int) -> bytes:
    """``action = log(obs)``: not a number below zero, infinite at zero."""
    return model([node("Log", ["obs"], "action")], [value("obs", (1, size))], [value("action", (1, size))])


def put(folder: Path, data: bytes, name: str = "model.onnx") -> Path:
    """The model as an asset of a Mod in ``folder``."""
    file = folder / "assets" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file
