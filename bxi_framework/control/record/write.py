"""A window of time becomes an MCAP file, which Foxglove, PlotJuggler and the ``mcap`` tools read."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import BinaryIO, Final, TypeAlias

from mcap.writer import Writer

from bxi_framework import __version__
from bxi_framework.control.record.channels import MOMENTS, NOTES, Channel, channels
from bxi_framework.control.record.flight import Flight, Moment, Note, Series

METADATA: Final = "flight"
FORMAT: Final = "1"

AT_ONCE: Final = 25
"""Messages between two rests; they take about a tenth of a millisecond."""

_BLOCK: Final = 250
_CHUNK_BYTES: Final = 512 * 1024
_SECOND: Final = 1_000_000_000
_LEVELS: Final = MappingProxyType({"debug": 1, "info": 2, "warning": 3, "error": 4})
_NOTE_FIELDS: Final = ("level", "message", "name", "file", "line", "kind")
_MOMENT_FIELDS: Final = ("state", "target", "motion", "preparing", "stop", "passive")

_Message: TypeAlias = tuple[int, int, bytes]
"""Time, channel and data."""


def write_flight(stream: BinaryIO, flight: Flight, rest: Callable[[], object]) -> None:
    """Write a file. The same flight makes the same bytes.

    Args:
        stream: takes the bytes.
        flight: what is written.
        rest: called every `AT_ONCE` messages, so that other threads get their turn.

    Raises:
        OSError: the stream did not take them.
    """
    writer = Writer(stream, chunk_size=_CHUNK_BYTES)
    writer.start(library=f"bxi_framework {__version__}")
    writer.add_metadata(METADATA, _metadata(flight))
    tracks = [
        _numbers(_numbers_channel(writer, channel), channel, getattr(flight, channel.name))
        for channel in channels(flight.joints)
    ]
    state = _text_channel(writer, MOMENTS, "bxi_flight.State", _MOMENT_FIELDS)
    # Foxglove shows what has a schema of this name as a log.
    notes = _text_channel(writer, NOTES, "foxglove.Log", _NOTE_FIELDS)
    tracks += [_moments(state, flight.moments), _notes(notes, flight.notes)]
    for number, (time, channel_id, data) in enumerate(heapq.merge(*tracks)):
        if number % AT_ONCE == 0:
            rest()
        writer.add_message(channel_id, time, data, time)
    writer.finish()  # type: ignore[no-untyped-call]


def _metadata(flight: Flight) -> dict[str, str]:
    return {
        "format": FORMAT,
        "robot": flight.robot,
        "joints": json.dumps(flight.joints, ensure_ascii=False),
        "period": repr(flight.period),
        "reason_kind": flight.reason.kind,
        "reason_text": flight.reason.text,
        "reason_time": str(flight.reason.time),
    }


def _numbers_channel(writer: Writer, channel: Channel) -> int:
    schema = writer.register_schema(channel.type, "ros2msg", channel.schema.encode())
    return writer.register_channel(channel.topic, "cdr", schema)


def _text_channel(writer: Writer, topic: str, kind: str, fields: tuple[str, ...]) -> int:
    stamp = {"type": "object", "properties": {key: {"type": "integer"} for key in ("sec", "nsec")}}
    numbers = ("level", "line")
    properties: dict[str, object] = {
        key: {"type": "integer" if key in numbers else "string"} for key in fields
    }
    schema = {"type": "object", "properties": {"timestamp": stamp, **properties}}
    schema_id = writer.register_schema(kind, "jsonschema", json.dumps(schema).encode())
    return writer.register_channel(topic, "json", schema_id)


def _numbers(channel_id: int, channel: Channel, series: Series) -> Iterator[_Message]:
    for begin in range(0, len(series), _BLOCK):
        part = Series(series.time[begin : begin + _BLOCK], series.values[begin : begin + _BLOCK])
        for time, message in zip(part.time.tolist(), channel.pack(part), strict=True):
            yield time, channel_id, message.tobytes()


def _moments(channel_id: int, moments: tuple[Moment, ...]) -> Iterator[_Message]:
    for moment in moments:
        said = asdict(moment)
        yield moment.time, channel_id, _json(said.pop("time"), said)


def _notes(channel_id: int, notes: tuple[Note, ...]) -> Iterator[_Message]:
    for note in notes:
        said = {
            "level": _LEVELS.get(note.level, 0),
            "message": note.text,
            "name": note.source,
            "file": "",
            "line": 0,
            "kind": note.kind,
        }
        yield note.time, channel_id, _json(note.time, said)


def _json(time: int, said: Mapping[str, object]) -> bytes:
    stamp = {"sec": time // _SECOND, "nsec": time % _SECOND}
    return json.dumps({"timestamp": stamp, **said}, ensure_ascii=False).encode(errors="backslashreplace")
