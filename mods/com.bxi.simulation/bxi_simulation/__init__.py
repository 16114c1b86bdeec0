"""The ROS node of virtual robots, for the Mods that bring one.

A robot's Mod requires ``com.bxi.simulation`` and declares a node of its own whose factory hands over the
simulation manifest:

    from bxi_simulation import create_simulation_node

    def create_node(context):
        return create_simulation_node(context, ASSETS / "robot.yaml")

``node``      the node: what it hears, says and serves ``runner``    the thread that steps the simulation, at
a factor of real time ``pace``      when the next step is due ``commands``  motor frames to commands of
endpoints ``messages``  readings of devices to messages ``names``     ROS names for the ids of a simulation
"""

from __future__ import annotations

from .node import SimulationNode, create_simulation_node

__all__ = ["SimulationNode", "create_simulation_node"]
