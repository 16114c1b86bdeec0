"""Vehicles and tracks: robots driven by throttle, steer and brake, and worlds made from parameters.

What an author writes
    ``vehicle``, ``track``  the base classes; ``descriptor`` what they say of themselves
    ``parts``               what a vehicle names of its model; ``handles`` what becomes of it in a run
    ``commands``, ``states``, ``config_values``  what goes in and out

How a scene is made of them
    ``reading``             the keys of a manifest
    ``expanding``           one model and components: ``checked_vehicle``, ``checked_track``, ``world``
    ``checking``            a class; ``schema``, ``schema_rules``, ``schema_faults`` values
    ``offers``              where the classes come from; ``spawns`` how vehicles stand at the start

How they run
    ``vehicle_component``, ``track_component``  as components
    ``vehicle_run``, ``camera_run``             in one run; ``calls`` into their code, ``link`` what it may do
"""

from __future__ import annotations

from bxi_framework.simulation.scene import ModelText
from bxi_framework.simulation.vehicles.commands import ControlCommand
from bxi_framework.simulation.vehicles.config_values import ConfigKeyValue
from bxi_framework.simulation.vehicles.descriptor import TrackDescriptor, VehicleDescriptor
from bxi_framework.simulation.vehicles.parts import (
    Actuator,
    Body,
    Camera,
    Geom,
    Joint,
    Sensor,
    Site,
)
from bxi_framework.simulation.vehicles.states import CameraFrame, VehicleState
from bxi_framework.simulation.vehicles.track import Track
from bxi_framework.simulation.vehicles.vehicle import Vehicle

__all__ = [
    "Actuator",
    "Body",
    "Camera",
    "CameraFrame",
    "ConfigKeyValue",
    "ControlCommand",
    "Geom",
    "Joint",
    "ModelText",
    "Sensor",
    "Site",
    "Track",
    "TrackDescriptor",
    "Vehicle",
    "VehicleDescriptor",
    "VehicleState",
]
