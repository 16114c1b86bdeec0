"""Which files of a Mod are copied: all but hidden and compiled ones, and nothing from outside its folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bxi_framework.diagnostics import Diagnostic

_COMPILED: Final = (".pyc", ".pyo")
_PERMISSIONS: Final = 0o777


@dataclass(frozen=True, slots=True)
class Item:
    """A folder, a file or a link of a Mod; ``path`` is relative to the Mod, ``link`` to the item's folder."""

    path: Path
    is_folder: bool = False
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """What a Mod's folder holds, and what of it cannot be copied."""

    root: Path
    items: tuple[Item, ...]
    faults: tuple[Diagnostic, ...]

    @property
    def files(self) -> int:
        """How many files and links there are."""
        return sum(not item.is_folder for item in self.items)


def list_files(root: Path, mod_id: str) -> Listing:
    """Look at every file below a Mod's folder. A link may lead anywhere inside it and nowhere else."""
    real = Path(os.path.realpath(root))
    items: list[Item] = []
    faults: list[Diagnostic] = []
    for entry in _entries(real):
        path = Path(entry.path).relative_to(real)
        if entry.is_symlink():
            target = os.path.realpath(entry.path)
            problem = _link_problem(real, target)
            items.append(Item(path, link=os.path.relpath(target, os.path.dirname(entry.path))))
        elif entry.is_dir():
            problem = _access_problem(entry.path, os.R_OK | os.X_OK)
            items.append(Item(path, is_folder=True))
        else:
            problem = _file_problem(entry)
            items.append(Item(path))
        if problem:
            faults.append(_fault(root / path, mod_id, problem))
    return Listing(real, tuple(items), tuple(faults))


def copy_files(listing: Listing, target: Path) -> None:
    """Copy what was listed into a new folder; files keep their permissions.

    Raises:
        OSError: something cannot be read or written, or ``target`` is there already.
    """
    target.mkdir()
    for item in listing.items:
        source, place = listing.root / item.path, target / item.path
        if item.is_folder:
            place.mkdir()
        elif item.link is not None:
            place.symlink_to(item.link)
        else:
            shutil.copyfile(source, place, follow_symlinks=False)
            place.chmod(source.stat().st_mode & _PERMISSIONS)


def _entries(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    """Everything below a folder that counts, by name, a folder before what it holds."""
    try:
        with os.scandir(folder) as found:
            inside = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in inside:
        if not _left_out(entry.name):
            yield entry
            if entry.is_dir(follow_symlinks=False):
                yield from _entries(entry.path)


def _left_out(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__" or name.endswith(_COMPILED)


def _link_problem(root: Path, target: str) -> str:
    if target != str(root) and not target.startswith(os.path.join(root, "")):
        return "The link leads out of the Mod's folder."
    if not os.path.exists(target):
        return "The link leads nowhere."
    if any(map(_left_out, Path(target).relative_to(root).parts)):
        return "The link leads to a file that is left out."
    return ""


def _file_problem(entry: os.DirEntry[str]) -> str:
    if not entry.is_file():
        return "This is neither a file nor a folder."
    return _access_problem(entry.path, os.R_OK)


def _access_problem(path: str, mode: int) -> str:
    return "" if os.access(path, mode) else "The system does not let this be read."


def _fault(path: Path, mod_id: str, problem: str) -> Diagnostic:
    return Diagnostic(
        "publish-file-refused",
        problem,
        mod=mod_id,
        file=str(path),
        hint="Put the file itself there, or remove it.",
    )


def relative_python_files(listing: Listing) -> Sequence[Path]:
    """The Python files that would be copied."""
    return [item.path for item in listing.items if item.path.suffix == ".py" and item.link is None]
