"""All discovered Mods by id, sorted into those that run and those that do not by choice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from bxi_framework.loading.discover import Candidates
from bxi_framework.loading.findings import Findings
from bxi_framework.loading.selection import NOT_ENABLED, disabled_mods
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.read_mod import ModReading
from bxi_framework.manifest.system import SystemConfig

_CLOSED: Final = frozenset(("manifest-not-found", "manifest-unreadable", "yaml-too-large"))


@dataclass(frozen=True, slots=True)
class Pool:
    """What there is to choose from.

    ``known`` are the manifests by id, those with faults too. Of some manifests not even an id could be read:
    ``unreadable`` maps their likely ids to their paths; ``harmless_files`` are those of them that do not run
    anyway. ``torn`` are the ids of Mods that may declare more than could be read. ``disabled`` maps ids to
    reasons; ``enabled`` are all others. ``mentioned`` are events that faulty routes and actions name;
    ``blind`` says that a manifest could not even be looked into for those. ``declared`` are the names in
    manifests with faults, by block.
    """

    known: Mapping[str, ModManifest]
    unreadable: Mapping[str, str]
    harmless_files: Collection[str]
    torn: Collection[str]
    disabled: Mapping[str, str]
    enabled: tuple[ModManifest, ...]
    mentioned: Collection[str]
    blind: bool
    declared: Mapping[str, Collection[str]]
    faulty: bool


def make_pool(candidates: Candidates, config: SystemConfig | None, findings: Findings) -> Pool:
    """Sort the candidates, and take over the faults of their manifests."""
    known: dict[str, ModManifest] = {}
    unread: list[ModReading] = []
    torn: set[str] = set()
    declared: dict[str, set[str]] = {}
    mentioned: set[str] = set()
    for reading in (candidate.reading for candidate in candidates.found):
        mentioned |= reading.mentioned
        if reading.manifest is None:
            unread.append(reading)
            findings.take(reading.faults, None)
        else:
            known[reading.manifest.id] = reading.manifest
            findings.take(reading.faults, reading.manifest.id)
        if reading.torn:
            torn.add(reading.likely_id)
        for kind, names in reading.declared.items():
            declared.setdefault(kind, set()).update(names)
    unreadable = {r.likely_id: str(r.path) for r in unread if r.likely_id not in known}
    off = {r.likely_id for r in unread if r.disabled}
    disabled = disabled_mods(known, unreadable.keys() - off, config, findings)
    disabled.update((mod_id, NOT_ENABLED) for mod_id in off if mod_id in unreadable)
    return Pool(
        known=known,
        unreadable=unreadable,
        harmless_files={str(r.path) for r in unread if r.disabled or r.likely_id in disabled},
        torn=torn,
        disabled=disabled,
        enabled=tuple(manifest for mod_id, manifest in known.items() if mod_id not in disabled),
        mentioned=mentioned,
        blind=any(fault.code in _CLOSED for reading in unread for fault in reading.faults),
        declared=declared,
        faulty=any(candidate.reading.faults for candidate in candidates.found),
    )
