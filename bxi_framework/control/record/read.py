"""Reads a flight record back from its MCAP file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from mcap.reader import McapReader, make_reader

from bxi_framework.control.record.channels import MOMENTS, NOTES, channels
from bxi_framework.control.record.flight import Flight, Moment, Note, Reason, Series
from bxi_framework.control.record.write import FORMAT, METADATA
from bxi_framework.diagnostics.guard import describe_error

_LEVELS: Final = MappingProxyType({1: "debug", 2: "info", 3: "warning", 4: "error"})


class RecordError(Exception):
    """A file that cannot be read as a flight record, and why."""


def read_flight(path: Path) -> Flight:
    """Read a whole file.

    Raises:
        RecordError: there is none, or it is something else, or it is damaged.
    """
    try:
        stream = path.open("rb")
    except OSError as error:
        raise RecordError(f"'{path}' cannot be read: {error.strerror}") from None
    with stream:
        try:
            return _read(make_reader(stream, validate_crcs=True), path)
        except RecordError:
            raise
        except Exception as error:
            # The bytes of a damaged file lead to whatever they lead to.
            what = describe_error(error)
            raise RecordError(f"'{path}' is no MCAP file, or it is damaged: {what}") from None


def _read(reader: McapReader, path: Path) -> Flight:
    about = next((entry.metadata for entry in reader.iter_metadata() if entry.name == METADATA), None)
    if about is None:
        raise RecordError(f"'{path}' is an MCAP file, but not a flight record")
    if about["format"] != FORMAT:
        raise RecordError(f"'{path}' has format {about['format']}; this version reads format {FORMAT}")
    joints = tuple(json.loads(about["joints"]))
    found: dict[str, list[tuple[int, bytes]]] = {}
    for _, channel, message in reader.iter_messages():
        found.setdefault(channel.topic, []).append((message.log_time, message.data))
    return Flight(
        robot=about["robot"],
        joints=joints,
        period=float(about["period"]),
        reason=Reason(int(about["reason_time"]), about["reason_kind"], about["reason_text"]),
        moments=tuple(_moment(time, said) for time, said in _said(found.get(MOMENTS, ()))),
        notes=tuple(_note(time, said) for time, said in _said(found.get(NOTES, ()))),
        **_series(joints, found),
    )


def _series(joints: tuple[str, ...], found: Mapping[str, list[tuple[int, bytes]]]) -> dict[str, Series]:
    series = {}
    for channel in channels(joints):
        messages = found.get(channel.topic, [])
        time = np.array([time for time, _ in messages], dtype=np.int64)
        series[channel.name] = channel.unpack(b"".join(data for _, data in messages), time)
    return series


def _said(messages: Iterable[tuple[int, bytes]]) -> Iterable[tuple[int, dict[str, Any]]]:
    for time, data in messages:
        yield time, json.loads(data)


def _moment(time: int, said: Mapping[str, str]) -> Moment:
    return Moment(time, **{field.name: said[field.name] for field in fields(Moment) if field.name != "time"})


def _note(time: int, said: Mapping[str, Any]) -> Note:
    level = _LEVELS.get(said["level"], "info")
    return Note(time, said["kind"], level, said["name"], said["message"])
