"""Calls into Mod code whose failure becomes a value, with the Mod's own file and line."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call or a job ended: its value, or the error that it ended with."""

    error: BaseException | None = None
    value: Any = None


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file."""

    file: str
    line: int


def guarded(call: Callable[..., Any], *args: Any) -> Outcome:
    """Call Mod code. Whatever it raises is caught, ``SystemExit`` and ``KeyboardInterrupt`` too: a Mod cannot
    end the process or interrupt what calls it.
    """
    try:
        return Outcome(value=call(*args))
    except BaseException as error:
        return Outcome(error=error)


def place_below(error: BaseException, root: str | Path) -> Place | None:
    """The innermost line below ``root`` that led to the error; None if no such line took part.

    Errors that were raised while handling or because of another one are followed to the first cause that has
    such a line.
    """
    prefixes = _prefixes(root)
    current: BaseException | None = error
    seen: set[int] = set()
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        found = _place_of(current, prefixes)
        if found is not None:
            return found
        current = current.__cause__ or current.__context__
    return None


def place_in_stack(frame: FrameType | None, root: str | Path) -> Place | None:
    """The innermost line below ``root`` in a stack; None if there is none."""
    prefixes = _prefixes(root)
    while frame is not None:
        if frame.f_code.co_filename.startswith(prefixes):
            return Place(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return None


def _prefixes(root: str | Path) -> tuple[str, str]:
    """How files below a folder begin: with all links followed, and as the folder was given."""
    return os.path.join(os.path.realpath(root), ""), os.path.join(os.path.abspath(root), "")


def _place_of(error: BaseException, prefixes: tuple[str, str]) -> Place | None:
    found: Place | None = None
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(prefixes):
            found = Place(file, trace.tb_lineno)
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename and error.filename.startswith(prefixes):
        return Place(error.filename, error.lineno or 1)
    return found


def describe_error(error: BaseException) -> str:
    """``Type: message`` on one line; the message of an error that cannot even be printed is left out."""
    try:
        message = " ".join(str(error).split())
    except BaseException:
        message = ""
    name = type(error).__name__
    return f"{name}: {message}" if message else name


def mod_place(error: BaseException, root: str | Path) -> str:
    """``file:line: Type: message`` with the Mod's own line; without the place if no line of the Mod took
    part.
    """
    place = place_below(error, root)
    said = describe_error(error)
    return said if place is None else f"{place.file}:{place.line}: {said}"


def traceback_below(error: BaseException, root: str | Path) -> list[str]:
    """The lines of an error's traceback from the Mod's first call on, and the error itself; what led there is
    no matter of the Mod.
    """
    prefixes = _prefixes(root)
    frames = traceback.extract_tb(error.__traceback__)
    first = next((index for index, frame in enumerate(frames) if frame.filename.startswith(prefixes)), 0)
    lines = traceback.StackSummary.from_list(frames[first:]).format()
    lines += traceback.TracebackException.from_exception(error).format_exception_only()
    # Marks below a line, as newer versions of Python make them, point nowhere once it is cut out of the text.
    return [line.strip() for text in lines for line in text.splitlines() if line.strip("~^ ")]
