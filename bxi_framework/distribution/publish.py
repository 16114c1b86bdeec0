"""Copies a set of Mods without the protected ones: all of it or nothing, and only if the rest is whole."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.distribution.files import Listing, copy_files, list_files, relative_python_files
from bxi_framework.distribution.needs import NeedsCheck
from bxi_framework.loading.discover import Candidate, Candidates
from bxi_framework.loading.findings import as_warning
from bxi_framework.loading.resolve import resolve
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.system import SystemConfig

PROTECTED = "protected"


class OutputError(Exception):
    """The output folder cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Publication:
    """What would be copied, each Mod with its files, and what would be left out."""

    kept: tuple[tuple[ModManifest, Listing], ...]
    removed: tuple[ModManifest, ...]

    def without(self, manifests: Collection[Path]) -> Publication:
        """The same without the Mods of these manifests, protected ones left as they are."""
        kept = tuple(entry for entry in self.kept if entry[0].path not in manifests)
        return replace(self, kept=kept)


def plan(candidates: Candidates, config: SystemConfig, report: Report) -> Publication:
    """Decide what is copied; whatever stands against it is an error in the report.

    Disabled Mods count like all others: whoever gets the copy may enable them.
    """
    for candidate in candidates.found:
        report.extend(candidate.reading.faults)
    manifests = sorted(candidates.manifests, key=lambda manifest: manifest.id)
    kept = [manifest for manifest in manifests if manifest.visibility != PROTECTED]
    removed = [manifest for manifest in manifests if manifest.visibility == PROTECTED]
    check = NeedsCheck(removed)
    needs: list[Diagnostic] = []
    publication = []
    for manifest in kept:
        listing = list_files(manifest.root, manifest.id)
        publication.append((manifest, listing))
        report.extend(listing.faults)
        needs += check.of_manifest(manifest)
        if not listing.faults:
            needs += check.of_code(manifest, listing.root, relative_python_files(listing))
    report.extend(needs)
    if report.ok:
        report.extend(_lost(candidates, config))
    return Publication(tuple(publication), tuple(removed))


def _lost(candidates: Candidates, config: SystemConfig) -> Iterable[Diagnostic]:
    """What is wrong with the remaining Mods and was not wrong with all of them, such as an event that only a
    protected Mod used. What the configuration lacks then is a warning: it is not part of the copy.
    """
    config = replace(config, mods=replace(config.mods, select=None, leave_out=()), on_mod_error="refuse")
    everything = [_enabled(candidate) for candidate in candidates.found]
    public = [c for c in everything if c.reading.manifest and c.reading.manifest.visibility != PROTECTED]
    before = {_key(fault) for fault in _faults(everything, config)}
    for fault in _faults(public, config):
        if _key(fault) not in before:
            yield as_warning(fault) if fault.file == str(config.path) else fault


def _enabled(candidate: Candidate) -> Candidate:
    manifest = candidate.reading.manifest
    if manifest is None or manifest.enable:
        return candidate
    return replace(candidate, reading=replace(candidate.reading, manifest=replace(manifest, enable=True)))


def _faults(candidates: Iterable[Candidate], config: SystemConfig) -> list[Diagnostic]:
    report = Report()
    resolve(Candidates(tuple(candidates)), config, report)
    return report.errors


def _key(fault: Diagnostic) -> tuple[str, str | None, str | None]:
    return fault.code, fault.file, fault.field


def check_output(output: Path, roots: Iterable[Path]) -> None:
    """Make sure that a copy may be put there.

    Raises:
        OutputError: there is something already, nothing can be written, or Mods are searched there.
    """
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise OutputError(f"'{output}' is not a folder; name a folder that is empty or not there yet")
    if output.is_dir() and any(output.iterdir()):
        raise OutputError(f"the folder '{output}' is not empty; empty it or name another")
    real = Path(os.path.realpath(output))
    for root in roots:
        if real.is_relative_to(os.path.realpath(root)):
            raise OutputError(
                f"'{output}' lies in the Mod folder '{root}', where the copies would be found as well; "
                "name a folder elsewhere"
            )
    above = next(folder for folder in real.parents if folder.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise OutputError(f"'{output}' cannot be created: nothing may be written in '{above}'")


def copy(publication: Publication, output: Path) -> None:
    """Copy into a folder beside ``output`` that takes its place at the very end; each Mod's folder is named
    after its id.

    Raises:
        OSError: something could not be read or written; ``output`` is as it was.
    """
    output = Path(os.path.realpath(output))
    output.parent.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=f".{output.name}.", dir=output.parent))
    try:
        for manifest, listing in publication.kept:
            copy_files(listing, stage / manifest.id)
        stage.chmod(0o755)
        stage.replace(output)
    except BaseException:
        shutil.rmtree(stage)
        raise
