"""Checks some Mods as a start would, and tells their faults from those of other Mods around them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from bxi_framework import bootstrap
from bxi_framework.bootstrap import Body
from bxi_framework.cli.reports import tell
from bxi_framework.control.runtime import BootError
from bxi_framework.diagnostics import Diagnostic, Report, Severity
from bxi_framework.loading.discover import Candidate, Candidates
from bxi_framework.loading.losses import followers
from bxi_framework.loading.preparation import InlinePreparation
from bxi_framework.loading.resolve import Resolution, resolve
from bxi_framework.loading.selection import entered_states, without_mods
from bxi_framework.manifest.locate import locate
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.names import owner_of
from bxi_framework.manifest.system import SystemConfig


@dataclass(frozen=True, slots=True)
class Verdict:
    """The Mods that were looked at, and what was found.

    An error in ``report`` means that they are unsound. ``elsewhere`` holds the errors of Mods that have
    nothing to do with them, but would stop a start all the same.
    """

    mods: tuple[ModManifest, ...]
    report: Report
    elsewhere: Report


def check_mods(candidates: Candidates, paths: Sequence[str], body: Body, searched: Report) -> Verdict:
    """Start the Mods below the absolute ``paths`` together with all others, up to where the loop would run.

    An error counts if it concerns these Mods, what they need, or the configuration, and also if it comes up
    in another Mod only since these are there. The Mods with all other errors are left out, and the start is
    tried again. ``searched`` is what the search for Mods has reported.
    """
    check = _Check(candidates, paths, body)
    report = Report(fault for fault in searched if check.counts(fault))
    elsewhere = Report(fault for fault in searched.errors if not check.counts(fault))
    left = list(candidates.found)
    while True:
        tried, resolution = check.start(left)
        own = [fault for fault in tried if check.counts(fault)]
        others = [fault for fault in tried.errors if not check.counts(fault)]
        if others and Report(own).ok:
            alone, baseline = check.start(check.without_mine(left))
            # Faults of code say nothing if the others do not get as far without these Mods.
            if baseline.sound or not resolution.sound:
                before = {_key(fault) for fault in alone.errors}
                own += [fault for fault in others if _key(fault) not in before]
                others = [fault for fault in others if _key(fault) in before]
        fewer = check.without(left, others)
        if len(fewer) == len(left):
            # Nothing could be left out, so nothing more can be tried: whatever is wrong counts.
            own, others = [*own, *others], []
        elsewhere.extend(others)
        if not others or not Report(own).ok:
            report.extend(own)
            report.extend(check.disabled(resolution))
            return Verdict(check.mods, report, elsewhere)
        left = fewer


class _Check:
    """The Mods to be judged, and which others they stand on."""

    def __init__(self, candidates: Candidates, paths: Sequence[str], body: Body) -> None:
        self._paths = paths
        files = [str(candidate.reading.path) for candidate in candidates.found]
        self._strangers = {file for file in files if not self._is_below(file)}
        self._known = {manifest.id: manifest for manifest in candidates.manifests}
        self.mods = tuple(m for m in self._known.values() if self._is_below(str(m.path)))
        self._ids = {manifest.id for manifest in self.mods}
        self._body = replace(body, config=_choosing(body.config, self._ids))
        self._needed = self._closure({*self._ids, *map(owner_of, entered_states(body.config))})

    def start(self, candidates: Collection[Candidate]) -> tuple[Report, Resolution]:
        """Start these Mods and take them down again. What their code prints does not mix with our output."""
        report = Report()
        gone = self._known.keys() - Candidates(tuple(candidates)).ids
        body = replace(self._body, config=without_mods(self._body.config, gone))
        resolution = resolve(Candidates(tuple(candidates)), body.config, report)
        if report.ok:
            with contextlib.redirect_stdout(sys.stderr), contextlib.suppress(BootError):
                bootstrap.build(body, resolution, InlinePreparation(), tell, lambda: 0.0, report).close()
        return report, resolution

    def counts(self, fault: Diagnostic) -> bool:
        """True for what concerns these Mods or what they need. Warnings count for these Mods alone, and a Mod
        folder that does not exist is nobody's fault here.
        """
        if fault.code == "mod-path-not-found":
            return False
        if fault.mod is not None:
            return fault.mod in (self._needed if fault.severity is Severity.ERROR else self._ids)
        if fault.severity is Severity.ERROR:
            return fault.file not in self._strangers
        return fault.file is None or self._is_below(fault.file)

    def without_mine(self, candidates: Collection[Candidate]) -> list[Candidate]:
        """All others."""
        return [c for c in candidates if not self._is_below(str(c.reading.path))]

    def without(self, candidates: Collection[Candidate], faults: Iterable[Diagnostic]) -> list[Candidate]:
        """Those that are left without the Mods at fault and without all that require them."""
        files = {fault.file for fault in faults if fault.mod is None}
        blamed = {fault.mod: "" for fault in faults if fault.mod is not None}
        gone = blamed.keys() | followers(self._known.values(), blamed).keys()
        return [
            candidate
            for candidate in candidates
            if str(candidate.reading.path) not in files and not Candidates((candidate,)).ids & gone
        ]

    def disabled(self, resolution: Resolution) -> Iterable[Diagnostic]:
        """A note for each of these Mods whose code was not run, since it is disabled."""
        for manifest in self.mods:
            if manifest.id in resolution.disabled:
                line, column = locate(manifest.text, "enable") or (1, 1)
                yield Diagnostic(
                    "mod-disabled",
                    f"'{manifest.id}' is disabled, so its code was not run.",
                    severity=Severity.WARNING,
                    mod=manifest.id,
                    file=str(manifest.path),
                    line=line,
                    column=column,
                    field="enable",
                    hint="Write 'enable: true' to have all of it checked.",
                )

    def _closure(self, ids: set[str]) -> set[str]:
        needed: set[str] = set()
        waiting = list(ids)
        while waiting:
            mod_id = waiting.pop()
            if mod_id not in needed:
                needed.add(mod_id)
                waiting += [r.id for r in self._known[mod_id].requires] if mod_id in self._known else []
        return needed

    def _is_below(self, file: str) -> bool:
        return any(file.startswith(os.path.join(path, "")) for path in self._paths)


def _choosing(config: SystemConfig, ids: Iterable[str]) -> SystemConfig:
    """The configuration as if it selected these Mods, and did not pass over faults."""
    select, chosen = config.mods.select, set(ids)
    if select is not None:
        select = (*select, *sorted(chosen - set(select)))
    left_out = tuple(mod_id for mod_id in config.mods.leave_out if mod_id not in chosen)
    mods = replace(config.mods, select=select, leave_out=left_out)
    return replace(config, mods=mods, on_mod_error="refuse")


def _key(fault: Diagnostic) -> tuple[str, str | None, str | None, str]:
    return fault.code, fault.file, fault.field, fault.message
