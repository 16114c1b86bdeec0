"""The component types that every simulation knows, ``bxi/<name>``.

``mit_actuator``     joints that take motor frames
``wheel_drive``      wheels behind motors with dead zone, latency and unequal sides
``joint_state``      position, velocity and effort of joints
``imu``              orientation, angular velocity, linear acceleration
``rangefinder``      a distance
``line_sensor``      a line on the floor, under some sites
``camera``           images, drawn in a thread of their own
``contact_monitor``  which geoms touch which
``pose_observer``    the true pose and velocity of a body
``gantry``           holds a body until it is released
``moving_obstacle``  a body that follows a path

They stand on ``motors`` (actuators of single joints), ``floor_patterns``, ``painter`` and ``gl``.
"""

from __future__ import annotations

from typing import Final

from bxi_framework.simulation.components import ComponentFactory
from bxi_framework.simulation.parts.camera import CameraComponent
from bxi_framework.simulation.parts.contact_monitor import ContactMonitorComponent
from bxi_framework.simulation.parts.gantry import GantryComponent
from bxi_framework.simulation.parts.imu import ImuComponent
from bxi_framework.simulation.parts.joint_state import JointStateComponent
from bxi_framework.simulation.parts.line_sensor import LineSensorComponent
from bxi_framework.simulation.parts.mit_actuator import MitActuatorComponent
from bxi_framework.simulation.parts.moving_obstacle import MovingObstacleComponent
from bxi_framework.simulation.parts.pose_observer import PoseObserverComponent
from bxi_framework.simulation.parts.rangefinder import RangefinderComponent
from bxi_framework.simulation.parts.wheel_drive import WheelDriveComponent

BUILTIN: Final[tuple[ComponentFactory, ...]] = (
    MitActuatorComponent(),
    WheelDriveComponent(),
    JointStateComponent(),
    ImuComponent(),
    RangefinderComponent(),
    RangefinderComponent("fibril_sim/rangefinder"),
    LineSensorComponent(),
    CameraComponent(),
    ContactMonitorComponent(),
    PoseObserverComponent(),
    GantryComponent(),
    MovingObstacleComponent(),
)

__all__ = ["BUILTIN"]
