"""The simulated ELF3 as a node: the simulation room's node on this Mod's models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bxi_simulation import SimulationNode, create_simulation_node

from bxi_framework.mod_api import NodeBuildContext

ASSETS = Path(__file__).parent / "assets"
MANIFESTS = {31: "elf3.yaml", 29: "elf3_29.yaml"}


def create_node(context: NodeBuildContext) -> SimulationNode:
    """The node of the robot with ``joints`` joints, 31 or 29; all other parameters are the simulation's.

    Raises:
        ValueError: there is no robot with so many joints, or another parameter does not fit.
    """
    params = dict(context.params)
    joints = params.pop("joints", 31)
    if joints not in MANIFESTS:
        raise ValueError(f"params.joints must be 31, or 29 for the robot without head joints, not {joints!r}")
    return create_simulation_node(replace(context, params=params), ASSETS / MANIFESTS[joints])
