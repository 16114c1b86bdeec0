"""Which Mods can run beside each other, and in which order they load."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.loading.findings import Findings
from bxi_framework.manifest.mod import ModManifest, Requirement
from bxi_framework.manifest.versions import Version
from bxi_framework.mod_api.version import API_LEVELS

MOST_CYCLES: Final = 20
_MOST_STEPS: Final = 100_000


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
    other = known.get(requirement.id)
    if other is None:
        if not requirement.optional and requirement.id not in unreadable:
            findings.add(
                manifest,
                "requires-missing",
                f"'{manifest.id}' requires '{requirement.id}', which is not there.",
                requirement.field,
                hint=f"Add that Mod to a Mod folder. {did_you_mean(requirement.id, known)}",
                subject=requirement.id,
            )
        return
    if requirement.id in disabled and not requirement.optional:
        findings.add(
            manifest,
            "requires-disabled",
            f"'{manifest.id}' requires '{requirement.id}', which is disabled: {disabled[requirement.id]}.",
            requirement.field,
            hint=f"Enable '{requirement.id}', or disable '{manifest.id}' as well.",
            subject=requirement.id,
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
    """Required Mods before those that require them, otherwise by id; a cycle is an error and left out."""
    by_id = {manifest.id: manifest for manifest in manifests}
    needs = {m.id: {r.id for r in m.requires if r.id in by_id} for m in manifests}
    needed_by: dict[str, list[str]] = {mod_id: [] for mod_id in by_id}
    for mod_id, required in needs.items():
        for other in required:
            needed_by[other].append(mod_id)
    left = {mod_id: len(required) for mod_id, required in needs.items()}
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
    if len(ordered) < len(by_id):
        stuck = {mod_id for mod_id, count in left.items() if count > 0}
        _report_cycles(by_id, {mod_id: sorted(needs[mod_id] & stuck) for mod_id in stuck}, findings)
    return tuple(ordered)


def _report_cycles(
    by_id: Mapping[str, ModManifest], needs: Mapping[str, Sequence[str]], findings: Findings
) -> None:
    for cycle in find_cycles(needs, MOST_CYCLES):
        manifest = by_id[cycle[0]]
        following = cycle[1] if len(cycle) > 1 else cycle[0]
        field = next(r.field for r in manifest.requires if r.id == following)
        path = " -> ".join((*cycle, cycle[0]))
        findings.add(
            manifest,
            "requires-cycle",
            f"Mods require each other in a circle: {path}.",
            field,
            hint="Remove one of these requirements, or move what is shared into a Mod of its own.",
            subject=path,
            blame=cycle,
        )


def find_cycles(needs: Mapping[str, Sequence[str]], most: int) -> list[tuple[str, ...]]:
    """The cycles of a graph, each once and beginning with its smallest name; at most ``most`` of them.

    The search is bounded, so a dense graph gives up some of its cycles but never the time of the start.
    """
    found: list[tuple[str, ...]] = []
    steps = 0
    for start in sorted(needs):
        back = _reaching(needs, start)
        path = [start]
        branches = [iter(needs[start])]
        while branches and len(found) < most and steps < _MOST_STEPS:
            steps += 1
            step = next(branches[-1], None)
            if step is None:
                branches.pop()
                path.pop()
            elif step == start:
                found.append(tuple(path))
            elif step > start and step in back and step not in path:
                path.append(step)
                branches.append(iter(needs[step]))
    return found


def _reaching(needs: Mapping[str, Sequence[str]], goal: str) -> set[str]:
    """The names from which ``goal`` can be reached through names not smaller than it."""
    sources: dict[str, list[str]] = {}
    for name, others in needs.items():
        for other in others:
            sources.setdefault(other, []).append(name)
    reached: set[str] = set()
    waiting = [goal]
    while waiting:
        for name in sources.get(waiting.pop(), ()):
            if name >= goal and name not in reached:
                reached.add(name)
                waiting.append(name)
    return reached


def dependents(manifests: Iterable[ModManifest], roots: Mapping[str, str]) -> dict[str, str]:
    """The Mods that cannot run without those in ``roots`` (id to reason), each with its chain of reasons."""
    lost = dict(roots)
    requiring: dict[str, list[str]] = {}
    for manifest in manifests:
        for requirement in manifest.requires:
            if not requirement.optional:
                requiring.setdefault(requirement.id, []).append(manifest.id)
    waiting = sorted(roots)
    while waiting:
        mod_id = waiting.pop(0)
        for other in sorted(requiring.get(mod_id, ())):
            if other not in lost:
                lost[other] = f"it requires '{mod_id}' ({lost[mod_id]})"
                waiting.append(other)
    return {mod_id: reason for mod_id, reason in lost.items() if mod_id not in roots}
