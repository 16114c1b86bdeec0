"""Checks the names that manifests use of each other: states, events, profiles, node dependencies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.diagnostics.nearest import nearest
from bxi_framework.loading.findings import Findings
from bxi_framework.manifest.mod import ModManifest, NodeDecl, RouteDecl
from bxi_framework.manifest.names import owner_of

MOST_HINTS: Final = 100
"""For how many names of one manifest the nearest valid one is looked for."""


@dataclass(frozen=True, slots=True)
class Names:
    """Every full name that exists, by kind, and what is known of the Mods that own them.

    ``torn`` are the ids of Mods that may declare more than could be read.
    """

    states: Collection[str]
    events: Collection[str]
    transition_profiles: Collection[str]
    speed_profiles: Collection[str]
    nodes: Collection[str]
    mods: Collection[str]
    torn: Collection[str]


def collect_names(
    manifests: Iterable[ModManifest],
    system_profiles: Iterable[str],
    torn: Collection[str],
    declared: Mapping[str, Collection[str]],
) -> Names:
    """The names of all discovered Mods, disabled ones too, and the system-wide transition profiles.

    ``declared`` are further names by the block of the manifest, of entries that have faults.
    """
    states = set(declared.get("states", ()))
    events = set(declared.get("events", ()))
    transitions = {*system_profiles, *declared.get("transition_profiles", ())}
    speeds = set(declared.get("speed_profiles", ()))
    nodes = set(declared.get("nodes", ()))
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
    return Names(states, events, transitions, speeds, nodes, mods, torn)


class Reference(NamedTuple):
    """A full name that a manifest uses: what ``kind`` of thing it names, the code if there is none, and
    where it stands.
    """

    name: str
    kind: str
    code: str
    field: str


def references(manifest: ModManifest) -> Iterator[Reference]:
    """Every name that a manifest uses, its own and others'."""
    for route in manifest.routes:
        yield Reference(route.source, "state", "route-unknown-source", f"{route.field}.from")
        yield Reference(route.target, "state", "route-unknown-target", f"{route.field}.to")
        if route.event is not None:
            yield Reference(route.event, "event", "route-unknown-event", f"{route.field}.event")
        if route.transition is not None and route.transition.profile is not None:
            field, code = f"{route.field}.transition", "route-unknown-transition"
            yield Reference(route.transition.profile, "transition profile", code, field)
    for action in manifest.actions:
        yield Reference(action.source, "state", "action-unknown-source", f"{action.field}.from")
        yield Reference(action.event, "event", "action-unknown-event", f"{action.field}.event")
    for state in manifest.states:
        if state.speed_profile is not None:
            field, code = f"{state.field}.speed_profile", "state-unknown-speed-profile"
            yield Reference(state.speed_profile, "speed profile", code, field)
    for node in manifest.nodes:
        for index, other in enumerate(node.depends_on):
            yield Reference(other, "node", "node-unknown-dependency", f"{node.field}.depends_on[{index}]")
        for index, name in enumerate(node.states):
            yield Reference(name, "state", "node-unknown-state", f"{node.field}.states[{index}]")


class ReferenceCheck:
    """Checks the references of one manifest."""

    __slots__ = ("_allowed", "_findings", "_hints_left", "_manifest", "_names")

    def __init__(self, manifest: ModManifest, names: Names, findings: Findings) -> None:
        self._manifest = manifest
        self._names = names
        self._findings = findings
        self._allowed = {manifest.id, *(requirement.id for requirement in manifest.requires)}
        self._hints_left = MOST_HINTS

    def run(self) -> None:
        """Check all references; each that leads nowhere or needs a requirement is an error."""
        known = {
            "state": self._names.states,
            "event": self._names.events,
            "transition profile": self._names.transition_profiles,
            "speed profile": self._names.speed_profiles,
            "node": self._names.nodes,
        }
        for reference in references(self._manifest):
            self._check(reference, known[reference.kind])

    def _check(self, reference: Reference, known: Collection[str]) -> None:
        name, kind, code, field = reference
        owner = name.partition("/")[0] if "/" in name else ""
        if name in known:
            if owner and owner not in self._allowed:
                self._report_stranger(name, owner, kind, field)
            return
        if owner in self._names.torn or (owner in self._allowed and owner not in self._names.mods):
            return
        self._findings.add(
            self._manifest,
            code,
            f"There is no {kind} '{_as_written(name, self._manifest.id)}'.",
            field,
            hint=self._hint(name, owner, known),
            subject=name,
        )

    def _hint(self, name: str, owner: str, known: Collection[str]) -> str | None:
        """The nearest name of the Mod that was named, else of those that may be named, else of any; None
        after many: finding it takes time.
        """
        self._hints_left -= 1
        if self._hints_left < 0:
            return None
        mod_id = self._manifest.id
        of_owner = [other for other in known if owner_of(other) == owner]
        if of_owner and nearest(name, of_owner) is not None:
            choice = of_owner
        elif owner and owner not in self._names.mods:
            choice = list(known)
        else:
            choice = [other for other in known if owner_of(other) in ("", *self._allowed)]
        return did_you_mean(_as_written(name, mod_id), [_as_written(other, mod_id) for other in choice])

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


def without_absent(manifest: ModManifest, enabled: Collection[str]) -> ModManifest:
    """The manifest without what names an optional requirement that does not run: routes, actions, speed
    profiles, and what nodes wait for. A node that would run in its states alone falls away as well.
    """
    absent = {r.id for r in manifest.requires if r.optional and r.id not in enabled}
    if not absent:
        return manifest
    return replace(
        manifest,
        states=tuple(
            replace(state, speed_profile=None) if owner_of(state.speed_profile or "") in absent else state
            for state in manifest.states
        ),
        routes=tuple(route for route in manifest.routes if not absent & _owners(route)),
        actions=tuple(
            action
            for action in manifest.actions
            if not absent & {owner_of(action.source), owner_of(action.event)}
        ),
        nodes=tuple(_nodes_without(manifest, absent)),
    )


def _owners(route: RouteDecl) -> set[str]:
    """The Mods whose names a route uses."""
    profile = route.transition.profile if route.transition is not None else None
    return {owner_of(name or "") for name in (route.source, route.target, route.event, profile)}


def _nodes_without(manifest: ModManifest, absent: Collection[str]) -> Iterator[NodeDecl]:
    for node in manifest.nodes:
        depends_on = tuple(name for name in node.depends_on if owner_of(name) not in absent)
        states = tuple(name for name in node.states if owner_of(name) not in absent)
        if states or not node.states:
            yield replace(node, depends_on=depends_on, states=states)


def check_uses(
    everything: Iterable[ModManifest],
    mentioned: Collection[str],
    findings: Findings,
    disabled: Mapping[str, str],
) -> None:
    """Every event must be used by a route or an action of some discovered Mod; an unused speed profile is a
    warning. ``mentioned`` are events that manifests with faults use.
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
