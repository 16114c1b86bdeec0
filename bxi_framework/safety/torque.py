"""The torque that a frame asks of each joint, estimated from what the joints report.

A joint of this kind of robot turns a frame into torque by ``kp (qpos - q) + kd (vel - v) + torque``. Where
that is beyond the joint's effort, the target comes nearer to where the joint is, until it asks for no more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bxi_framework.robot import FloatArray, JointReadings, RobotModel
from bxi_framework.robot.model import UNLIMITED

_QPOS, _VEL, _KP, _KD, _TORQUE = range(5)


class TorqueEstimate:
    """Estimates the torque of one frame after another; no call allocates.

    Args:
        model: the effort limits.

    ``torque`` is the last estimate in N·m, shape (N,).
    """

    def __init__(self, model: RobotModel) -> None:
        count = model.layout.dof_num
        self._effort = model.effort
        self._highest = model.effort.copy()
        self._lowest = -self._highest
        self._readings: JointReadings | None = None
        self._known: NDArray[np.bool_] | None = None
        self._measured = np.zeros((2, count), dtype=np.float32)
        self._errors = np.zeros((2, count), dtype=np.float32)
        self._stiff, self._damping = self._errors
        self._clipped = np.zeros(count, dtype=np.float32)
        # Views of the frame that was looked at last, which is mostly the same one: making them takes longer
        # than what is done with them.
        self._frame = np.zeros((5, count), dtype=np.float32)
        self._targets, self._gains = self._frame[:_KP], self._frame[_KP:_TORQUE]
        self._feed = self._frame[_TORQUE]
        self.torque: FloatArray = np.zeros(count, dtype=np.float32)

    def within(self, frame: FloatArray, readings: JointReadings) -> bool:
        """True if a frame of shape (5, N) asks no joint for more than its effort, as far as is known where
        the joints are.
        """
        if readings is not self._readings:
            self._readings = readings
            self._measured[0], self._measured[1] = readings.position, readings.velocity
            if readings.known is not self._known:
                self._bound(readings.known)
        if frame is not self._frame:
            self._frame = frame
            self._targets, self._gains, self._feed = frame[:_KP], frame[_KP:_TORQUE], frame[_TORQUE]
        errors, torque, clipped = self._errors, self.torque, self._clipped
        np.subtract(self._targets, self._measured, errors)
        np.multiply(errors, self._gains, errors)
        np.add(self._stiff, self._damping, torque)
        np.add(torque, self._feed, torque)
        np.fmax(torque, self._lowest, clipped)
        np.fmin(clipped, self._highest, clipped)
        return torque.tobytes() == clipped.tobytes()

    def ease(self, frame: FloatArray) -> NDArray[np.bool_]:
        """Shrink both errors of the joints that ask for too much, after `within` has said so of this frame;
        its ``torque`` row is within the effort already. Returns which joints they were, shape (N,).
        """
        beyond: NDArray[np.bool_] = self.torque != self._clipped
        measured = self._measured.astype(np.float64)
        share, errors = self._shares(frame, beyond, measured)
        np.copyto(frame[:_KP], measured + share * errors, where=beyond, casting="same_kind")
        return beyond

    def soften(self, frame: FloatArray) -> NDArray[np.bool_]:
        """Shrink both gains of the joints that ask for too much where their targets must stay, after `within`
        has said so of this frame. Returns which joints they were, shape (N,).
        """
        beyond: NDArray[np.bool_] = self.torque != self._clipped
        share, _ = self._shares(frame, beyond, self._measured.astype(np.float64))
        np.copyto(frame[_KP:_TORQUE], share * frame[_KP:_TORQUE], where=beyond, casting="same_kind")
        return beyond

    def _shares(
        self, frame: FloatArray, beyond: NDArray[np.bool_], measured: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """By how much the torque of the errors must shrink, shape (N,), and the errors, shape (2, N)."""
        # In float32 the product of a large error and a large gain is infinite.
        wanted = frame.astype(np.float64)
        errors = wanted[:_KP] - measured
        share = np.zeros_like(errors[0])
        for joint in np.flatnonzero(beyond):
            asked = float((errors[:, joint] * wanted[_KP:_TORQUE, joint]).sum())
            most = float(np.copysign(self._highest[joint], self.torque[joint]))
            spare = most - float(frame[_TORQUE, joint])
            share[joint] = min(max(spare / asked, 0.0), 1.0) if asked else 1.0
        return share, errors

    def _bound(self, known: NDArray[np.bool_] | None) -> None:
        """Of a joint whose place is not known, any estimate would be wrong."""
        self._known = known
        self._highest = self._effort.copy()
        if known is not None:
            self._highest[~known] = UNLIMITED
        self._lowest = -self._highest

    @property
    def allowed(self) -> FloatArray:
        """The last estimate, cut to the effort of each joint."""
        return self._clipped
