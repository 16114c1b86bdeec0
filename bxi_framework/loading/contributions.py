"""Checks what an entry plugin contributes besides states: transition types, parts for simulation, checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bxi_framework.loading.attempt import Attempt
from bxi_framework.mod_api.definition import ModDefinition
from bxi_framework.mod_api.transition import SingleClassTransition

_FIELD = "entrypoint"


def check_contributions(
    attempt: Attempt, definition: ModDefinition, owners: Mapping[str, str]
) -> dict[str, str]:
    """Report what is wrong.

    Args:
        attempt: the Mod.
        definition: what its entry plugin has returned.
        owners: who has which transition type already, by its name.

    Returns:
        The Mod's own transition types in the form of ``owners``.
    """
    _check_extensions(attempt, definition)
    for number, check in enumerate(definition.checks):
        if not callable(check):
            attempt.fault(
                "check-not-callable",
                f"Entry {number} of 'checks', {type(check).__name__}, cannot be called.",
                _FIELD,
                "Give a function.",
            )
    return _transition_types(attempt, definition, owners)


def _check_extensions(attempt: Attempt, definition: ModDefinition) -> None:
    seen: set[str] = set()
    for number, extension in enumerate(definition.simulation_extensions):
        name: Any = getattr(extension, "id", None)
        if not isinstance(name, str) or not name:
            attempt.fault(
                "extension-without-id",
                f"Entry {number} of 'simulation_extensions', {type(extension).__name__}, has no 'id'.",
                _FIELD,
                "Give it an attribute 'id' with its name.",
            )
        elif name in seen:
            attempt.fault(
                "extension-twice",
                f"Two parts in 'simulation_extensions' have the id '{name}'.",
                _FIELD,
                "Give one of them another id.",
                subject=name,
            )
        else:
            seen.add(name)


def _transition_types(
    attempt: Attempt, definition: ModDefinition, owners: Mapping[str, str]
) -> dict[str, str]:
    """A transition type belongs to one Mod or to the framework."""
    mine: dict[str, str] = {}
    for cls in definition.transition_plugins:
        name: Any = getattr(cls, "type_name", None)
        is_type = isinstance(cls, type) and issubclass(cls, SingleClassTransition)
        if not is_type or not isinstance(name, str) or not name:
            shown = getattr(cls, "__name__", cls)
            attempt.fault(
                "transition-type-invalid",
                f"'{shown}' in transition_plugins is no class of a transition with a 'type_name'.",
                _FIELD,
                "Derive it from SingleClassTransition and set type_name.",
            )
        elif name in owners or name in mine:
            attempt.fault(
                "transition-type-twice",
                f"'{attempt.manifest.id}' defines the transition type '{name}', which belongs to "
                f"{owners.get(name, 'the same Mod')} already.",
                _FIELD,
                "Choose another type_name.",
                subject=name,
            )
        else:
            mine[name] = f"'{attempt.manifest.id}'"
    return mine
