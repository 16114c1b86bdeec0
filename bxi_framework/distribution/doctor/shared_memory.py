"""Shared memory that ROS programs which were killed have left behind.

The middleware puts messages between processes of one machine into files below ``/dev/shm``. A program that
ends in order removes its own; one that is killed cannot, and a start after it may stumble over what is left.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bxi_framework.mod_api.check import CheckResult

FOLDER: Final = Path("/dev/shm")
_PATTERNS: Final = ("fastrtps_*", "sem.fastrtps_*", "fast_datasharing_*")


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Files that no process of this machine uses, as far as this user may see."""

    files: tuple[Path, ...]
    size: int


def find_leftovers(folder: Path = FOLDER, processes: Path = Path("/proc")) -> Leftovers:
    """The files of this user below ``folder`` that belong to the middleware and that nobody has open."""
    own = [
        path
        for pattern in _PATTERNS
        for path in sorted(folder.glob(pattern))
        if path.is_file() and not path.is_symlink() and path.stat().st_uid == os.geteuid()
    ]
    used = _in_use(processes) if own else set()
    free = tuple(path for path in own if str(path) not in used)
    return Leftovers(free, sum(path.stat().st_size for path in free))


def check_shared_memory(folder: Path = FOLDER, processes: Path = Path("/proc")) -> CheckResult:
    """What is left, and how to clean it up."""
    left = find_leftovers(folder, processes)
    if not left.files:
        return CheckResult.passed("shared memory", "nothing is left of programs that were killed")
    return CheckResult.warning(
        "shared memory",
        f"{len(left.files)} files ({left.size / 1e6:.1f} MB) in {folder} are left of killed programs",
        "Remove them with 'bxi doctor --clean'; it takes none that a running program uses",
    )


def remove_leftovers(folder: Path = FOLDER, processes: Path = Path("/proc")) -> int:
    """Remove what nobody uses; how many files that were."""
    removed = 0
    for path in find_leftovers(folder, processes).files:
        try:
            path.unlink()
            removed += 1
        except FileNotFoundError:
            continue
    return removed


def _in_use(processes: Path) -> set[str]:
    """Every file that a process has mapped or open, as far as this user may look."""
    used: set[str] = set()
    for process in processes.glob("[0-9]*"):
        used.update(_mapped(process))
        used.update(_open(process))
    return used


def _mapped(process: Path) -> Iterator[str]:
    try:
        lines = (process / "maps").read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    for line in lines:
        parts = line.split(maxsplit=5)
        if len(parts) == 6:
            yield parts[5].removesuffix(" (deleted)")


def _open(process: Path) -> Iterator[str]:
    try:
        descriptors = list((process / "fd").iterdir())
    except OSError:
        return
    for descriptor in descriptors:
        try:
            yield os.readlink(descriptor)
        except OSError:
            continue
