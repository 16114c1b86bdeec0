"""What the code of a Mod leaves in the process besides modules, and how to take it back."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from types import FrameType, FunctionType, MethodType
from typing import Any, cast

from bxi_framework.loading.forget import nearest_root


@dataclass(frozen=True, slots=True)
class Change:
    """Copies of `_lists` as they were and as a Mod left them."""

    before: tuple[list[Any], ...]
    after: tuple[list[Any], ...]

    def undo(self) -> None:
        """Put the lists back. Of one that has changed again since, only what the Mod added goes."""
        for now, before, after in zip(_lists(), self.before, self.after, strict=True):
            if now == after:
                now[:] = before
            else:
                added = [entry for entry in after if entry not in before]
                now[:] = [entry for entry in now if entry not in added]
        for entry in set(self.after[0]) - set(self.before[0]):
            sys.path_importer_cache.pop(entry, None)
        with warnings.catch_warnings():
            pass  # Python notices only this way that the filters are others now.


class Trace:
    """Notices what one Mod after the other changes."""

    def __init__(self) -> None:
        self._lists = _copies()
        self._threads = set(threading.enumerate())

    def change(self) -> Change | None:
        """What has changed since the last call or the beginning; None for nothing."""
        if all(now == before for now, before in zip(_lists(), self._lists, strict=True)):
            return None
        before, self._lists = self._lists, _copies()
        return Change(before, self._lists)

    def undo(self) -> None:
        """Take back what has changed since."""
        change = self.change()
        if change is not None:
            change.undo()
            self._lists = _copies()

    def new_threads(self) -> list[str]:
        """The names of the threads that were started since the last call or the beginning and still run."""
        now = set(threading.enumerate())
        started = [thread.name for thread in now - self._threads if thread.is_alive()]
        self._threads = now
        return sorted(started)


def threads_of(roots: Collection[str]) -> Iterator[tuple[str, str]]:
    """The root and the name of each thread that runs code from a file below one of ``roots``."""
    frames = sys._current_frames()
    for thread in threading.enumerate():
        if thread is threading.current_thread() or thread is threading.main_thread():
            continue
        files = [*_files_of(frames.get(thread.ident or 0)), *_files_of_target(thread)]
        root = next((root for root in (nearest_root(file, roots) for file in files) if root), None)
        if root is not None:
            yield root, thread.name


def _lists() -> tuple[list[Any], ...]:
    """The lists of the whole process that imports and warnings go by."""
    return sys.path, sys.meta_path, sys.path_hooks, cast("list[Any]", warnings.filters)


def _copies() -> tuple[list[Any], ...]:
    return tuple(list(now) for now in _lists())


def _files_of(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        yield frame.f_code.co_filename
        frame = frame.f_back


def _files_of_target(thread: threading.Thread) -> Iterator[str]:
    """Where the function lies that the thread was made for, by whichever name the class keeps it."""
    for value in vars(thread).values():
        function = value.__func__ if isinstance(value, MethodType) else value
        if isinstance(function, FunctionType):
            yield function.__code__.co_filename
