"""``bxi mod list``: every Mod that is found, and whether it runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from bxi_framework import bootstrap
from bxi_framework.cli.default_config import default_config
from bxi_framework.cli.parsing import Parser, add_boot_options
from bxi_framework.cli.reports import boot_request, print_report
from bxi_framework.diagnostics import Report
from bxi_framework.loading.discover import Candidates
from bxi_framework.loading.resolve import Resolution
from bxi_framework.manifest.mod import ModManifest


@dataclass(frozen=True, slots=True)
class ModRow:
    """One Mod as the list shows it; ``reason`` says why it does not run."""

    id: str
    name: str
    version: str
    state: str
    reason: str
    visibility: str
    path: str
    states: tuple[str, ...]
    events: tuple[str, ...]
    nodes: tuple[str, ...]
    requires: tuple[str, ...]


def run(words: Sequence[str]) -> int:
    """List the Mods; 1 if one of them would stop the start."""
    parser = Parser("mod list", "List every Mod that is found, and whether it runs.")
    add_boot_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    values = parser.read(words)
    report = Report()
    request = boot_request(values, default_config)
    config = bootstrap.read_configuration(request, report)
    candidates, resolution = bootstrap.survey(request, config, report)
    rows = list(mod_rows(candidates, resolution, report))
    if values.json:
        print(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=2))
    else:
        print(table(rows))
    if not report.ok:
        print_report(report, sys.stderr)
    return 0 if report.ok else 1


def mod_rows(candidates: Candidates, resolution: Resolution, report: Report) -> Iterable[ModRow]:
    """The Mods that run in load order, then the others by id."""
    faults = {d.mod: d.message for d in reversed(report.errors) if d.mod is not None}
    for manifest in resolution.manifests:
        fault = faults.get(manifest.id)
        yield _row(manifest, "enabled" if fault is None else "unavailable", fault or "")
    running = {manifest.id for manifest in resolution.manifests}
    found = (candidate.reading.manifest for candidate in candidates.found)
    others = [manifest for manifest in found if manifest is not None and manifest.id not in running]
    for manifest in sorted(others, key=lambda other: other.id):
        disabled = resolution.disabled.get(manifest.id)
        reasons = {**resolution.unavailable, **resolution.left_out}
        reason = disabled or reasons.get(manifest.id) or faults.get(manifest.id, "")
        yield _row(manifest, "disabled" if disabled else "unavailable", reason)


def table(rows: Sequence[ModRow]) -> str:
    """The list for a terminal."""
    cells = [(row.id, row.version, row.state, row.reason or ", ".join(row.states)) for row in rows]
    widths = [max((len(cell[column]) for cell in cells), default=0) for column in range(3)]
    lines = (
        "  ".join([*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[3]]).rstrip()
        for line in cells
    )
    return "\n".join(lines) or "No Mods are found."


def _row(manifest: ModManifest, state: str, reason: str) -> ModRow:
    return ModRow(
        id=manifest.id,
        name=manifest.name,
        version=str(manifest.version),
        state=state,
        reason=reason,
        visibility=manifest.visibility,
        path=str(manifest.root),
        states=tuple(decl.name for decl in manifest.states),
        events=tuple(decl.name for decl in manifest.events),
        nodes=tuple(decl.name for decl in manifest.nodes),
        requires=tuple(requirement.id for requirement in manifest.requires),
    )
