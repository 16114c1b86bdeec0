"""What a vehicle's code holds of the model in a run: its own joints, actuators and sensors, by name and in SI
units, without any number of MuJoCo. Each write says when it is allowed.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from bxi_framework.simulation.bindings import Binding
from bxi_framework.simulation.vehicles.link import Link, Phase
from bxi_framework.simulation.vehicles.states import CameraFrame, Quaternion, Vector


class Handle:
    """The base of all handles."""

    __slots__ = ("_data", "_id", "_link", "_model", "_start", "_stop", "name")

    def __init__(self, link: Link, name: str, binding: Binding) -> None:
        self.name = name
        self._link = link
        self._model = link.physics.model
        self._data = link.physics.data
        self._id = binding.id
        self._start = binding.address
        self._stop = binding.address + binding.size

    def __deepcopy__(self, memo: dict[int, Any]) -> Handle:
        return self

    def _finite(self, what: str, value: float) -> float:
        if not math.isfinite(value):
            raise ValueError(f"{what} of '{self.name}' must be a finite number, not {value}")
        return float(value)


class ActuatorHandle(Handle):
    """One actuator."""

    @property
    def range(self) -> tuple[float, float] | None:
        """The least and greatest control that counts; None if there are no bounds."""
        if not self._model.actuator_ctrllimited[self._id]:
            return None
        low, high = self._model.actuator_ctrlrange[self._id]
        return float(low), float(high)

    @property
    def control(self) -> float:
        """The control that holds now, in the actuator's own unit."""
        return float(self._data.ctrl[self._id])

    def set(self, control: float) -> None:
        """Give a control, in apply_control or reset_vehicle; beyond the actuator's range it is cut.

        Raises:
            ValueError: it is not finite.
            NotAllowedError: another method runs, or another vehicle.
        """
        self._link.require(f"actuator '{self.name}'", Phase.CONTROL, Phase.RESET)
        self._data.ctrl[self._id] = self._finite("the control", control)

    @property
    def force(self) -> float:
        """The force (N) or torque (N·m) that it gave in the last time step."""
        return float(self._data.actuator_force[self._id])


class JointHandle(Handle):
    """One hinge or slide."""

    @property
    def position(self) -> float:
        """Its angle in rad or way in m."""
        return float(self._data.qpos[self._start])

    @property
    def velocity(self) -> float:
        """In rad/s or m/s."""
        return float(self._data.qvel[self._dof])

    @property
    def _dof(self) -> int:
        return int(self._model.jnt_dofadr[self._id])

    def place(self, position: float, velocity: float = 0.0) -> None:
        """Set it, in reset_vehicle.

        Raises:
            ValueError: a number is not finite.
            NotAllowedError: another method runs.
        """
        self._link.require(f"joint '{self.name}'", Phase.RESET)
        self._data.qpos[self._start] = self._finite("the position", position)
        self._data.qvel[self._dof] = self._finite("the velocity", velocity)


class BodyHandle(Handle):
    """One body."""

    @property
    def position(self) -> Vector:
        """In the world, m."""
        return _vector(self._data.xpos[self._id])

    @property
    def quaternion(self) -> Quaternion:
        """In the world, (w, x, y, z)."""
        w, x, y, z = self._data.xquat[self._id].tolist()
        return w, x, y, z

    @property
    def mass(self) -> float:
        """In kg."""
        return float(self._model.body_mass[self._id])

    def set_mass(self, mass: float) -> None:
        """Give it another mass in kg, in apply_vehicle_config or reset_vehicle; the inertia goes with it.

        Raises:
            ValueError: the mass is not finite or not above zero.
            NotAllowedError: another method runs.
        """
        self._link.require(f"the mass of body '{self.name}'", Phase.CONFIG, Phase.RESET)
        if self._finite("the mass", mass) <= 0.0 or self.mass <= 0.0:
            raise ValueError(f"the mass of '{self.name}' must be above zero, before and after; not {mass}")
        self._model.body_inertia[self._id] *= mass / self.mass
        self._model.body_mass[self._id] = mass
        # What MuJoCo derives from masses once, at compile time, is worked out again.
        mujoco.mj_setConst(self._model, mujoco.MjData(self._model))

    def push(self, force: Vector, torque: Vector = (0.0, 0.0, 0.0)) -> None:
        """Add a force (N) at its center of mass and a torque (N·m), in the world's axes, for one control
        period; in apply_control.

        Raises:
            ValueError: a number is not finite.
            NotAllowedError: another method runs.
        """
        self._link.require(f"the push on body '{self.name}'", Phase.CONTROL)
        for value in (*force, *torque):
            self._finite("the push", value)
        self._data.xfrc_applied[self._id] += (*force, *torque)


class GeomHandle(Handle):
    """One geom."""

    @property
    def friction(self) -> float:
        """Its sliding friction."""
        return float(self._model.geom_friction[self._id, 0])

    def set_friction(self, friction: float) -> None:
        """Give it another sliding friction, in apply_vehicle_config or reset_vehicle.

        Raises:
            ValueError: it is negative or not finite.
            NotAllowedError: another method runs.
        """
        self._link.require(f"the friction of geom '{self.name}'", Phase.CONFIG, Phase.RESET)
        if self._finite("the friction", friction) < 0.0:
            raise ValueError(f"the friction of '{self.name}' must not be negative, but is {friction}")
        self._model.geom_friction[self._id, 0] = friction

    def set_color(self, red: float, green: float, blue: float, alpha: float = 1.0) -> None:
        """Give it another color, each from 0 to 1, in apply_vehicle_config or reset_vehicle.

        Raises:
            ValueError: a number is outside 0 to 1.
            NotAllowedError: another method runs.
        """
        self._link.require(f"the color of geom '{self.name}'", Phase.CONFIG, Phase.RESET)
        color = (red, green, blue, alpha)
        if not all(0.0 <= part <= 1.0 for part in color):
            raise ValueError(f"the color of '{self.name}' must be numbers from 0 to 1, not {color}")
        self._model.geom_rgba[self._id] = color


class SiteHandle(Handle):
    """One site."""

    @property
    def position(self) -> Vector:
        """In the world, m."""
        return _vector(self._data.site_xpos[self._id])


class SensorHandle(Handle):
    """One sensor of the model."""

    @property
    def values(self) -> tuple[float, ...]:
        """Its newest numbers, in the sensor's units."""
        return tuple(self._data.sensordata[self._start : self._stop].tolist())

    @property
    def value(self) -> float:
        """The first of them: that of a scalar sensor."""
        return float(self._data.sensordata[self._start])


class CameraHandle(Handle):
    """One camera of the model."""

    def frame(self) -> CameraFrame | None:
        """The newest picture that is ready, in the size of the contract's camera; None before the first one,
        and where pictures cannot be made. In try_read_camera_frame.

        Raises:
            NotAllowedError: another method runs.
        """
        self._link.require(f"camera '{self.name}'", Phase.CAMERA)
        return None if self._link.cameras is None else self._link.cameras.frame(self._id)


def _vector(row: NDArray[np.float64]) -> Vector:
    x, y, z = row.tolist()
    return x, y, z
