"""Orders diagnostics for a person: by root cause, what follows from it folded, the weightiest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bxi_framework.diagnostics.fault import Diagnostic, Severity


@dataclass(frozen=True, slots=True)
class Group:
    """What is told together: the diagnostics of one Mod or file.

    ``followers`` are the Mods that only fail because of it, ``same`` are other Mods about which exactly the
    same is to be said; neither are told about one by one.
    """

    title: str
    told: tuple[Diagnostic, ...]
    followers: tuple[str, ...] = ()
    same: tuple[str, ...] = ()

    @property
    def has_error(self) -> bool:
        """True if something here stops the start."""
        return any(diagnostic.severity is Severity.ERROR for diagnostic in self.told)


def digest(diagnostics: Sequence[Diagnostic]) -> list[Group]:
    """The groups: those with an error first, of these the ones that most Mods wait for."""
    roots = _roots(diagnostics)
    members: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        members.setdefault(_root_of(diagnostic, roots), []).append(diagnostic)
    groups = _merged([_group(title, found) for title, found in members.items()])
    return sorted(groups, key=lambda group: (not group.has_error, -len(group.followers)))


def _key(diagnostic: Diagnostic) -> str:
    return diagnostic.mod or diagnostic.file or "In general"


def _roots(diagnostics: Iterable[Diagnostic]) -> dict[str, str]:
    """For every Mod that only follows, the cause; a Mod with a fault of its own follows nobody."""
    own = {_key(diagnostic) for diagnostic in diagnostics if diagnostic.cause is None}
    causes: dict[str, str] = {}
    for diagnostic in diagnostics:
        if diagnostic.cause is not None and diagnostic.mod is not None and diagnostic.mod not in own:
            causes.setdefault(diagnostic.mod, diagnostic.cause)
    return causes


def _root_of(diagnostic: Diagnostic, causes: Mapping[str, str]) -> str:
    """The Mod or file at the start of the chain that led to a diagnostic."""
    root = diagnostic.cause or _key(diagnostic)
    seen = {root}
    while root in causes and causes[root] not in seen:
        root = causes[root]
        seen.add(root)
    return root


def _group(title: str, found: Sequence[Diagnostic]) -> Group:
    """Fold what follows. Where the cause itself has nothing to say, since it is not even there, or nothing
    that stops the start, the first that misses it speaks.
    """
    told = [diagnostic for diagnostic in found if diagnostic.cause is None or diagnostic.mod is None]
    folded = [
        diagnostic for diagnostic in found if diagnostic.cause is not None and diagnostic.mod is not None
    ]
    absent = all(diagnostic.cause is not None for diagnostic in told)
    stopping = next((diagnostic for diagnostic in folded if diagnostic.severity is Severity.ERROR), None)
    harmless = not any(diagnostic.severity is Severity.ERROR for diagnostic in told)
    if folded and (absent or (harmless and stopping is not None)):
        told.insert(0, stopping or folded[0])
    named = {diagnostic.mod for diagnostic in told}
    followers = dict.fromkeys(d.mod for d in folded if d.mod is not None and d.mod not in named)
    told.sort(key=lambda diagnostic: diagnostic.severity is not Severity.ERROR)
    return Group(title, tuple(told), tuple(followers))


def _merged(groups: Iterable[Group]) -> list[Group]:
    """Put groups of Mods together about which the same single sentence is to be said."""
    places: dict[tuple[str, str, str | None, Severity], int] = {}
    merged: list[Group] = []
    for group in groups:
        only = group.told[0]
        if len(group.told) == 1 and only.mod is not None and not group.followers:
            place = places.setdefault((only.code, only.message, only.hint, only.severity), len(merged))
            if place < len(merged):
                merged[place] = replace(merged[place], same=(*merged[place].same, group.title))
                continue
        merged.append(group)
    return merged
