"""From candidates to an ordered set of Mods that fit together; pure, and no Mod code runs.

All faults of all Mods come back at once. What a fault means is decided last: it stops the start, or, for a
disabled Mod and with ``on_mod_error: skip``, it is a warning and the Mod stays out together with all that
need it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bxi_framework.diagnostics import Diagnostic, Report, Severity
from bxi_framework.loading.availability import missing_requirements
from bxi_framework.loading.dependencies import check_api, check_conflicts, check_requirement, load_order
from bxi_framework.loading.discover import Candidates
from bxi_framework.loading.exports import check_exports, check_shared_exports
from bxi_framework.loading.findings import Findings, as_warning
from bxi_framework.loading.look_alikes import check_look_alikes
from bxi_framework.loading.losses import followers, reasons, tell_held_back, tell_left_out, tell_unavailable
from bxi_framework.loading.motions import check_motions
from bxi_framework.loading.node_files import check_candidates, check_node_files
from bxi_framework.loading.node_graph import (
    check_node_graph,
    nodes_of_states,
    unavailable_nodes,
    without_nodes,
)
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
from bxi_framework.loading.stray_imports import check_imports
from bxi_framework.loading.vendor import vendor_folders
from bxi_framework.loading.vendor_checks import check_vendor
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.names import owner_of
from bxi_framework.manifest.system import DEFAULT_PROFILES, SystemConfig

UNREADABLE: Final = "its manifest cannot be read"


@dataclass(frozen=True, slots=True)
class Resolution:
    """The Mods that run, in load order, and why others do not.

    ``manifests`` carry the configuration's parameters and lack what depends on absent optional Mods and the
    ``unavailable_nodes`` (full name to reason). ``sound`` is False if anything stops the start; then no Mod
    code may run. ``state_ids`` and ``ui_index`` are by full state name, and so are ``state_nodes``: the nodes
    that run only in some states, unavailable ones too.
    """

    manifests: tuple[ModManifest, ...]
    disabled: Mapping[str, str]
    unavailable: Mapping[str, str]
    left_out: Mapping[str, str]
    state_ids: Mapping[str, int]
    ui_index: Mapping[str, int]
    config: SystemConfig | None
    sound: bool = True
    unavailable_nodes: Mapping[str, str] = field(default_factory=dict)
    state_nodes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

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
    lacking = _lacking(pool, findings)
    _check_each(pool, findings)
    check_look_alikes(pool.known, findings)
    check_conflicts(pool.enabled, findings)
    ordered = load_order(pool.enabled, findings)
    check_shared_exports(ordered, findings)
    check_imports(ordered, check_vendor(ordered, findings), findings)
    names = _check_names(pool, ordered, config, findings)
    check_motions(ordered, config, findings)
    check_node_graph(ordered, findings)
    nodes = unavailable_nodes(ordered, findings)

    lost = followers(pool.enabled, lacking)
    tell_unavailable(pool.known, lost, findings)
    unavailable = {**lacking, **reasons(lost)}
    left_out = _left_out(pool, unavailable, config, findings)
    running = _running(ordered, unavailable.keys() | left_out.keys(), config, nodes)
    ids = {manifest.id for manifest in running}
    state_ids = assign_ids(running, Findings())
    if config is not None:
        unread = dict.fromkeys(pool.unreadable, UNREADABLE)
        why = {**unread, **pool.disabled, **unavailable, **left_out}
        check_entered_states(config, state_ids, names.states, names.mods, why, findings, pool.unreadable)
    harmless_files = pool.unreadable.values() if _skips(config) else pool.harmless_files
    sound = _deliver(findings.found, report, {*pool.disabled, *left_out}, set(harmless_files))
    return Resolution(
        running,
        pool.disabled,
        unavailable,
        left_out,
        state_ids,
        assign_places(running, Findings()),
        config,
        sound and report.ok,
        {name: reason for name, reason in nodes.items() if owner_of(name) in ids},
        nodes_of_states(manifest for manifest in ordered if manifest.id in ids),
    )


def narrow(resolution: Resolution, failed: Mapping[str, str], report: Report) -> Resolution:
    """The resolution without Mods whose code has failed (id to reason) and without all that need them."""
    roots = _roots(resolution, failed)
    losses = followers(resolution.manifests, roots)
    lost = {**roots, **reasons(losses)}
    running = _running(resolution.manifests, lost, None, {})
    findings = Findings()
    state_ids = assign_ids(running, findings)
    known = {manifest.id: manifest for manifest in resolution.manifests}
    tell_left_out(known, roots, losses, {}, findings)
    if resolution.config is not None:
        every = {state.name for manifest in resolution.manifests for state in manifest.states}
        check_entered_states(resolution.config, state_ids, every, known, lost, findings)
    sound = _deliver(findings.found, report, ())
    return replace(
        resolution,
        manifests=running,
        left_out={**resolution.left_out, **lost},
        state_ids=state_ids,
        ui_index=assign_places(running, findings),
        sound=resolution.sound and sound,
        unavailable_nodes={
            n: why for n, why in resolution.unavailable_nodes.items() if owner_of(n) not in lost
        },
        state_nodes={
            state: tuple(name for name in names if owner_of(name) not in lost)
            for state, names in resolution.state_nodes.items()
        },
    )


def hold_back(resolution: Resolution, failed: Mapping[str, str], report: Report) -> None:
    """Say which Mods wait for those whose code has failed (id to reason), where that stops the start."""
    findings = Findings()
    known = {manifest.id: manifest for manifest in resolution.manifests}
    tell_held_back(known, followers(resolution.manifests, _roots(resolution, failed)), {}, findings)
    report.extend(findings.found)


def _roots(resolution: Resolution, failed: Mapping[str, str]) -> dict[str, str]:
    """The failed Mods without those that failed only because they require another of them."""
    needs = {m.id: [r.id for r in m.requires if not r.optional] for m in resolution.manifests}
    return {
        mod_id: reason
        for mod_id, reason in failed.items()
        if not any(other in failed for other in needs.get(mod_id, ()))
    }


def _skips(config: SystemConfig | None) -> bool:
    return config is not None and config.on_mod_error == "skip"


def _lacking(pool: Pool, findings: Findings) -> dict[str, str]:
    """The Mods whose runtime requirements this machine does not meet, each with a warning for every one."""
    lacking: dict[str, str] = {}
    for manifest in pool.enabled:
        if not (manifest.required_imports or manifest.required_packages or manifest.required_libraries):
            continue
        required = [pool.known[r.id] for r in manifest.requires if r.id in pool.known]
        exports = {name for mod in (manifest, *required) for name in mod.python_exports}
        for place, reason in missing_requirements(manifest, exports, vendor_folders(manifest.root)):
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


def _check_each(pool: Pool, findings: Findings) -> None:
    """Check every Mod that is to run against the framework, its own files and the Mods that it requires."""
    for manifest in pool.enabled:
        check_api(manifest, findings)
        check_exports(manifest, findings)
        for requirement in manifest.requires:
            check_requirement(manifest, requirement, pool.known, pool.unreadable, pool.disabled, findings)
        check_candidates(manifest, findings)
        for node in manifest.nodes:
            check_node_files(manifest, node, findings)


def _check_names(
    pool: Pool, ordered: Sequence[ModManifest], config: SystemConfig | None, findings: Findings
) -> Names:
    """Check every name that manifests and configuration use, and what clashes between Mods."""
    profiles = config.transition_profiles if config is not None else DEFAULT_PROFILES
    names = collect_names(
        pool.known.values(), [profile.name for profile in profiles], pool.torn, pool.declared
    )
    for manifest in pool.enabled:
        ReferenceCheck(manifest, names, findings).run()
    if not pool.blind:
        check_uses(pool.known.values(), pool.mentioned, findings, pool.disabled)
    check_reactions(ordered, findings)
    assign_ids(ordered, findings)
    assign_places(ordered, findings)
    if not pool.faulty:
        check_reached(ordered, entered_states(config), findings)
    if config is not None:
        check_configured_names(config, pool.known, names, findings)
    return names


def _running(
    ordered: Iterable[ModManifest],
    gone: Collection[str],
    config: SystemConfig | None,
    gone_nodes: Mapping[str, str],
) -> tuple[ModManifest, ...]:
    running = tuple(without_nodes(manifest, gone_nodes) for manifest in ordered if manifest.id not in gone)
    if config is not None:
        running = with_configured_params(running, config)
    ids = {manifest.id for manifest in running}
    return tuple(without_absent(manifest, ids) for manifest in running)


def _left_out(
    pool: Pool, unavailable: Collection[str], config: SystemConfig | None, findings: Findings
) -> dict[str, str]:
    """The Mods that stay out because of an error, and all that need them; none if an error stops the start,
    but those that wait for a faulty one are told of all the same.
    """
    ids = {manifest.id for manifest in pool.enabled}
    blamed = {mod_id: reason for mod_id, reason in findings.blamed.items() if mod_id in ids}
    unread = {mod_id: UNREADABLE for mod_id in pool.unreadable if mod_id not in pool.disabled}
    losses = followers(pool.enabled, {**blamed, **unread})
    if not _skips(config):
        waiting = {mod_id: loss for mod_id, loss in losses.items() if mod_id not in unavailable}
        tell_held_back(pool.known, waiting, pool.unreadable, findings)
        return {}
    tell_left_out(pool.known, blamed, losses, pool.unreadable, findings)
    return {**blamed, **reasons(losses)}


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
