"""From candidates to an ordered set of Mods that fit together; pure, and no Mod code runs.

All faults of all Mods come back at once. What a fault means is decided last: it stops the start, or, for a
disabled Mod and with ``on_mod_error: skip``, it is a warning and the Mod stays out together with all that
need it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bxi_framework.diagnostics import Diagnostic, Report, Severity
from bxi_framework.loading.availability import missing_requirements
from bxi_framework.loading.dependencies import (
    check_api,
    check_conflicts,
    check_requirement,
    dependents,
    load_order,
)
from bxi_framework.loading.discover import Candidates
from bxi_framework.loading.exports import check_exports, check_shared_exports
from bxi_framework.loading.findings import Findings, as_warning
from bxi_framework.loading.ordering import assign_ids, assign_places
from bxi_framework.loading.pool import Pool, make_pool
from bxi_framework.loading.reactions import check_reached, check_reactions
from bxi_framework.loading.references import Names, ReferenceCheck, check_uses, collect_names, without_absent
from bxi_framework.loading.selection import (
    check_configured_names,
    check_entered_states,
    entered_states,
    with_configured_params,
)
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.system import DEFAULT_PROFILES, SystemConfig

UNREADABLE: Final = "its manifest cannot be read"


@dataclass(frozen=True, slots=True)
class Resolution:
    """The Mods that run, in load order, and why others do not.

    ``manifests`` carry the configuration's parameters and lack what depends on absent optional Mods.
    ``sound`` is False if anything stops the start; then no Mod code may run. ``state_ids`` and ``ui_index``
    are by full state name.
    """

    manifests: tuple[ModManifest, ...]
    disabled: Mapping[str, str]
    unavailable: Mapping[str, str]
    left_out: Mapping[str, str]
    state_ids: Mapping[str, int]
    ui_index: Mapping[str, int]
    config: SystemConfig | None
    sound: bool = True

    @property
    def skips_faulty(self) -> bool:
        """True if a faulty Mod is left out instead of stopping the start."""
        return _skips(self.config)


def resolve(candidates: Candidates, config: SystemConfig | None, report: Report) -> Resolution:
    """Check everything that can be known without running Mod code, and put the Mods in order.

    Without a configuration every Mod counts as selected, and no state is entered at the start.
    """
    findings = Findings()
    pool = make_pool(candidates, config, findings)
    lacking = _lacking(pool.enabled, findings)
    for manifest in pool.enabled:
        check_api(manifest, findings)
        check_exports(manifest, findings)
        for requirement in manifest.requires:
            check_requirement(manifest, requirement, pool.known, pool.unreadable, pool.disabled, findings)
    check_conflicts(pool.enabled, findings)
    ordered = load_order(pool.enabled, findings)
    check_shared_exports(ordered, findings)
    names = _check_names(pool, ordered, config, findings)

    unavailable = {**lacking, **dependents(pool.enabled, lacking)}
    left_out = _left_out(pool, findings) if _skips(config) else {}
    running = _running(ordered, unavailable.keys() | left_out.keys(), config)
    state_ids = assign_ids(running, Findings())
    if config is not None:
        unread = dict.fromkeys(pool.unreadable, UNREADABLE)
        reasons = {**unread, **pool.disabled, **unavailable, **left_out}
        check_entered_states(config, state_ids, names.states, reasons, findings)
    _tell_lost(
        pool.known, {mod_id: unavailable[mod_id] for mod_id in unavailable if mod_id not in lacking}, findings
    )
    _tell_lost(pool.known, left_out, findings, left_out=True)
    harmless = {*pool.disabled, *left_out}
    sound = _deliver(findings.found, report, harmless, pool.unreadable_files if _skips(config) else ())
    return Resolution(
        running,
        pool.disabled,
        unavailable,
        left_out,
        state_ids,
        assign_places(running, Findings()),
        config,
        sound and report.ok,
    )


def narrow(resolution: Resolution, failed: Mapping[str, str], report: Report) -> Resolution:
    """The resolution without Mods whose code has failed (id to reason) and without all that need them."""
    lost = {**failed, **dependents(resolution.manifests, failed)}
    running = _running(resolution.manifests, lost, None)
    findings = Findings()
    state_ids = assign_ids(running, findings)
    if resolution.config is not None:
        every = {state.name for manifest in resolution.manifests for state in manifest.states}
        check_entered_states(resolution.config, state_ids, every, lost, findings)
    known = {manifest.id: manifest for manifest in resolution.manifests}
    _tell_lost(known, lost, findings, left_out=True)
    sound = _deliver(findings.found, report, ())
    return replace(
        resolution,
        manifests=running,
        left_out={**resolution.left_out, **lost},
        state_ids=state_ids,
        ui_index=assign_places(running, findings),
        sound=resolution.sound and sound,
    )


def _skips(config: SystemConfig | None) -> bool:
    return config is not None and config.on_mod_error == "skip"


def _lacking(enabled: Sequence[ModManifest], findings: Findings) -> dict[str, str]:
    """The Mods whose runtime requirements this machine does not meet, each with a warning for every one."""
    lacking: dict[str, str] = {}
    for manifest in enabled:
        if not (manifest.required_imports or manifest.required_packages or manifest.required_libraries):
            continue
        for place, reason in missing_requirements(manifest):
            lacking.setdefault(manifest.id, reason)
            findings.add(
                manifest,
                "mod-unavailable",
                f"'{manifest.id}' is unavailable: {reason}.",
                place,
                hint="Install it to use this Mod.",
                subject=manifest.id,
                warning=True,
            )
    return lacking


def _check_names(
    pool: Pool, ordered: Sequence[ModManifest], config: SystemConfig | None, findings: Findings
) -> Names:
    """Check every name that manifests and configuration use, and what clashes between Mods."""
    profiles = config.transition_profiles if config is not None else DEFAULT_PROFILES
    names = collect_names(pool.known.values(), [profile.name for profile in profiles], pool.broken)
    for manifest in pool.enabled:
        ReferenceCheck(manifest, names, findings).run()
    if not pool.unreadable:
        check_uses(pool.known.values(), pool.mentioned, findings, pool.disabled)
    check_reactions(ordered, findings)
    assign_ids(ordered, findings)
    assign_places(ordered, findings)
    check_reached(ordered, entered_states(config), findings)
    if config is not None:
        check_configured_names(config, pool.known, names, findings)
    return names


def _running(
    ordered: Iterable[ModManifest], gone: Collection[str], config: SystemConfig | None
) -> tuple[ModManifest, ...]:
    running = tuple(manifest for manifest in ordered if manifest.id not in gone)
    if config is not None:
        running = with_configured_params(running, config)
    ids = {manifest.id for manifest in running}
    return tuple(without_absent(manifest, ids) for manifest in running)


def _left_out(pool: Pool, findings: Findings) -> dict[str, str]:
    """The Mods that stay out because of an error, and all that need them."""
    ids = {manifest.id for manifest in pool.enabled}
    blamed = {mod_id: reason for mod_id, reason in findings.blamed.items() if mod_id in ids}
    unread = dict.fromkeys(pool.unreadable, UNREADABLE)
    return {**blamed, **dependents(pool.enabled, {**blamed, **unread})}


def _tell_lost(
    known: Mapping[str, ModManifest], lost: Mapping[str, str], findings: Findings, *, left_out: bool = False
) -> None:
    """Say of each Mod that does not run why; ``lost`` maps ids to reasons."""
    for mod_id in sorted(lost):
        what = "is left out" if left_out else "is unavailable"
        findings.add(
            known[mod_id],
            "mod-left-out" if left_out else "mod-unavailable",
            f"'{mod_id}' {what}: {lost[mod_id].rstrip('.')}.",
            "id",
            subject=mod_id,
            warning=True,
        )


def _deliver(
    found: Iterable[Diagnostic], report: Report, mods: Collection[str], files: Collection[str] = ()
) -> bool:
    """Report the findings, those of ``mods`` and ``files`` as warnings; True if none stops the start."""
    sound = True
    for diagnostic in found:
        harmless = diagnostic.mod in mods if diagnostic.mod is not None else diagnostic.file in files
        if harmless and diagnostic.severity is Severity.ERROR:
            diagnostic = as_warning(diagnostic)
        sound = sound and diagnostic.severity is not Severity.ERROR
        report.add(diagnostic)
    return sound
