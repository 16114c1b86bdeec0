"""What the system configuration says of Mods: which run, with which parameters, and which of their states it
names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.loading.findings import Findings
from bxi_framework.loading.references import Names
from bxi_framework.manifest.mod import ModManifest, NodeDecl, StateDecl
from bxi_framework.manifest.names import owner_of
from bxi_framework.manifest.placeholders import fact_faults_below
from bxi_framework.manifest.system import SystemConfig

NOT_ENABLED: Final = "its manifest says 'enable: false'"
LEFT_OUT: Final = "the configuration leaves it out"


def disabled_mods(
    known: Mapping[str, ModManifest],
    unreadable: Collection[str],
    config: SystemConfig | None,
    findings: Findings,
) -> dict[str, str]:
    """The Mods that do not run by choice, each with the reason: not enabled, left out, or neither selected
    nor required.

    ``unreadable`` are the likely ids of Mods whose manifests cannot be read; only the selection can disable
    those.
    """
    disabled = {mod_id: NOT_ENABLED for mod_id, m in known.items() if not m.enable}
    select = config.mods.select if config is not None else None
    if config is None:
        return disabled
    there = {*known, *unreadable}
    left_out = {mod_id: LEFT_OUT for mod_id in config.mods.leave_out if mod_id in there}
    disabled = {**left_out, **disabled}
    if select is None:
        return disabled
    wanted: set[str] = set()
    waiting = []
    for index, mod_id in enumerate(select):
        if mod_id not in disabled and (mod_id in known or mod_id in unreadable):
            waiting.append(mod_id)
            continue
        missing = mod_id not in known
        hint = "Write 'enable: true' in its manifest."
        if disabled.get(mod_id) == LEFT_OUT:
            hint = "Take it out of 'mods.leave_out', or out of 'mods.select'."
        findings.add_config(
            config,
            "select-unknown-mod" if missing else "select-disabled-mod",
            f"The selected Mod '{mod_id}' is not there."
            if missing
            else f"The selected Mod '{mod_id}' does not run: {disabled[mod_id]}.",
            f"mods.select[{index}]",
            hint=did_you_mean(mod_id, known) if missing else hint,
            subject=mod_id,
        )
    while waiting:
        mod_id = waiting.pop()
        if mod_id in wanted:
            continue
        wanted.add(mod_id)
        if mod_id in known:
            waiting.extend(r.id for r in known[mod_id].requires if not r.optional)
    for mod_id in (*known, *unreadable):
        if mod_id not in wanted:
            disabled.setdefault(mod_id, "the configuration does not select it")
    return disabled


def entered_states(config: SystemConfig | None) -> tuple[str, ...]:
    """The states that the configuration itself enters."""
    if config is None:
        return ()
    park = (config.safe_ending.state,) if config.safe_ending.state is not None else ()
    refuges = tuple(watchdog.state for watchdog in config.watchdogs if watchdog.state is not None)
    return (config.initial_state, config.stop_state, config.fault_state, *park, *refuges)


def without_mods(config: SystemConfig, gone: Collection[str]) -> SystemConfig:
    """The configuration without what it says of these Mods, for a start without them."""
    select, params = config.mods.select, config.mods.params
    kept = None if select is None else tuple(mod_id for mod_id in select if mod_id not in gone)
    others = {mod_id: given for mod_id, given in params.items() if mod_id not in gone}
    return replace(config, mods=replace(config.mods, select=kept, params=others))


def for_safe_start(config: SystemConfig, built_in: Collection[str]) -> SystemConfig:
    """The configuration for a start with the built-in Mods alone.

    What it says of other Mods is passed over. The Mods of the states that it enters are selected too, since
    those that required them may be gone.
    """
    mods = config.mods
    config = without_mods(config, {*(mods.select or ()), *mods.params} - set(built_in))
    if config.mods.select is None:
        return config
    owners = [owner for owner in map(owner_of, entered_states(config)) if owner in built_in]
    select = tuple(dict.fromkeys((*config.mods.select, *owners)))
    return replace(config, mods=replace(config.mods, select=select))


def check_entered_states(
    config: SystemConfig,
    running: Collection[str],
    every: Collection[str],
    mods: Collection[str],
    reasons: Mapping[str, str],
    findings: Findings,
    unreadable: Mapping[str, str] | None = None,
) -> None:
    """The initial, stop, fault and parking states, and those of watchdogs, must be states of Mods that run.

    ``running`` and ``every`` are full state names, ``mods`` the ids of all Mods whose states those are;
    ``reasons`` says why Mods do not run.
    ``unreadable`` maps the likely ids of Mods whose manifests cannot be read to their paths.
    """
    fields = {
        "initial_state": config.initial_state,
        "stop_state": config.stop_state,
        "fault_state": config.fault_state,
        "safe_ending.state": config.safe_ending.state,
        **{f"watchdogs.{watchdog.input}.state": watchdog.state for watchdog in config.watchdogs},
    }
    told: set[str] = set()
    for field, name in fields.items():
        if name is None or name in running or name in told:
            continue
        told.add(name)
        owner = owner_of(name)
        if owner in reasons and (name in every or owner not in mods):
            findings.add_config(
                config,
                "config-state-not-running",
                f"'{field}' names '{name}', but its Mod does not run: {reasons[owner].rstrip('.')}.",
                field,
                hint="Name a state of a Mod that runs, or mend that Mod.",
                subject=name,
                cause=(unreadable or {}).get(owner, owner),
            )
        elif name not in every:
            absent = owner not in mods
            findings.add_config(
                config,
                "config-unknown-state",
                f"'{field}' names '{name}', but the Mod '{owner}' is not there."
                if absent
                else f"'{field}' names '{name}', but there is no such state.",
                field,
                hint="Add that Mod to a Mod folder, or name a state of another one."
                if absent
                else did_you_mean(name, every),
                subject=name,
                cause=owner if absent else None,
            )


def check_configured_names(
    config: SystemConfig, known: Mapping[str, ModManifest], names: Names, findings: Findings
) -> None:
    """Transition profiles and parameter blocks of the configuration must name what exists."""
    for field, transition in (
        ("fault_transition", config.fault_transition),
        ("default_transition", config.default_transition),
    ):
        if transition.profile is not None and transition.profile not in names.transition_profiles:
            findings.add_config(
                config,
                "config-unknown-transition",
                f"'{field}' names the transition profile '{transition.profile}', which does not exist.",
                field,
                hint=did_you_mean(transition.profile, names.transition_profiles),
                subject=transition.profile,
            )
    for mod_id, kinds in config.mods.params.items():
        manifest = known.get(mod_id)
        if manifest is None:
            findings.add_config(
                config,
                "params-unknown-mod",
                f"Parameters are given for '{mod_id}', which is not there.",
                f"mods.params.{mod_id}",
                hint=did_you_mean(mod_id, known),
                subject=mod_id,
            )
            continue
        for kind, entries in kinds.items():
            declared: tuple[StateDecl, ...] | tuple[NodeDecl, ...] = (
                manifest.states if kind == "states" else manifest.nodes
            )
            locals_ = [decl.local for decl in declared]
            for name, values in entries.items():
                if kind == "nodes":
                    _check_placeholders(config, values, f"mods.params.{mod_id}.{kind}.{name}", findings)
                if name not in locals_ and mod_id not in names.torn:
                    findings.add_config(
                        config,
                        "params-unknown-name",
                        f"'{mod_id}' has no {kind[:-1]} '{name}'.",
                        f"mods.params.{mod_id}.{kind}.{name}",
                        hint=did_you_mean(name, locals_),
                        subject=name,
                    )


def _check_placeholders(
    config: SystemConfig, values: Mapping[str, object], field: str, findings: Findings
) -> None:
    """Parameters of nodes are checked here as in a manifest."""
    for path, fault in fact_faults_below(values, field):
        findings.add_config(config, fault.code, fault.message, path, hint=fault.hint, subject=fault.subject)


def with_configured_params(manifests: Sequence[ModManifest], config: SystemConfig) -> tuple[ModManifest, ...]:
    """The manifests with the configuration's parameters laid over their own, parameter by parameter."""
    given = config.mods.params
    if not given:
        return tuple(manifests)
    return tuple(
        _with_params(manifest, given[manifest.id]) if manifest.id in given else manifest
        for manifest in manifests
    )


def _with_params(
    manifest: ModManifest, given: Mapping[str, Mapping[str, Mapping[str, object]]]
) -> ModManifest:
    states, nodes = given.get("states", {}), given.get("nodes", {})
    return replace(
        manifest,
        states=tuple(
            replace(decl, params={**decl.params, **states[decl.local]}) if decl.local in states else decl
            for decl in manifest.states
        ),
        nodes=tuple(
            replace(decl, params={**decl.params, **nodes[decl.local]}) if decl.local in nodes else decl
            for decl in manifest.nodes
        ),
    )
