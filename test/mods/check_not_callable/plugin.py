"""Builds the definition."""

from __future__ import annotations

from bxi_framework.mod_api import ModDefinition

from .state import RestState


def create_mod(context):
    """The Mod's code side."""
    factory = lambda state: RestState(state.name, state.state_id)
    return ModDefinition(state_factories={"rest": factory, "move": factory}, checks=["camera"])
