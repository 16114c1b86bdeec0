"""Builds the actions of all states, and notices those that a state cannot know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bxi_framework.diagnostics import Diagnostic, Report, Severity, did_you_mean
from bxi_framework.machine.build_states import BuiltState
from bxi_framework.machine.graph import Action
from bxi_framework.machine.placing import locate_diagnostic
from bxi_framework.manifest.mod import ActionDecl, ModManifest
from bxi_framework.mod_api.replay import TOGGLE_PAUSE, MotionReplayState
from bxi_framework.mod_api.state import RobotControlState


def build_actions(
    manifests: Sequence[ModManifest], built: Mapping[str, BuiltState], report: Report
) -> dict[str, dict[str, Action]]:
    """The actions by state and event; one that its state does not handle is a warning."""
    actions: dict[str, dict[str, Action]] = {}
    order = 0
    for manifest in manifests:
        for decl in manifest.actions:
            order += 1
            actions.setdefault(decl.source, {})[decl.event] = Action(
                decl.event, decl.action, decl.label, decl.ui, order
            )
            known = _known_actions(built[decl.source].state)
            if known is not None and decl.action not in known:
                report.add(_unhandled(manifest, decl, known))
    return actions


def _known_actions(state: RobotControlState) -> tuple[str, ...] | None:
    """All actions of a state that has no `on_action` of its own; None if only a call would tell."""
    method = getattr(state.on_action, "__func__", None)
    if method is RobotControlState.on_action:
        return ()
    return (TOGGLE_PAUSE,) if method is MotionReplayState.on_action else None


def _unhandled(manifest: ModManifest, decl: ActionDecl, known: tuple[str, ...]) -> Diagnostic:
    fault = Diagnostic(
        "action-unhandled",
        f"The state '{decl.source}' does not handle the action '{decl.action}'.",
        severity=Severity.WARNING,
        mod=manifest.id,
        file=str(manifest.path),
        field=f"{decl.field}.action",
        subject=decl.action,
        hint=did_you_mean(decl.action, known) if known else "Write on_action() for it, or remove the action.",
    )
    return locate_diagnostic(fault, manifest.text)
