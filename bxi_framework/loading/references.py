"""Checks the names that manifests use of each other: states, events, profiles, node dependencies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.loading.findings import Findings
from bxi_framework.manifest.mod import ModManifest, TransitionRef
from bxi_framework.manifest.names import owner_of


@dataclass(frozen=True, slots=True)
class Names:
    """Every full name that exists, by kind, and what is known of the Mods that own them.

    ``broken`` are the ids of Mods whose manifests have faults: what they declare may be incomplete.
    """

    states: Collection[str]
    events: Collection[str]
    transition_profiles: Collection[str]
    speed_profiles: Collection[str]
    nodes: Collection[str]
    mods: Collection[str]
    broken: Collection[str]


def collect_names(
    manifests: Iterable[ModManifest], system_profiles: Iterable[str], broken: Collection[str]
) -> Names:
    """The names of all discovered Mods, disabled ones too, and the system-wide transition profiles."""
    states: set[str] = set()
    events: set[str] = set()
    transitions = set(system_profiles)
    speeds: set[str] = set()
    nodes: set[str] = set()
    mods: set[str] = set()
    for manifest in manifests:
        mods.add(manifest.id)
        states.update([state.name for state in manifest.states])
        events.update([event.name for event in manifest.events])
        for transition in manifest.transition_profiles:
            transitions.add(transition.name)
        for speed in manifest.speed_profiles:
            speeds.add(speed.name)
        for node in manifest.nodes:
            nodes.add(node.name)
    return Names(states, events, transitions, speeds, nodes, mods, broken)


class ReferenceCheck:
    """Checks the references of one manifest."""

    __slots__ = ("_allowed", "_findings", "_manifest", "_names")

    def __init__(self, manifest: ModManifest, names: Names, findings: Findings) -> None:
        self._manifest = manifest
        self._names = names
        self._findings = findings
        self._allowed = {manifest.id, *(requirement.id for requirement in manifest.requires)}

    def run(self) -> None:
        """Check all references; each that leads nowhere or needs a requirement is an error."""
        names = self._names
        for route in self._manifest.routes:
            self._check(route.source, names.states, "route-unknown-source", "state", route.field, "from")
            self._check(route.target, names.states, "route-unknown-target", "state", route.field, "to")
            if route.event is not None:
                self._check(route.event, names.events, "route-unknown-event", "event", route.field, "event")
            if route.transition is not None:
                self._check_transition(route.transition, route.field)
        for action in self._manifest.actions:
            self._check(action.source, names.states, "action-unknown-source", "state", action.field, "from")
            self._check(action.event, names.events, "action-unknown-event", "event", action.field, "event")
        for state in self._manifest.states:
            if state.speed_profile is not None:
                code = "state-unknown-speed-profile"
                self._check(
                    state.speed_profile,
                    names.speed_profiles,
                    code,
                    "speed profile",
                    state.field,
                    "speed_profile",
                )
        for node in self._manifest.nodes:
            for index, other in enumerate(node.depends_on):
                field = f"depends_on[{index}]"
                self._check(other, names.nodes, "node-unknown-dependency", "node", node.field, field)

    def _check_transition(self, transition: TransitionRef, field: str) -> None:
        if transition.profile is not None:
            known = self._names.transition_profiles
            code = "route-unknown-transition"
            self._check(transition.profile, known, code, "transition profile", field, "transition")

    def _check(self, name: str, known: Collection[str], code: str, kind: str, field: str, key: str) -> None:
        owner = name.partition("/")[0] if "/" in name else ""
        if name in known:
            if owner and owner not in self._allowed:
                self._report_stranger(name, owner, kind, f"{field}.{key}")
            return
        if owner in self._names.broken or (owner in self._allowed and owner not in self._names.mods):
            return
        self._findings.add(
            self._manifest,
            code,
            f"There is no {kind} '{_as_written(name, self._manifest.id)}'.",
            f"{field}.{key}",
            hint=did_you_mean(name, _shown(known, owner, self._manifest.id)),
            subject=name,
        )

    def _report_stranger(self, name: str, owner: str, kind: str, field: str) -> None:
        self._findings.add(
            self._manifest,
            "reference-without-requires",
            f"The {kind} '{name}' belongs to '{owner}', which this Mod does not require.",
            field,
            hint=f"Add '{owner}' to 'requires'.",
            subject=name,
        )


def _as_written(name: str, mod_id: str) -> str:
    return name.partition("/")[2] if owner_of(name) == mod_id else name


def _shown(known: Collection[str], owner: str, mod_id: str) -> list[str]:
    """The names to choose from: those of the Mod that was named, if it has any, else all."""
    of_owner = [name for name in known if owner_of(name) == owner] if owner and owner != mod_id else []
    return of_owner or sorted(known)


def without_absent(manifest: ModManifest, enabled: Collection[str]) -> ModManifest:
    """The manifest without the routes and actions that name an optional requirement that does not run."""
    absent = {r.id for r in manifest.requires if r.optional and r.id not in enabled}
    if not absent:
        return manifest
    return replace(
        manifest,
        routes=tuple(
            route
            for route in manifest.routes
            if not absent & {owner_of(route.source), owner_of(route.target), owner_of(route.event or "")}
        ),
        actions=tuple(
            action
            for action in manifest.actions
            if not absent & {owner_of(action.source), owner_of(action.event)}
        ),
    )


def check_uses(
    everything: Iterable[ModManifest],
    mentioned: Collection[str],
    findings: Findings,
    disabled: Mapping[str, str],
) -> None:
    """Every event must be used by a route or an action of some discovered Mod; an unused speed profile is a
    warning.
    """
    everything = tuple(everything)
    used = set(mentioned)
    speeds = set()
    for manifest in everything:
        used.update([route.event for route in manifest.routes if route.event is not None])
        for action in manifest.actions:
            used.add(action.event)
        for state in manifest.states:
            speeds.add(state.speed_profile)
    for manifest in everything:
        for event in manifest.events:
            if event.name not in used:
                findings.add(
                    manifest,
                    "event-unused",
                    f"No route and no action uses the event '{event.name}'.",
                    event.field,
                    hint="Add a route or an action for it, or remove it.",
                    subject=event.name,
                )
        if manifest.id in disabled:
            continue
        for profile in manifest.speed_profiles:
            if profile.name not in speeds:
                findings.add(
                    manifest,
                    "speed-profile-unused",
                    f"No state uses the speed profile '{profile.name}'.",
                    profile.field,
                    hint="Name it in a state's 'speed_profile', or remove it.",
                    subject=profile.name,
                    warning=True,
                )
