"""Finds every Mod below the roots and reads its manifest; runs no Mod code."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bxi_framework.diagnostics import Diagnostic, Report, Severity
from bxi_framework.loading.roots import Origin, Root
from bxi_framework.manifest.locate import locate
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.read_mod import MANIFEST_NAME, ModReading, read_reading


@dataclass(frozen=True, slots=True)
class Candidate:
    """A folder that holds a ``mod.yaml``, what was read of it, and the root under which it was found."""

    reading: ModReading
    root: Root


@dataclass(frozen=True, slots=True)
class Candidates:
    """Everything that was found, each id at most once, in the order of the roots and then by path."""

    found: tuple[Candidate, ...]

    @property
    def manifests(self) -> tuple[ModManifest, ...]:
        """The manifests that could be read, those with faults too."""
        return tuple(c.reading.manifest for c in self.found if c.reading.manifest is not None)

    @property
    def ids(self) -> set[str]:
        """The ids of these."""
        return {manifest.id for manifest in self.manifests}


def discover(roots: Sequence[Root], report: Report) -> Candidates:
    """Search the roots.

    A root that is a Mod itself counts, and so does every folder below that holds ``mod.yaml``. Folders inside
    a Mod, hidden folders and ``__pycache__`` are not searched; links are followed, each folder once. A root
    that is not there and an id that stands twice are errors in the report; the faults of the manifests stay
    with the candidates.
    """
    visited: set[str] = set()
    found: list[Candidate] = []
    for root in roots:
        if root.path is None or not os.path.isdir(root.path):
            _report_missing(root, report)
            continue
        for folder in _mod_folders(os.path.abspath(root.path), visited, report):
            found.append(Candidate(read_reading(Path(folder, MANIFEST_NAME)), root))
    return Candidates(_unique(found, report))


def _mod_folders(root: str, visited: set[str], report: Report) -> Iterator[str]:
    """The folders below ``root`` that hold a manifest; ``visited`` are the real paths of all folders seen so
    far.
    """
    waiting = [(root, os.path.realpath(root))]
    while waiting:
        folder, real = waiting.pop()
        if real in visited:
            continue
        visited.add(real)
        if _exists(os.path.join(folder, MANIFEST_NAME)):
            yield folder
        else:
            waiting.extend(_subfolders(folder, real, report))


def _exists(path: str) -> bool:
    try:
        os.lstat(path)
    except OSError:
        return False
    return True


def _subfolders(folder: str, real: str, report: Report) -> list[tuple[str, str]]:
    """Path and real path of the folders inside, last name first."""
    try:
        with os.scandir(folder) as entries:
            inside = [entry for entry in entries if entry.name[0] != "." and entry.name != "__pycache__"]
    except OSError as error:
        reason = error.strerror or type(error).__name__
        report.add(
            Diagnostic(
                "folder-unreadable",
                f"The folder cannot be searched for Mods: {reason}.",
                severity=Severity.WARNING,
                file=folder,
                hint="Check its permissions.",
            )
        )
        return []
    inside.sort(key=lambda entry: entry.name, reverse=True)
    return [
        (entry.path, os.path.realpath(entry.path) if entry.is_symlink() else os.path.join(real, entry.name))
        for entry in inside
        if _is_folder(entry)
    ]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _report_missing(root: Root, report: Report) -> None:
    if root.origin is Origin.ENTRY_POINT:
        message = root.problem or f"The folder of the entry point '{root.name}' is not there."
        hint = "Install the package again, or remove it."
    else:
        message = f"The Mod folder '{root.name}' ({root.origin.value}) does not exist."
        hint = "Create it, or correct the path."
    position = locate(root.config.text, root.field) if root.config is not None and root.field else None
    report.add(
        Diagnostic(
            "mod-path-not-found",
            message,
            file=str(root.config.path) if root.config is not None else None,
            line=position[0] if position else None,
            column=position[1] if position else None,
            field=root.field,
            subject=str(root.path) if root.path is not None else root.name,
            hint=hint,
        )
    )


def _unique(found: Sequence[Candidate], report: Report) -> tuple[Candidate, ...]:
    """Each id once, the first of its kind; an id in two places is an error that names them all."""
    by_id: dict[str, list[Candidate]] = {}
    for candidate in found:
        if candidate.reading.manifest is not None:
            by_id.setdefault(candidate.reading.manifest.id, []).append(candidate)
    extra: set[int] = set()
    for mod_id, group in by_id.items():
        if len(group) == 1:
            continue
        extra.update(id(candidate) for candidate in group[1:])
        second = group[1].reading
        text = second.manifest.text if second.manifest is not None else ""
        line, column = locate(text, "id") or (None, None)
        places = [str(candidate.reading.path.parent) for candidate in group]
        report.add(
            Diagnostic(
                "duplicate-id",
                f"The id '{mod_id}' is used by {len(group)} Mods: {', '.join(places[:-1])} and {places[-1]}.",
                mod=mod_id,
                file=str(second.path),
                line=line,
                column=column,
                field="id",
                subject=mod_id,
                hint="Keep one of the folders, or give the others ids of their own.",
            )
        )
    return tuple(candidate for candidate in found if id(candidate) not in extra)
