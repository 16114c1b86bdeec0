"""The order of extensions: dependencies first, ties by id; the order of the manifest has no meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol, TypeVar

from bxi_framework.diagnostics import Report, did_you_mean
from bxi_framework.loading.cycles import find_cycles
from bxi_framework.simulation.identity import ExtensionIdentity
from bxi_framework.simulation.registry import Owner

_MOST_CYCLES: Final = 3


class HasIdentity(Protocol):
    """An extension of a build."""

    @property
    def identity(self) -> ExtensionIdentity:
        """Who it is."""

    @property
    def owner(self) -> Owner:
        """Where it was declared."""


M = TypeVar("M", bound=HasIdentity)


def ordered(members: Mapping[str, M], report: Report) -> list[M]:
    """The extensions in the order of both phases.

    Those whose dependencies are not in the build, those in a cycle, and what depends on them are left out;
    the reasons go into the report.
    """
    needs = {key: members[key].identity.dependencies for key in sorted(members)}
    for key, dependencies in needs.items():
        for missing in dependencies:
            if missing not in members:
                report.add(
                    members[key].owner.origin.diagnostic(
                        "extension-missing",
                        f"The extension '{key}' depends on '{missing}', which is not in the build.",
                        f"Add it to the extensions; a dependency is never loaded by itself. "
                        f"{did_you_mean(missing, set(members) - {key})}",
                        subject=missing,
                    )
                )
    inside = {key: [name for name in found if name in members] for key, found in needs.items()}
    for cycle in find_cycles(inside, _MOST_CYCLES):
        way = " → ".join((*cycle, cycle[0]))
        report.add(
            members[cycle[0]].owner.origin.diagnostic(
                "extension-cycle",
                f"Extensions depend on each other in a circle: {way}.",
                "Remove one of these dependencies.",
                subject=cycle[0],
            )
        )
    return [members[key] for key in _sorted_by_needs(needs)]


def _sorted_by_needs(needs: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Always the smallest id whose dependencies are all there already."""
    waiting = dict(needs)
    done: list[str] = []
    while True:
        ready = min(
            (key for key, found in waiting.items() if all(name in done for name in found)), default=None
        )
        if ready is None:
            return done
        done.append(ready)
        del waiting[ready]
