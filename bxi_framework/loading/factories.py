"""Turns what a manifest says of its code into callables: state and node factories, the entry plugin."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.diagnostics.guard import describe_error
from bxi_framework.loading.attempt import Attempt
from bxi_framework.loading.load_context import PluginContext
from bxi_framework.mod_api.build import StateBuildContext
from bxi_framework.mod_api.definition import ModDefinition, NodeFactory, StateFactory
from bxi_framework.mod_api.state import RobotControlState


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
    outcome = attempt.call(f"'{entrypoint}'", create, context)
    if outcome.error is not None:
        said = f"'{entrypoint}' failed: {describe_error(outcome.error)}"
        attempt.fault_in_code("entrypoint-failed", said, "entrypoint", outcome.error)
        return None
    definition = outcome.value
    if not isinstance(definition, ModDefinition) or not isinstance(definition.state_factories, Mapping):
        attempt.fault(
            "entrypoint-wrong-result",
            f"'{entrypoint}' returned {_described(definition)}.",
            "entrypoint",
            "End it with 'return ModDefinition(state_factories={…})'.",
            subject=entrypoint,
        )
        return None
    _check_factories(attempt, entrypoint, definition)
    return definition


def _described(result: object) -> str:
    if not isinstance(result, ModDefinition):
        return f"{type(result).__name__}, not a ModDefinition"
    return (
        f"a ModDefinition whose state_factories is a {type(result.state_factories).__name__}, not a mapping"
    )


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
        if node.execution == "process":
            continue
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
