"""The cart, simulated."""

from __future__ import annotations

from pathlib import Path

from bxi_simulation import SimulationNode, create_simulation_node

from bxi_framework.mod_api import NodeBuildContext


def create_node(context: NodeBuildContext) -> SimulationNode:
    """The node that moves the cart."""
    return create_simulation_node(context, Path(__file__).parent / "assets" / "cart.yaml")
