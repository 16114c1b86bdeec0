"""Calls the state factories of all Mods and checks what they return."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.diagnostics.guard import guarded, mod_place
from bxi_framework.diagnostics.time_limit import ModCall, Watch
from bxi_framework.machine.placing import locate_diagnostic
from bxi_framework.manifest.locate import locate_param
from bxi_framework.manifest.mod import ModManifest, StateDecl, StateLook
from bxi_framework.manifest.params import StateParams
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.mod_api.config_reader import ParameterError
from bxi_framework.mod_api.definition import ModDefinition, StateFactory
from bxi_framework.mod_api.inference import Inference
from bxi_framework.mod_api.resource import ResourceHandle
from bxi_framework.mod_api.speed import SpeedProfile
from bxi_framework.mod_api.state import RobotControlState


@dataclass(frozen=True, slots=True)
class BuiltState:
    """A state as its factory made it."""

    state: RobotControlState
    mod: str
    root: Path
    look: StateLook
    handles: tuple[ResourceHandle[Any], ...]
    inferences: tuple[Inference, ...]


def build_states(
    manifests: Sequence[ModManifest],
    definitions: Mapping[str, ModDefinition],
    config: SystemConfig,
    state_ids: Mapping[str, int],
    report: Report,
    watch: Watch,
) -> dict[str, BuiltState]:
    """Build every declared state, in load order; what fails is reported and left out. The factories are
    called through ``watch``.
    """
    speeds = {profile.name: profile.profile for m in manifests for profile in m.speed_profiles}
    built: dict[str, BuiltState] = {}
    for manifest in manifests:
        definition = definitions.get(manifest.id)
        if definition is None:
            continue
        for decl in manifest.states:
            factory = definition.state_factories.get(decl.local)
            if factory is None:
                continue
            state = _build(manifest, config, decl, factory, state_ids[decl.name], report, watch)
            if state is not None:
                _furnish(state, decl, speeds)
                built[decl.name] = BuiltState(
                    state, manifest.id, manifest.root, decl.look, _handles(state), _inferences(state)
                )
    return built


def _build(
    manifest: ModManifest,
    config: SystemConfig,
    decl: StateDecl,
    factory: StateFactory,
    state_id: int,
    report: Report,
    watch: Watch,
) -> RobotControlState | None:
    context = StateParams(decl.name, state_id, decl.params)

    def make() -> RobotControlState:
        state = factory(context)
        context.finish()
        return state

    call = ModCall(manifest.id, manifest.root, f"the factory of state '{decl.local}'")
    outcome = watch.call(call, make)
    error = outcome.error
    if isinstance(error, ParameterError):
        report.add(_params_fault(manifest, config, decl, error))
        return None
    if error is not None:
        message = f"The factory of state '{decl.local}' failed: {mod_place(error, manifest.root)}"
        report.add(
            _fault(manifest, "factory-failed", message, decl.field, "Mend the Mod's code at that line.")
        )
        return None
    state: RobotControlState = outcome.value
    problem = _problem(state, decl, state_id)
    if problem:
        report.add(_fault(manifest, "factory-wrong-result", problem, decl.field, None))
        return None
    return state


def _params_fault(
    manifest: ModManifest, config: SystemConfig, decl: StateDecl, error: ParameterError
) -> Diagnostic:
    file, field, position = locate_param(manifest, config, decl, error.field)
    what = f"Parameter '{error.field}'" if error.field else f"The parameters of state '{decl.local}'"
    line, column = position or (None, None)
    message = f"{what} {error.message}." if error.field else f"{what}: {error.message}."
    return Diagnostic(
        "params-invalid",
        message,
        mod=manifest.id,
        file=file,
        line=line,
        column=column,
        field=field,
        subject=error.field,
        hint=error.hint,
    )


def _problem(state: object, decl: StateDecl, state_id: int) -> str:
    if not isinstance(state, RobotControlState):
        return (
            f"The factory of state '{decl.local}' returned a {type(state).__name__}, not a RobotControlState."
        )
    if not hasattr(state, "_frame"):
        return (
            f"State '{decl.local}' was not initialised: "
            "its __init__ must call super().__init__(name, state_id)."
        )
    if state.name != decl.name or state.state_id != state_id:
        return (
            f"The factory of state '{decl.local}' returned a state with name '{state.name}' "
            f"and id {state.state_id}; "
            f"expected '{decl.name}' and {state_id}, as given to the factory."
        )
    for topic, limit in state.input_limits.items():
        if topic not in state.listens:
            return f"State '{decl.local}' cannot do without '{topic}', but does not listen to it."
        if not 0.0 < limit < math.inf:
            return f"State '{decl.local}' limits the age of '{topic}' to {limit}; expected seconds above 0."
    return ""


def _fault(manifest: ModManifest, code: str, message: str, field: str, hint: str | None) -> Diagnostic:
    fault = Diagnostic(code, message, mod=manifest.id, file=str(manifest.path), field=field, hint=hint)
    return locate_diagnostic(fault, manifest.text)


def _furnish(state: RobotControlState, decl: StateDecl, speeds: Mapping[str, SpeedProfile]) -> None:
    look = decl.look
    state.manifest = {
        "label": look.label,
        "priority": look.priority,
        "index": look.index,
        "group": look.group,
        "icon": look.icon,
        "confirm": look.confirm,
        "confirm_message": look.confirm_message,
    }
    if decl.speed_profile is not None:
        state.speed_profile = speeds[decl.speed_profile]


def _handles(state: RobotControlState) -> tuple[ResourceHandle[Any], ...]:
    found: dict[str, ResourceHandle[Any]] = {}
    for value in (*state.resources, *vars(state).values()):
        # An attribute may be anything, and even asking it what it has may fail.
        if guarded(_is_handle, value).value:
            found[value.name] = value
    return tuple(found.values())


def _inferences(state: RobotControlState) -> tuple[Inference, ...]:
    # Not isinstance(), which asks the attribute itself what it is.
    return tuple(value for value in vars(state).values() if issubclass(type(value), Inference))


def _is_handle(value: Any) -> bool:
    return hasattr(value, "ready") and hasattr(value, "get") and isinstance(getattr(value, "name", None), str)
