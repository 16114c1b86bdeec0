"""Notices events that the configured gamepad cannot produce."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bxi_framework.diagnostics import Diagnostic, Report, Severity
from bxi_framework.machine.gamepad_mapping import GamepadMapping
from bxi_framework.machine.placing import locate_diagnostic
from bxi_framework.manifest.mod import EventDecl, ModManifest


def check_slots(manifests: Iterable[ModManifest], mapping: GamepadMapping, report: Report) -> None:
    """A warning for each event whose slot and value no chord gives; other inputs may still do."""
    outputs = mapping.outputs()
    for manifest in manifests:
        for event in manifest.events:
            if not _can_be_given(event, outputs):
                report.add(_warning(manifest, event, outputs))


def _can_be_given(event: EventDecl, outputs: Mapping[str, frozenset[int]]) -> bool:
    """True if some chord gives the value; a slot goes back to 0 by itself, and no value stands for any."""
    values = outputs.get(event.slot)
    return values is not None and (event.value in (None, 0) or event.value in values)


def _warning(manifest: ModManifest, event: EventDecl, outputs: Mapping[str, frozenset[int]]) -> Diagnostic:
    values = sorted(outputs.get(event.slot, ()))
    given = f"It can be {', '.join(map(str, values))}." if values else "No chord sets that slot."
    value = "" if event.value is None or not values else f" with the value {event.value}"
    warning = Diagnostic(
        "slot-not-produced",
        f"No chord of the gamepad produces the event '{event.name}': {event.slot}{value}.",
        severity=Severity.WARNING,
        mod=manifest.id,
        file=str(manifest.path),
        field=f"{event.field}.value" if values else f"{event.field}.slot",
        subject=event.name,
        hint=f"{given} Add a chord to the gamepad mapping, or send the event by other means.",
    )
    return locate_diagnostic(warning, manifest.text)
