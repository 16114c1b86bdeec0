"""Builds the definition."""

from __future__ import annotations

from bxi_framework.mod_api import ModDefinition, ResourceKey

from .state import RestState


def create_mod(context):
    """The Mod's code side."""
    context.resource(ResourceKey("com.test.zoo/policy"))
    factory = lambda state: RestState(state.name, state.state_id)
    return ModDefinition(state_factories={"rest": factory, "move": factory})
