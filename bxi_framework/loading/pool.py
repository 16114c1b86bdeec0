"""All discovered Mods by id, sorted into those that run and those that do not by choice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from bxi_framework.loading.discover import Candidates
from bxi_framework.loading.findings import Findings
from bxi_framework.loading.selection import disabled_mods
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.system import SystemConfig


@dataclass(frozen=True, slots=True)
class Pool:
    """What there is to choose from.

    ``known`` are the manifests by id, those with faults too. Of some manifests not even an id could be read:
    ``unreadable_files`` are their paths, ``unreadable`` the names of their folders, which are likely their
    ids.
    ``broken`` are the ids of all Mods with faults. ``disabled`` maps ids to reasons; ``enabled`` are all
    others. ``mentioned`` are events that faulty routes and actions name.
    """

    known: Mapping[str, ModManifest]
    unreadable: Collection[str]
    unreadable_files: Collection[str]
    broken: Collection[str]
    disabled: Mapping[str, str]
    enabled: tuple[ModManifest, ...]
    mentioned: Collection[str]


def make_pool(candidates: Candidates, config: SystemConfig | None, findings: Findings) -> Pool:
    """Sort the candidates, and take over the faults of their manifests."""
    known: dict[str, ModManifest] = {}
    unreadable: dict[str, str] = {}
    broken: set[str] = set()
    mentioned: set[str] = set()
    for candidate in candidates.found:
        reading = candidate.reading
        manifest = reading.manifest
        if manifest is None:
            unreadable[reading.path.parent.name] = str(reading.path)
            findings.take(reading.faults, None)
            continue
        known[manifest.id] = manifest
        if reading.faults:
            broken.add(manifest.id)
            mentioned |= reading.mentioned
            findings.take(reading.faults, manifest.id)
    disabled = disabled_mods(known, config, findings)
    return Pool(
        known=known,
        unreadable=unreadable.keys(),
        unreadable_files=set(unreadable.values()),
        broken=broken | unreadable.keys(),
        disabled=disabled,
        enabled=tuple(manifest for mod_id, manifest in known.items() if mod_id not in disabled),
        mentioned=mentioned,
    )
