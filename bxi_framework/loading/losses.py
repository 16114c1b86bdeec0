"""Which Mods fall away because of others, and how that is told."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from bxi_framework.loading.findings import Findings
from bxi_framework.manifest.mod import ModManifest

_SHOWN_AT_EACH_END: Final = 3


@dataclass(frozen=True, slots=True)
class Loss:
    """Why a Mod cannot run although nothing is wrong with it: ``chain`` leads from the Mod that it requires
    to the one that failed, for ``reason``.
    """

    chain: tuple[str, ...]
    reason: str

    @property
    def cause(self) -> str:
        """The Mod that failed."""
        return self.chain[-1]

    def __str__(self) -> str:
        names = [f"'{name}'" for name in self.chain]
        if len(names) > 2 * _SHOWN_AT_EACH_END:
            names[_SHOWN_AT_EACH_END:-_SHOWN_AT_EACH_END] = ["…"]
        return f"it requires {', which requires '.join(names)} ({self.reason.rstrip('.')})"


def followers(manifests: Iterable[ModManifest], roots: Mapping[str, str]) -> dict[str, Loss]:
    """The Mods that cannot run without those in ``roots`` (id to reason)."""
    lost = {mod_id: Loss((), reason) for mod_id, reason in roots.items()}
    requiring: dict[str, list[str]] = {}
    for manifest in manifests:
        for requirement in manifest.requires:
            if not requirement.optional:
                requiring.setdefault(requirement.id, []).append(manifest.id)
    waiting = deque(sorted(roots))
    while waiting:
        mod_id = waiting.popleft()
        for other in sorted(requiring.get(mod_id, ())):
            if other not in lost:
                lost[other] = Loss((mod_id, *lost[mod_id].chain), lost[mod_id].reason)
                waiting.append(other)
    return {mod_id: loss for mod_id, loss in lost.items() if mod_id not in roots}


def reasons(losses: Mapping[str, Loss]) -> dict[str, str]:
    """The reasons as sentences."""
    return {mod_id: str(loss) for mod_id, loss in losses.items()}


def tell_unavailable(
    known: Mapping[str, ModManifest], losses: Mapping[str, Loss], findings: Findings
) -> None:
    """Say of each Mod that needs an unavailable one that it is unavailable too."""
    for mod_id, loss in sorted(losses.items()):
        message = f"'{mod_id}' is unavailable: {loss}."
        findings.add(
            known[mod_id], "mod-unavailable", message, "id", subject=mod_id, warning=True, cause=loss.cause
        )


def tell_held_back(
    known: Mapping[str, ModManifest],
    losses: Mapping[str, Loss],
    unreadable: Mapping[str, str],
    findings: Findings,
) -> None:
    """Say of each sound Mod that it waits for a faulty one. ``unreadable`` maps ids to paths."""
    for mod_id, loss in sorted(losses.items()):
        cause = unreadable.get(loss.cause, loss.cause)
        message = f"'{mod_id}' cannot run: {loss}."
        findings.add(known[mod_id], "mod-held-back", message, "id", subject=mod_id, warning=True, cause=cause)


def tell_left_out(
    known: Mapping[str, ModManifest],
    failed: Mapping[str, str],
    losses: Mapping[str, Loss],
    unreadable: Mapping[str, str],
    findings: Findings,
) -> None:
    """Say of each Mod that failed (id to reason), and of each that needs it, that it does not run."""
    told: dict[str, tuple[str, str | None]] = {mod_id: (reason, None) for mod_id, reason in failed.items()}
    for mod_id, loss in losses.items():
        told[mod_id] = (str(loss), unreadable.get(loss.cause, loss.cause))
    for mod_id, (reason, cause) in sorted(told.items()):
        message = f"'{mod_id}' is left out: {reason.rstrip('.')}."
        findings.add(known[mod_id], "mod-left-out", message, "id", subject=mod_id, warning=True, cause=cause)
