"""``bxi record show``: prints what happened in a flight record, and draws it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

import numpy as np

from bxi_framework.cli.parsing import Parser, UsageError
from bxi_framework.cli.record_plot import plot
from bxi_framework.control.record import Flight, Moment, Series
from bxi_framework.control.record.folder import default_folder, records_in
from bxi_framework.control.record.read import RecordError, read_flight
from bxi_framework.control.record.summary import gaps, joint_summaries, skipped_cycles, timing_spread
from bxi_framework.diagnostics import did_you_mean

_REAL_TIME_NS: Final = 10**18
"""Times before this one, which is in 2001, are those of a bench."""


def run(words: Sequence[str]) -> int:
    """Print the record; 1 if it cannot be read or the picture cannot be written."""
    parser = Parser("record show", "Print what happened in a flight record: states, events, frames, joints.")
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="default: the newest record")
    parser.once("--plot", type=Path, metavar="OUT.svg", help="draw it as well")
    parser.add_argument(
        "--joint",
        action="append",
        default=[],
        metavar="NAME",
        help="only this joint; may be repeated",
    )
    values = parser.read(words)
    if values.plot is not None and values.plot.suffix != ".svg":
        raise UsageError(f"'{values.plot}': pictures are written as SVG; name a file that ends in .svg")
    try:
        path = _newest() if values.file is None else values.file
        flight = read_flight(path)
        for name in values.joint:
            if name not in flight.joints:
                raise UsageError(f"the record has no joint '{name}'. {did_you_mean(name, flight.joints)}")
        joints = tuple(values.joint) or flight.joints
        print("\n".join(lines(path, flight, joints)))
        if values.plot is not None:
            if len(flight.frames) < 2:
                raise RecordError("there is nothing to draw: the record holds fewer than two frames")
            _write(values.plot, plot(flight, joints))
    except RecordError as error:
        print(f"bxi: {error}", file=sys.stderr)
        return 1
    return 0


def _write(path: Path, picture: str) -> None:
    try:
        path.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise RecordError(f"'{path}' cannot be written: {error.strerror}") from None


def _newest() -> Path:
    try:
        folder = default_folder()
        found = records_in(folder) if folder.is_dir() else []
    except OSError as error:
        raise RecordError(error.strerror or str(error)) from None
    if not found:
        raise RecordError(f"there are no records in '{folder}'; name a file")
    return found[-1]


def lines(path: Path, flight: Flight, joints: Sequence[str]) -> Iterator[str]:
    """The record for a terminal; times are seconds from its reason."""
    reason = flight.reason
    when = f"at {np.datetime64(reason.time // 1_000_000, 'ms')} UTC" if reason.time > _REAL_TIME_NS else ""
    yield f"record    {path.name}"
    yield f"robot     {flight.robot}, {len(flight.joints)} joints, {1 / flight.period:g} Hz"
    yield f"written   {f'after {reason} {when}'.strip()}; times below count from then"
    yield from _frames(flight)
    yield from _inputs(flight)
    yield ""
    yield from _timeline(flight)
    yield ""
    yield from _joints(flight, joints)


def _frames(flight: Flight) -> Iterator[str]:
    found = gaps(flight.frames)
    if found is None:
        yield f"frames    {len(flight.frames)}"
        return
    span = (flight.frames.time[-1] - flight.frames.time[0]) / 1e9
    yield (
        f"frames    {found.count} in {span:.2f} s; gap median {1e3 * found.median:.2f} ms, p99 "
        f"{1e3 * found.p99:.2f} ms, longest {1e3 * found.longest:.2f} ms at {_at(flight, found.longest_at)}"
    )
    late, took = timing_spread(flight, "lateness_us"), timing_spread(flight, "compute_us")
    yield (
        f"timing    {skipped_cycles(flight)} cycles skipped; "
        f"began late by {late[0]:.0f} µs (p99 {late[1]:.0f}, most {late[2]:.0f}); "
        f"took {took[0]:.0f} µs (p99 {took[1]:.0f}, most {took[2]:.0f})"
    )


def _inputs(flight: Flight) -> Iterator[str]:
    named = (("joints", flight.readings), ("imu", flight.imu), ("velocity", flight.command))
    yield "inputs    " + "; ".join(f"{name}: {_heard(flight, series)}" for name, series in named)


def _heard(flight: Flight, series: Series) -> str:
    found = gaps(series)
    if found is None:
        return "did not change"
    return f"{found.count} changes, longest pause {found.longest:.3g} s until {_at(flight, found.longest_at)}"


def _timeline(flight: Flight) -> Iterator[str]:
    told = [(note.time, note.kind, note.level, f"{note.source}: {note.text}") for note in flight.notes]
    told += [(moment.time, "state", "", _standing(moment)) for moment in flight.moments]
    told.sort(key=lambda entry: entry[0])
    for (kind, level, text), group in groupby(told, key=lambda entry: entry[1:]):
        times = [entry[0] for entry in group]
        word = level if kind == "log" and level != "info" else kind
        more = f" ({len(times)} times until {_at(flight, times[-1])})" if len(times) > 1 else ""
        yield f"{_at(flight, times[0]):>11}  {word:8} {text}{more}"


def _standing(moment: Moment) -> str:
    parts = [moment.state]
    if moment.target:
        parts.append(f"on the way to {moment.target} by {moment.motion}")
    if moment.preparing:
        parts.append(f"{moment.preparing} gets ready")
    if moment.stop:
        parts.append(f"a stop holds ({moment.stop})")
    if moment.passive:
        parts.append("the passive frame is sent")
    return ", ".join(parts)


def _joints(flight: Flight, joints: Sequence[str]) -> Iterator[str]:
    width = max(len("joint"), *(len(name) for name in joints))
    yield f"{'joint':{width}}  {'commanded, rad':>17}  {'reported, rad':>17}  {'largest step':>21}  clamped"
    for joint in joint_summaries(flight):
        if joint.name not in joints:
            continue
        reported = _range(*joint.reported) if joint.reported is not None else "nothing heard"
        step = f"{joint.step:.4f} at {_at(flight, joint.step_at)}" if joint.step else "none"
        clamped = ", ".join(f"{field} in {count} ticks" for field, count in joint.clamped.items())
        commanded = _range(joint.low, joint.high)
        yield f"{joint.name:{width}}  {commanded:>17}  {reported:>17}  {step:>21}  {clamped}".rstrip()


def _range(low: float, high: float) -> str:
    return f"{low:.3f} … {high:.3f}"


def _at(flight: Flight, time: int) -> str:
    return f"{(time - flight.reason.time) / 1e9:+.3f} s"
