"""Draws a flight record: states, gaps between frames, and each joint's commanded and reported position.

Drawn by hand as SVG, which every browser shows: a plotting library would be larger than this whole framework
and has no place on a robot. For anything beyond this picture the file opens in Foxglove and PlotJuggler.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bxi_framework.cli.svg import Drawing
from bxi_framework.control.record import Flight, Series
from bxi_framework.control.record.flight import READINGS
from bxi_framework.robot import FIELDS

COMMAND, REPORTED, ALARM, GRID, BOX = "#1f5fa8", "#e08a2e", "#c62828", "#dddddd", "#f7f7f7"
STATES: Final = ("#bcd4ee", "#f3d9b1", "#cfe3c3", "#e3cbe6", "#f2c4c4", "#c9e3e1", "#e6e1b8", "#d5d5d5")
WIDTH: Final = 1200
MARGIN: Final = 16
PANEL: Final = 74
GAP: Final = 30
_QPOS, _KP = FIELDS.index("qpos"), FIELDS.index("kp")
_POSITION: Final = READINGS.index("position")


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps a window of time and a range of values to a rectangle of the picture."""

    x: float
    y: float
    width: float
    height: float
    begin: int
    end: int
    low: float
    high: float

    def across(self, time: NDArray[np.int64]) -> NDArray[np.float64]:
        """Pixels from the left of the picture."""
        share = (time - self.begin) / max(1, self.end - self.begin)
        return self.x + np.clip(share, 0.0, 1.0) * self.width

    def down(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pixels from the top of the picture."""
        return self.y + (self.high - values) / (self.high - self.low) * self.height


def plot(flight: Flight, joints: Sequence[str]) -> str:
    """The picture as SVG.

    Args:
        flight: a window with at least two frames.
        joints: which joints are drawn.
    """
    columns = 1 if len(joints) <= 3 else 2 if len(joints) <= 8 else 3
    rows = -(-len(joints) // columns)
    top = 170
    picture = Drawing(WIDTH, top + rows * (PANEL + GAP) + MARGIN)
    begin, end = int(flight.frames.time[0]), int(flight.frames.time[-1])
    _heading(picture, flight)
    _states(picture, flight, Scale(MARGIN, 46, WIDTH - 2 * MARGIN, 18, begin, end, 0.0, 1.0))
    gaps = Series(flight.frames.time[1:], np.diff(flight.frames.time) / 1e6)
    most = max(1.0, float(gaps.values.max()) * 1.1)
    wide = Scale(MARGIN, 104, WIDTH - 2 * MARGIN, 40, begin, end, 0.0, most)
    _panel(picture, wide, flight, "time between frames, ms", f"0 … {most:.3g}")
    picture.curve(_strokes(gaps, wide), COMMAND)
    each = (WIDTH - MARGIN) / columns - MARGIN
    for number, name in enumerate(joints):
        x = MARGIN + number % columns * (each + MARGIN)
        _joint(picture, flight, name, x, top + number // columns * (PANEL + GAP), each)
    return picture.text


def _heading(picture: Drawing, flight: Flight) -> None:
    picture.write(MARGIN, 24, f"{flight.robot}: {flight.reason}", 15)
    legend = (
        (ALARM, "clamped, stop, fault", 0),
        (REPORTED, "reported", 135),
        (COMMAND, "commanded where stiff, rad", 210),
    )
    for colour, words, room in legend:
        picture.write(WIDTH - MARGIN - room, 24, words, colour=colour, anchor="end")


def _states(picture: Drawing, flight: Flight, scale: Scale) -> None:
    """A band of the states in control; the way to another one is the upper half in the colour of its goal."""
    colours: dict[str, str] = {}
    moments = flight.moments
    for moment, after in zip(moments, [*(m.time for m in moments[1:]), scale.end], strict=True):
        left, right = scale.across(np.array([moment.time, after]))
        if right <= left:
            continue
        for state in filter(None, (moment.state, moment.target)):
            colours.setdefault(state, STATES[len(colours) % len(STATES)])
        picture.box(left, scale.y, right - left, scale.height, colours[moment.state], moment.state)
        if moment.target:
            half = scale.height / 2
            picture.box(left, scale.y, right - left, half, colours[moment.target], f"to {moment.target}")
        elif right - left > 60:
            name = moment.state.rpartition("/")[2]
            picture.write(left + 4, scale.y + 13, name[: int((right - left) / 6.5)])
    _alarms(picture, flight, scale)
    for x, seconds in _grid(flight, scale):
        picture.write(x, scale.y + scale.height + 14, f"{seconds:g} s", 10, "#777", "middle")


def _alarms(picture: Drawing, flight: Flight, scale: Scale) -> None:
    times = [note.time for note in flight.notes if note.kind == "record"]
    for x in scale.across(np.array(times, dtype=np.int64)):
        picture.line(x, scale.y, x, scale.y + scale.height, ALARM)


def _grid(flight: Flight, scale: Scale) -> list[tuple[float, float]]:
    """The grid lines: pixels from the left, and seconds from the reason of the record."""
    zero, span = flight.reason.time, (scale.end - scale.begin) / 1e9
    step = next((step for step in (0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0) if span / step <= 12), 600.0)
    first, last = ((edge - zero) / 1e9 / step for edge in (scale.begin, scale.end))
    seconds = np.arange(np.ceil(first), np.floor(last) + 1) * step
    lines = scale.across((seconds * 1e9).astype(np.int64) + zero)
    return list(zip(lines.tolist(), seconds.tolist(), strict=True))


def _panel(picture: Drawing, scale: Scale, flight: Flight, title: str, extent: str) -> None:
    picture.box(scale.x, scale.y, scale.width, scale.height, BOX)
    for x, _ in _grid(flight, scale):
        picture.line(x, scale.y, x, scale.y + scale.height, GRID)
    picture.write(scale.x, scale.y - 4, title)
    picture.write(scale.x + scale.width, scale.y - 4, extent, 10, "#777", "end")
    _alarms(picture, flight, scale)


def _joint(picture: Drawing, flight: Flight, name: str, x: float, y: float, width: float) -> None:
    joint = flight.joints.index(name)
    frames, readings = flight.frames, flight.readings
    stiff = frames.values[:, _KP, joint] > 0.0
    command = Series(frames.time[stiff], frames.values[stiff, _QPOS, joint])
    reported = Series(readings.time, readings.values[:, _POSITION, joint])
    both = np.concatenate((command.values, reported.values, ())).astype(np.float64)
    low, high = (float(both.min()), float(both.max())) if len(both) else (0.0, 0.0)
    room = max(0.05 * (high - low), 0.005)
    scale = Scale(x, y, width, PANEL, int(frames.time[0]), int(frames.time[-1]), low - room, high + room)
    _panel(picture, scale, flight, name, f"{low:.3f} … {high:.3f}")
    picture.curve(_strokes(reported, scale), REPORTED)
    picture.curve(_strokes(command, scale), COMMAND)
    clamped = flight.clamps.time[flight.clamps.values[:, joint] > 0]
    for left in np.unique(scale.across(clamped).round()):
        picture.line(left, y + PANEL - 4, left, y + PANEL, ALARM)


def _strokes(series: Series, scale: Scale) -> Iterator[Iterable[tuple[float, float]]]:
    """The curve in at most two points a pixel, the lowest and the highest value there; a pause breaks it."""
    if not len(series):
        return
    across, down = scale.across(series.time), scale.down(series.values.astype(np.float64))
    pixel = np.floor(across).astype(np.int64)
    starts = np.flatnonzero(np.diff(pixel, prepend=pixel[0] - 1))
    middle = across[starts]
    lowest, highest = np.minimum.reduceat(down, starts), np.maximum.reduceat(down, starts)
    first, last = down[starts], down[np.append(starts[1:], len(down)) - 1]
    between = np.diff(series.time, prepend=series.time[0])
    pause = max(50_000_000, 5 * int(np.median(between)))
    stroke: list[tuple[float, float]] = []
    for index, start in enumerate(starts):
        if stroke and between[start] > pause:
            yield stroke
            stroke = []
        ends = (lowest[index], highest[index])
        for y in dict.fromkeys(ends if first[index] <= last[index] else ends[::-1]):
            if len(stroke) > 1 and stroke[-2][1] == stroke[-1][1] == y:
                stroke.pop()
            stroke.append((middle[index], y))
    yield stroke
