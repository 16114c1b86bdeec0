"""Brings five wild states and the transition ``wander``."""

from __future__ import annotations

from bxi_framework.mod_api import ModDefinition, ModLoadContext

from .states import Wander, Wild


def create_mod(ctx: ModLoadContext) -> ModDefinition:
    """The Mod's definition."""
    return ModDefinition(
        state_factories={f"s{number}": lambda state: Wild(state.name, state.state_id) for number in range(5)},
        transition_plugins=(Wander,),
    )
