"""Checks that a state reacts to an input in one way: no event twice, no two events on one input."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from bxi_framework.loading.findings import Findings
from bxi_framework.manifest.mod import EventDecl, ModManifest


def check_reactions(manifests: Iterable[ModManifest], findings: Findings) -> None:
    """Look at all routes and actions in load order; the later of two that clash is the one at fault."""
    events: dict[str, EventDecl] = {}
    reactions: list[tuple[ModManifest, str, str, str]] = []
    for manifest in manifests:
        for event in manifest.events:
            events[event.name] = event
        for route in manifest.routes:
            if route.event is not None:
                reactions.append((manifest, route.source, route.event, route.field))
        for action in manifest.actions:
            reactions.append((manifest, action.source, action.event, action.field))
    first: dict[tuple[str, str], tuple[ModManifest, str]] = {}
    inputs: dict[tuple[str, str], dict[int | None, str]] = {}
    for manifest, source, name, field in reactions:
        pair = (source, name)
        if pair in first:
            _report_twice(manifest, field, source, name, first[pair], findings)
            continue
        first[pair] = (manifest, field)
        declared = events.get(name)
        if declared is not None:
            _check_overlap(manifest, field, source, declared, inputs, findings)


def _report_twice(
    manifest: ModManifest,
    field: str,
    source: str,
    event: str,
    earlier: tuple[ModManifest, str],
    findings: Findings,
) -> None:
    owner, place = earlier
    findings.add(
        manifest,
        "reaction-twice",
        f"State '{source}' has more than one reaction to the event '{event}': "
        f"{place} of '{owner.id}' and {field} of '{manifest.id}'.",
        f"{field}.event",
        hint="Keep one route or action for this state and event.",
        subject=event,
    )


def _check_overlap(
    manifest: ModManifest,
    field: str,
    source: str,
    event: EventDecl,
    inputs: dict[tuple[str, str], dict[int | None, str]],
    findings: Findings,
) -> None:
    """Two events of one state overlap on the same slot if their values are equal or one has none."""
    values = inputs.setdefault((source, event.slot), {})
    clash = _overlapping(values, event.value)
    if clash is not None:
        value = "any value" if event.value is None else f"value {event.value}"
        findings.add(
            manifest,
            "event-overlap",
            f"In state '{source}' the events '{clash}' and '{event.name}' fire on the same input, "
            f"{event.slot} with {value}.",
            f"{field}.event",
            hint="Give one of them another slot or value.",
            subject=event.name,
        )
    else:
        values[event.value] = event.name


def _overlapping(values: Mapping[int | None, str], value: int | None) -> str | None:
    if value is None:
        return next(iter(values.values()), None)
    return values.get(value, values.get(None))


def check_reached(manifests: Iterable[ModManifest], entered: Collection[str], findings: Findings) -> None:
    """A state to which no way of routes leads from the ``entered`` ones is a warning.

    If none is entered, because there is no configuration, every state that a route leads to counts as
    reached.
    """
    manifests = tuple(manifests)
    ways: dict[str, set[str]] = {}
    targets: set[str] = set()
    for manifest in manifests:
        for route in manifest.routes:
            ways.setdefault(route.source, set()).add(route.target)
            if route.target != route.source or not entered:
                targets.add(route.target)
    reached = set(entered) or targets
    waiting = list(reached)
    while waiting:
        for target in ways.get(waiting.pop(), ()):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    for manifest in manifests:
        for state in manifest.states:
            if state.name not in reached:
                detour = " from a state that can be reached" if state.name in targets else ""
                findings.add(
                    manifest,
                    "state-unreached",
                    f"No route leads to the state '{state.name}'{detour}.",
                    state.field,
                    hint="Add a route to it, or remove it.",
                    subject=state.name,
                    warning=True,
                )
