"""The folder of records: a bounded number of files, each of which is whole or not there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from bxi_framework.control.record.flight import Flight

SUFFIX: Final = ".mcap"
_NAME: Final = re.compile(r"\d{8}T\d{6}Z-.+-(stop|fault|end|request)(-\d+)?\.mcap")
_PART: Final = re.compile(r"\..*\.part(\d+)")


def default_folder() -> Path:
    """Where records go if the configuration names no folder: below ``XDG_STATE_HOME`` or ``~/.local/state``.

    Raises:
        OSError: this user has no home folder.
    """
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".local", "state")
    if not os.path.isabs(base):
        raise OSError("this user has no home folder; name a folder in the configuration under record.folder")
    return Path(base, "bxi", "records")


def records_in(folder: Path) -> list[Path]:
    """The records of a folder, oldest first. Files with other names are none of ours.

    Raises:
        OSError: it cannot be read.
    """
    found = [path for path in folder.iterdir() if _NAME.fullmatch(path.name)]
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


class RecordFolder:
    """Writes records into a folder and removes the oldest ones.

    Args:
        path: the folder; None for the user's state folder. It is made when it is needed.
        keep: how many files stay, the new one included.
        most_bytes: how large they may be in all; the newest stays in any case.
    """

    def __init__(self, path: Path | None, keep: int, most_bytes: int) -> None:
        self._path = path
        self._keep = keep
        self._most_bytes = most_bytes

    def write(self, flight: Flight, fill: Callable[[BinaryIO], None]) -> Path:
        """Write one record and return where it is.

        The file appears under its name when it is complete and on the disk, also if the power fails
        meanwhile.

        Args:
            flight: gives the name.
            fill: writes the bytes.

        Raises:
            OSError: it could not be written; nothing of it is left.
        """
        folder = default_folder() if self._path is None else self._path
        folder.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(folder)
        stem = file_stem(flight)
        part = folder / f".{stem}.part{os.getpid()}"
        try:
            with part.open("wb") as stream:
                fill(stream)
                stream.flush()
                os.fsync(stream.fileno())
            path = _free_name(folder, stem)
            part.rename(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _sync(folder)
        return path

    def prune(self, newest: Path) -> None:
        """Remove the oldest records beside ``newest`` until the bounds hold.

        Raises:
            OSError: one could not be removed.
        """
        others = [(path, path.stat().st_size) for path in records_in(newest.parent) if path != newest]
        total = newest.stat().st_size + sum(size for _, size in others)
        count = 1 + len(others)
        for path, size in others:
            if count <= self._keep and total <= self._most_bytes:
                return
            path.unlink(missing_ok=True)
            count, total = count - 1, total - size


def file_stem(flight: Flight) -> str:
    """When, which robot and why, such as ``20261201T140322Z-robot-stop``."""
    moment = str(np.datetime64(flight.reason.time // 1_000_000_000, "s"))
    words = (re.sub(r"[-:]", "", moment) + "Z", flight.robot, flight.reason.kind)
    return "-".join(re.sub(r"[^A-Za-z0-9_.]+", "_", word) for word in words)


def _free_name(folder: Path, stem: str) -> Path:
    path, number = folder / f"{stem}{SUFFIX}", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{SUFFIX}"
    return path


def _remove_leftovers(folder: Path) -> None:
    """Remove what processes that have ended in the midst of writing left behind."""
    for path in folder.iterdir():
        match = _PART.fullmatch(path.name)
        if match is not None and not _alive(int(match[1])):
            path.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return pid != os.getpid()


def _sync(folder: Path) -> None:
    """Bring the new name to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
