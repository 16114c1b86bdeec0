"""Builds the definition."""

from __future__ import annotations

from bxi_framework.mod_api import ModDefinition, SingleClassTransition

from .state import RestState


class Hold(SingleClassTransition):
    """Takes a name that is taken."""

    type_name = "hold"


def create_mod(context):
    """The Mod's code side."""
    factory = lambda state: RestState(state.name, state.state_id)
    return ModDefinition(state_factories={"rest": factory, "move": factory}, transition_plugins=[Hold])
