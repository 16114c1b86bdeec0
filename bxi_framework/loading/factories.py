"""Turns what a manifest says of its code into callables: state and node factories, the entry plugin."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

from bxi_framework.diagnostics import Diagnostic, did_you_mean
from bxi_framework.diagnostics.guard import describe_error, guarded, place_below
from bxi_framework.loading.load_context import PluginContext
from bxi_framework.loading.modules import ModuleSpace
from bxi_framework.manifest.locate import locate
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.mod_api.build import StateBuildContext
from bxi_framework.mod_api.definition import ModDefinition, NodeFactory, StateFactory
from bxi_framework.mod_api.state import RobotControlState


class Attempt:
    """One Mod being loaded, and what went wrong so far."""

    __slots__ = ("_modules", "faults", "manifest", "space")

    def __init__(self, manifest: ModManifest, space: ModuleSpace) -> None:
        self.manifest = manifest
        self.space = space
        self.faults: list[Diagnostic] = []
        self._modules: dict[str, ModuleType | None] = {}

    def fault(
        self, code: str, message: str, field: str, hint: str | None = None, subject: str | None = None
    ) -> None:
        """A fault at a field of the manifest."""
        line, column = locate(self.manifest.text, field) or (1, 1)
        self.faults.append(
            Diagnostic(
                code,
                message,
                mod=self.manifest.id,
                file=str(self.manifest.path),
                line=line,
                column=column,
                field=field,
                subject=subject,
                hint=hint,
            )
        )

    def fault_in_code(self, code: str, message: str, field: str, error: BaseException, hint: str) -> None:
        """A fault at the Mod's own line that led to an error; at a field of the manifest if no line of the
        Mod did.
        """
        place = place_below(error, self.manifest.root)
        said = f"{message}: {describe_error(error)}"
        if place is None:
            self.fault(code, said, field, hint)
            return
        self.faults.append(
            Diagnostic(
                code, said, mod=self.manifest.id, file=place.file, line=place.line, field=field, hint=hint
            )
        )

    def attribute(self, entry: str, field: str) -> Any:
        """What ``module:name`` names; None after a fault. A module that fails is reported once."""
        module_name, _, name = entry.partition(":")
        if module_name not in self._modules:
            self._modules[module_name] = self._import(module_name, field)
        module = self._modules[module_name]
        if module is None:
            return None
        value = getattr(module, name, None)
        if value is None:
            self.fault(
                "entry-not-found",
                f"The module '{module_name}' has no '{name}'.",
                field,
                did_you_mean(name, [known for known in vars(module) if not known.startswith("_")]),
                subject=name,
            )
        return value

    def _import(self, module_name: str, field: str) -> ModuleType | None:
        outcome = guarded(self.space.load, self.manifest.id, module_name)
        if outcome.error is None:
            module: ModuleType = outcome.value
            return module
        if self.space.is_missing(self.manifest.id, module_name, outcome.error):
            self.fault(
                "module-not-found",
                f"The Mod has no module '{module_name}'.",
                field,
                did_you_mean(module_name, _module_names(self.manifest)),
                subject=module_name,
            )
        else:
            hint = "Mend the Mod's code at that line."
            self.fault_in_code(
                "import-failed", f"The module '{module_name}' cannot be imported", field, outcome.error, hint
            )
        return None


def _module_names(manifest: ModManifest) -> list[str]:
    return sorted(entry.removesuffix(".py") for entry in os.listdir(manifest.root) if entry.endswith(".py"))


def convention_factories(attempt: Attempt) -> dict[str, StateFactory]:
    """A factory for every state, made from its class."""
    factories: dict[str, StateFactory] = {}
    for state in attempt.manifest.states:
        if state.factory is None:
            continue
        field = f"{state.field}.factory"
        cls = attempt.attribute(state.factory, field)
        if cls is None:
            continue
        if not isinstance(cls, type) or not issubclass(cls, RobotControlState):
            attempt.fault(
                "factory-not-a-state",
                f"'{state.factory}' is no class of a state.",
                field,
                "Name a class that derives from RobotControlState, PoseState or another state class.",
                subject=state.factory,
            )
            continue
        params = getattr(cls, "Params", None)
        if params is None:
            factories[state.local] = _plain_factory(cls)
        elif isinstance(params, type) and dataclasses.is_dataclass(params):
            factories[state.local] = _typed_factory(cls, params)
        else:
            attempt.fault(
                "params-not-a-dataclass",
                f"'Params' of '{state.factory}' is no dataclass.",
                field,
                "Write '@dataclass(frozen=True)' above the class that 'Params' names.",
                subject=state.factory,
            )
    return factories


def _plain_factory(cls: type[RobotControlState]) -> StateFactory:
    def build(state: StateBuildContext) -> RobotControlState:
        return cls(state.name, state.state_id)

    return build


def _typed_factory(cls: Callable[..., RobotControlState], params: type[Any]) -> StateFactory:
    def build(state: StateBuildContext) -> RobotControlState:
        return cls(state.name, state.state_id, state.dataclass_params(params))

    return build


def entry_definition(attempt: Attempt, entrypoint: str, context: PluginContext) -> ModDefinition | None:
    """What the entry plugin returns; None after a fault."""
    create = attempt.attribute(entrypoint, "entrypoint")
    if create is None or not _is_callable(attempt, create, entrypoint, "entrypoint"):
        return None
    outcome = guarded(create, context)
    if outcome.error is not None:
        hint = "Mend the Mod's code at that line."
        attempt.fault_in_code(
            "entrypoint-failed", f"'{entrypoint}' failed", "entrypoint", outcome.error, hint
        )
        return None
    definition = outcome.value
    if not isinstance(definition, ModDefinition):
        attempt.fault(
            "entrypoint-wrong-result",
            f"'{entrypoint}' returned {type(definition).__name__}, not a ModDefinition.",
            "entrypoint",
            "End it with 'return ModDefinition(state_factories={…})'.",
            subject=entrypoint,
        )
        return None
    _check_factories(attempt, entrypoint, definition)
    return definition


def _check_factories(attempt: Attempt, entrypoint: str, definition: ModDefinition) -> None:
    """States and factories are the same names."""
    factories = definition.state_factories
    declared = {state.local: state for state in attempt.manifest.states}
    for name, state in declared.items():
        if name not in factories:
            attempt.fault(
                "state-without-factory",
                f"'{entrypoint}' gives no factory for the state '{name}'.",
                state.field,
                "Add it to state_factories, or remove the state.",
                subject=name,
            )
        elif not callable(factories[name]):
            attempt.fault(
                "factory-not-callable",
                f"What '{entrypoint}' gives as the factory of the state '{name}' cannot be called.",
                state.field,
                "Give a function, such as lambda state: WaveState(state.name, state.state_id).",
                subject=name,
            )
    for name in factories:
        if name not in declared:
            attempt.fault(
                "factory-without-state",
                f"'{entrypoint}' gives a factory for '{name}', which is no state of the manifest.",
                "entrypoint",
                did_you_mean(str(name), declared),
                subject=str(name),
            )


def node_factories(attempt: Attempt) -> dict[str, NodeFactory]:
    """The callable of every node by full name."""
    factories: dict[str, NodeFactory] = {}
    for node in attempt.manifest.nodes:
        field = f"{node.field}.entrypoint"
        factory = attempt.attribute(node.entrypoint, field)
        if factory is None:
            continue
        if _is_callable(attempt, factory, node.entrypoint, field):
            factories[node.name] = factory
    return factories


def _is_callable(attempt: Attempt, value: object, entrypoint: str, field: str) -> bool:
    if callable(value):
        return True
    attempt.fault(
        "entrypoint-not-callable",
        f"'{entrypoint}' cannot be called.",
        field,
        "Name a function that takes the context.",
        subject=entrypoint,
    )
    return False
