"""Motors of single joints, as MuJoCo's own gain and bias actuators: how they are named, checked and written.

Such an actuator has the force ``gain·ctrl + bias0 + bias1·q + bias2·v``. With gain 1, ``bias1 = -kp``,
``bias2 = -kd`` and ``ctrl = kp·q* + kd·v* + t`` this is the law of an MIT motor, which MuJoCo evaluates in
every one of its steps and clamps to the force range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import mujoco
import numpy as np
from numpy.typing import NDArray

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.bindings import Binding, BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.descriptors import ClaimKind, StateClaim
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import Values

PLACE = "{joint}"
"""What stands for the joint's name in a pattern of actuator names."""

Index: TypeAlias = "slice | NDArray[np.intp]"


@dataclass(frozen=True, slots=True)
class Motor:
    """A joint and its actuator; ``effort`` in N·m (N for a slide) overrides the model's force range."""

    joint: BindingRequest
    actuator: BindingRequest
    effort: float | None = None


def read_motors(config: ConfigReader, joints: Sequence[BindingRequest]) -> tuple[Motor, ...]:
    """The motors of the given joints by ``actuators`` (a list in their order, or a pattern with ``{joint}``)
    and ``effort`` (one number, or one for each).

    Raises:
        ParameterError: a name or a number does not fit.
    """
    efforts = _read_efforts(config, len(joints))
    actuators = _read_actuators(config, [joint.name for joint in joints])
    return tuple(map(Motor, joints, actuators, efforts))


def _read_efforts(config: ConfigReader, count: int) -> Sequence[float | None]:
    if "effort" not in config:
        return [None] * count
    if isinstance(config.value("effort"), (list, tuple)):
        return config.floats("effort", length=count, minimum=0.0)
    return [config.float("effort", minimum=0.0)] * count


def _read_actuators(config: ConfigReader, joints: Sequence[str]) -> list[BindingRequest]:
    if isinstance(config.value("actuators"), (list, tuple)):
        names = config.strings("actuators")
        if len(names) != len(joints):
            raise config.error(
                "actuators",
                f"must name one actuator for each of the {len(joints)} joints, not {len(names)}",
                f"Leave it out if each is named as its joint, or write a pattern such as '{PLACE}_motor'.",
            )
        return [
            BindingRequest(BindingKind.ACTUATOR, name, f"actuators[{index}]")
            for index, name in enumerate(names)
        ]
    pattern = config.string("actuators", PLACE)
    if PLACE not in pattern:
        raise config.error("actuators", f"must contain {PLACE}, which stands for the joint's name")
    return [
        BindingRequest(BindingKind.ACTUATOR, pattern.replace(PLACE, joint), "actuators") for joint in joints
    ]


def motor_requests(motors: Sequence[Motor]) -> Mapping[str, BindingRequest]:
    """What the motors need of the model, by role."""
    found = {}
    for index, motor in enumerate(motors):
        found[f"joint {index}"] = motor.joint
        found[f"actuator {index}"] = motor.actuator
    return found


def motor_claims(motors: Sequence[Motor]) -> tuple[StateClaim, ...]:
    """The actuators that a driver of the motors writes."""
    return tuple(StateClaim(ClaimKind.ACTUATOR, motor.actuator.name) for motor in motors)


def motor_misfits(model: mujoco.MjModel, motors: Sequence[Motor], bindings: Bindings) -> Iterator[str]:
    """A sentence for each motor whose actuator has another law, with what to write instead."""
    for index, motor in enumerate(motors):
        joint, actuator = bindings[f"joint {index}"], bindings[f"actuator {index}"]
        reasons = list(_reasons(model, motor, joint, actuator))
        if reasons:
            limit = "E" if motor.effort is None else f"{motor.effort:g}"
            yield (
                f"{motor.actuator} cannot be the motor of {motor.joint}: {', '.join(reasons)}. Write "
                f'<general name="{motor.actuator.name}" joint="{motor.joint.name}" gainprm="1" '
                f'biastype="affine" biasprm="0 0 0" forcerange="-{limit} {limit}"/> with the greatest '
                f"effort {limit} in N·m."
            )


def _reasons(model: mujoco.MjModel, motor: Motor, joint: Binding, actuator: Binding) -> Iterator[str]:
    if joint.size != 1 or model.jnt_type[joint.id] == mujoco.mjtJoint.mjJNT_BALL:
        yield "the joint is neither a hinge nor a slide"
    id = actuator.id
    on_joint = model.actuator_trntype[id] == mujoco.mjtTrn.mjTRN_JOINT
    if not on_joint or model.actuator_trnid[id, 0] != joint.id:
        yield "it drives something else"
    if model.actuator_gear[id, 0] != 1.0:
        yield f"its gear is {model.actuator_gear[id, 0]:g} instead of 1"
    if model.actuator_dyntype[id] != mujoco.mjtDyn.mjDYN_NONE:
        yield "it has dynamics of its own (dyntype)"
    if model.actuator_gaintype[id] != mujoco.mjtGain.mjGAIN_FIXED or model.actuator_gainprm[id, 0] != 1.0:
        yield "its gain is not fixed at 1"
    if model.actuator_biastype[id] != mujoco.mjtBias.mjBIAS_AFFINE or model.actuator_biasprm[id, 0] != 0.0:
        yield "its bias is not affine with 0 in front"
    if model.actuator_ctrllimited[id]:
        yield "its control is limited (ctrlrange)"
    if motor.effort is None and not model.actuator_forcelimited[id]:
        yield "it has no forcerange, and the config no effort"


class MotorBank:
    """The actuators of several motors in one run."""

    def __init__(self, motors: Sequence[Motor], bindings: Bindings) -> None:
        actuators = [bindings[f"actuator {index}"] for index in range(len(motors))]
        self._ids = as_index([actuator.id for actuator in actuators])
        self._controls = as_index([actuator.address for actuator in actuators])
        self._efforts = [
            (actuator.id, motor.effort)
            for motor, actuator in zip(motors, actuators, strict=True)
            if motor.effort is not None
        ]
        self._views: tuple[Values, Values] | None = None

    def begin(self, physics: Physics) -> None:
        """Write the efforts that the config gives, and find the places of all else; to be called first.

        The arrays of the physics stay the same ones as long as the run lasts.
        """
        model = physics.model
        for id, effort in self._efforts:
            model.actuator_forcelimited[id] = 1
            model.actuator_forcerange[id] = (-effort, effort)
        self._bias = model.actuator_biasprm
        self._ctrl = physics.data.ctrl
        if isinstance(self._ids, slice) and isinstance(self._controls, slice):
            self._views = self._bias[self._ids, 1:3].T, self._ctrl[self._controls]

    def set_gains(self, gains: Values) -> None:
        """Write the gains, of the shape (2, motors): kp in N·m/rad, kd in N·m·s/rad."""
        if self._views is None:
            self._bias[self._ids, 1:3] = -gains.T
        else:
            np.negative(gains, self._views[0])

    def set_controls(self, controls: Values, more: Values | float = 0.0) -> None:
        """Write what the force is before position and velocity are taken off, the sum of both, in N·m."""
        if self._views is None:
            self._ctrl[self._controls] = controls + more
        else:
            np.add(controls, more, self._views[1])


def as_index(places: Sequence[int]) -> Index:
    """Places in an array as numpy takes them fastest: a slice if they follow each other."""
    first = places[0]
    if list(places) == list(range(first, first + len(places))):
        return slice(first, first + len(places))
    return np.array(places, dtype=np.intp)
