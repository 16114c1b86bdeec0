"""Which Mods can run beside each other, and in which order they load."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from bxi_framework.diagnostics.nearest import nearest
from bxi_framework.loading.cycles import Graph, cyclic_groups, find_cycles
from bxi_framework.loading.findings import Findings
from bxi_framework.manifest.mod import ModManifest, Requirement
from bxi_framework.manifest.versions import Version
from bxi_framework.mod_api.version import API_LEVELS

MOST_CYCLES: Final = 20


def check_api(manifest: ModManifest, findings: Findings) -> None:
    """Some implemented API level must meet the Mod's constraint."""
    if not any(manifest.api.accepts(Version.parse(level)) for level in API_LEVELS):
        findings.add(
            manifest,
            "api-unsupported",
            f"The Mod is written for API {manifest.api}; this framework implements {', '.join(API_LEVELS)}.",
            "api",
            hint="Install a version of the Mod for one of these, or widen the constraint.",
            subject=manifest.api.text,
        )


def check_requirement(
    manifest: ModManifest,
    requirement: Requirement,
    known: Mapping[str, ModManifest],
    unreadable: Collection[str],
    disabled: Mapping[str, str],
    findings: Findings,
) -> None:
    """The required Mod must be there, enabled, and of a fitting version.

    ``unreadable`` are the ids that Mods with unreadable manifests seem to have; their own faults say enough.
    """
    if requirement.id in disabled and not requirement.optional:
        findings.add(
            manifest,
            "requires-disabled",
            f"'{manifest.id}' requires '{requirement.id}', which is disabled: {disabled[requirement.id]}.",
            requirement.field,
            hint=f"Enable '{requirement.id}', or disable '{manifest.id}' as well.",
            subject=requirement.id,
            cause=requirement.id,
        )
        return
    other = known.get(requirement.id)
    if other is None:
        if not requirement.optional and requirement.id not in unreadable:
            findings.add(
                manifest,
                "requires-missing",
                f"'{manifest.id}' requires '{requirement.id}', which is not there.",
                requirement.field,
                hint=_add_or_rename(requirement.id, known),
                subject=requirement.id,
                cause=requirement.id,
            )
        return
    if requirement.constraint is not None and not requirement.constraint.accepts(other.version):
        findings.add(
            manifest,
            "requires-wrong-version",
            f"'{manifest.id}' requires '{requirement.id}' {requirement.constraint}, "
            f"but version {other.version} is there.",
            requirement.field,
            hint=f"Install a version of '{requirement.id}' that meets {requirement.constraint}.",
            subject=requirement.id,
        )


def _add_or_rename(mod_id: str, known: Iterable[str]) -> str:
    close = nearest(mod_id, known)
    add = "Add that Mod to a Mod folder, or remove the requirement."
    return add if close is None else f"{add} Did you mean '{close}'?"


def check_conflicts(manifests: Iterable[ModManifest], findings: Findings) -> None:
    """No Mod may run beside one that either of the two calls a conflict."""
    enabled = {manifest.id for manifest in manifests}
    told: set[frozenset[str]] = set()
    for manifest in manifests:
        for index, other in enumerate(manifest.conflicts):
            pair = frozenset((manifest.id, other))
            if other in enabled and pair not in told:
                told.add(pair)
                findings.add(
                    manifest,
                    "mod-conflict",
                    f"'{manifest.id}' and '{other}' are both enabled but cannot run together.",
                    f"conflicts[{index}]",
                    hint="Disable one of the two.",
                    subject=other,
                    blame=(other,),
                )


def load_order(manifests: Sequence[ModManifest], findings: Findings) -> tuple[ModManifest, ...]:
    """Required Mods before those that require them, otherwise by id; a cycle is an error, and within it the
    order is by id.
    """
    by_id = {manifest.id: manifest for manifest in manifests}
    needs = {m.id: sorted({r.id for r in m.requires if r.id in by_id}) for m in manifests}
    groups = cyclic_groups(needs)
    if groups:
        _report_cycles(by_id, needs, findings)
    group_of = {mod_id: number for number, group in enumerate(groups) for mod_id in group}
    needed_by: dict[str, list[str]] = {mod_id: [] for mod_id in by_id}
    left = dict.fromkeys(by_id, 0)
    for mod_id, required in needs.items():
        for other in required:
            if mod_id not in group_of or group_of[mod_id] != group_of.get(other):
                needed_by[other].append(mod_id)
                left[mod_id] += 1
    free = [mod_id for mod_id, count in left.items() if count == 0]
    heapq.heapify(free)
    ordered = []
    while free:
        mod_id = heapq.heappop(free)
        ordered.append(by_id[mod_id])
        for other in needed_by[mod_id]:
            left[other] -= 1
            if left[other] == 0:
                heapq.heappush(free, other)
    return tuple(ordered)


def _report_cycles(by_id: Mapping[str, ModManifest], needs: Graph, findings: Findings) -> None:
    for cycle in find_cycles(needs, MOST_CYCLES):
        manifest = by_id[cycle[0]]
        following = cycle[1] if len(cycle) > 1 else cycle[0]
        field = next(r.field for r in manifest.requires if r.id == following)
        path = " -> ".join((*cycle, cycle[0]))
        findings.add(
            manifest,
            "requires-cycle",
            f"Mods require each other in a circle: {path}."
            if len(cycle) > 1
            else f"The Mod requires itself: {path}.",
            field,
            hint="Remove one of these requirements, or move what is shared into a Mod of its own."
            if len(cycle) > 1
            else "Remove this requirement.",
            subject=path,
            blame=cycle,
        )
