"""Limits on every frame: finite, position, velocity, gains, torque (also as estimated from what the joints
report), and the position step of one tick.

The frame and the step since the last frame form one (6, N) array that is clipped between two arrays of
limits. Only when the clipped bytes differ from the wanted ones does anything else run; so a sound frame costs
a handful of whole-array operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bxi_framework.robot import FIELDS, FloatArray, JointReadings, MotorFrame, RobotModel
from bxi_framework.robot.model import UNLIMITED
from bxi_framework.safety.torque import TorqueEstimate

_STEP: Final = len(FIELDS)
_QPOS, _VEL, _KP, _KD, _TORQUE = range(len(FIELDS))


@dataclass(frozen=True, slots=True)
class Clamp:
    """A value that was cut: ``field`` is a row of the frame, ``step``, or ``estimated torque``; ``wanted``
    and ``sent`` are in the field's unit.
    """

    field: str
    joint: str
    wanted: float
    sent: float


@dataclass(frozen=True, slots=True)
class NotFinite:
    """A frame that holds a value which is not a number, or not finite; nothing of it is sent."""

    field: str
    joint: str
    value: float


class SafetyStage:
    """Turns the wanted frame into the emitted one.

    ``emitted`` is the last emitted frame: rewritten by the next call, and read-only for everyone else, so
    that nobody moves the base of the step limit.

    Args:
        model: the limits.
        period: seconds per cycle; the step limit is the joint's velocity limit times the time since the last
            frame, and applies to joints whose frame has stiffness.

    A step begins where the joint was told to be. A joint that had no stiffness was told nothing: its step
    begins where it reports to be, and if it reports nothing there is no such limit in this one frame.
    ``blind`` then names it.
    """

    def __init__(self, model: RobotModel, period: float) -> None:
        self._model = model
        self._period = period
        self._lower, self._upper = _bounds(model)
        self._cycles = 0
        self._wanted = np.zeros((_STEP + 1, model.layout.dof_num), dtype=np.float32)
        self._clipped = np.zeros_like(self._wanted)
        self._wanted_frame = self._wanted[:_STEP]
        self._wanted_qpos, self._step = self._wanted[_QPOS], self._wanted[_STEP]
        self._clipped_frame = self._clipped[:_STEP]
        self._sent = model.passive_frame()
        self._sent_data, self._sent_qpos = self._sent.data, self._sent.qpos
        self._kp_bytes = slice(_KP * self._sent_qpos.nbytes, _KD * self._sent_qpos.nbytes)
        self._note_gains(self._sent_data.tobytes()[self._kp_bytes])
        self.blind: tuple[str, ...] = ()
        self.estimate = TorqueEstimate(model)
        self.emitted = self._sent.read_only()

    def apply(
        self, frame: MotorFrame, cycles: int, readings: JointReadings | None = None
    ) -> tuple[Clamp, ...] | NotFinite | None:
        """Limit a frame; the result is in `emitted`.

        Args:
            frame: what the engine wants, in the robot layout.
            cycles: control periods since the last frame.
            readings: what the joints report, in the robot layout; ``None`` if it is not known or too old, in
                which case no torque is estimated.

        Returns:
            ``None`` for a frame within all limits, the clamps otherwise; `NotFinite` if the frame was
            refused, in which case `emitted` is still the last good frame.
        """
        if cycles != self._cycles:
            self._set_step_limit(cycles)
        wanted, clipped = self._wanted, self._clipped
        self._wanted_frame[...] = frame.data
        np.subtract(self._wanted_qpos, self._sent_qpos, self._step)
        np.fmax(wanted, self._lower, clipped)
        np.fmin(clipped, self._upper, clipped)
        sent = clipped.tobytes()
        sound = wanted.tobytes() == sent
        if readings is not None:
            sound = self.estimate.within(self._wanted_frame, readings) and sound
        gains = sent[self._kp_bytes]
        same = gains == self._gains
        if sound and (same or not self._stiffens()):
            self._sent_data[...] = self._clipped_frame
            if not same:
                self._note_gains(gains)
            return None
        return self._limit(readings)

    def force(self, frame: MotorFrame) -> None:
        """Emit a frame of the framework's own, such as the passive one, which is within all limits by
        construction.
        """
        self._sent.copy_from(frame)
        self._note_gains(self._sent_data.tobytes()[self._kp_bytes])

    def _note_gains(self, gains: bytes) -> None:
        """Remember which joints the frame that was sent leaves without stiffness."""
        self._gains = gains
        self._limp = self._sent_data[_KP] <= 0.0 if self._loose() else None

    def _loose(self) -> bool:
        return int(np.count_nonzero(self._sent_data[_KP])) < self._model.layout.dof_num

    def _stiffens(self) -> bool:
        """True if a joint is to get stiffness that had none."""
        return self._limp is not None and bool((self._limp & (self._clipped_frame[_KP] > 0.0)).any())

    def _set_step_limit(self, cycles: int) -> None:
        reach = np.minimum(self._model.velocity.astype(np.float64) * self._period * cycles, _LARGEST)
        self._lower[_STEP] = -reach
        self._upper[_STEP] = reach
        self._cycles = cycles

    def _limit(self, readings: JointReadings | None) -> tuple[Clamp, ...] | NotFinite | None:
        refused = self._not_finite(self._wanted_frame)
        if refused is not None:
            return refused
        clipped = self._clipped_frame
        clamps = self._clamps("qpos", clipped[_QPOS] != self._wanted_qpos, self._wanted_qpos, clipped[_QPOS])
        for row in (_VEL, _KP, _KD, _TORQUE):
            wanted = self._wanted_frame[row]
            clamps += self._clamps(FIELDS[row], wanted != clipped[row], wanted, clipped[row])
        if readings is not None and not self.estimate.within(clipped, readings):
            beyond = self.estimate.ease(clipped)
            clamps += self._clamps("estimated torque", beyond, self.estimate.torque, self.estimate.allowed)
            # A joint may be where, or as fast as, it must not be told to be.
            eased = clipped[:_KP]
            np.clip(eased, self._lower[:_KP], self._upper[:_KP], out=eased)
        within = clipped[_QPOS].copy()
        self._limit_step(within, self._bases(within, readings))
        clamps += self._clamps("step", within != self._clipped[_QPOS], within, self._clipped[_QPOS])
        if readings is not None and not self.estimate.within(clipped, readings):
            # The target may not come near enough in one step: the joint gets softer instead.
            stiff = clipped[_KP].copy()
            softer = self.estimate.soften(clipped)
            clamps += self._clamps("kp", softer & (clipped[_KP] != stiff), stiff, clipped[_KP])
        refused = self._not_finite(clipped)
        if refused is not None:
            return refused
        self._sent_data[...] = clipped
        self._note_gains(self._sent_data.tobytes()[self._kp_bytes])
        return tuple(clamps) or None

    def _not_finite(self, frame: FloatArray) -> NotFinite | None:
        finite = np.isfinite(frame)
        if finite.all():
            return None
        row, joint = (int(i) for i in np.argwhere(~finite)[0])
        return NotFinite(FIELDS[row], self._model.layout.names[joint], float(frame[row, joint]))

    def _bases(self, within: FloatArray, readings: JointReadings | None) -> FloatArray:
        """Where the step of each joint begins, shape (N,)."""
        bases: FloatArray = self._sent_qpos.copy()
        if self._limp is None:
            return bases
        blind = self._limp
        np.copyto(bases, within, where=blind)
        if readings is not None:
            known = self._limp if readings.known is None else self._limp & readings.known
            np.copyto(bases, readings.position, where=known)
            blind = self._limp & ~known
        blind = blind & (self._clipped_frame[_KP] > 0.0) & (self._model.velocity < UNLIMITED)
        self.blind = tuple(self._model.layout.names[joint] for joint in np.flatnonzero(blind))
        return bases

    def _limit_step(self, within: FloatArray, bases: FloatArray) -> None:
        """Cut the way from ``bases`` to ``within``; the limits of the position hold even where a base was
        outside of them.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            step = within - bases
            reached = bases + np.clip(step, self._lower[_STEP], self._upper[_STEP])
        too_far = (self._wanted_frame[_KP] > 0.0) & (np.abs(step) > self._upper[_STEP])
        np.clip(reached, self._lower[_QPOS], self._upper[_QPOS], out=self._clipped[_QPOS], where=too_far)

    def _clamps(
        self,
        field: str,
        cut: NDArray[np.bool_],
        wanted: FloatArray,
        sent: FloatArray,
    ) -> list[Clamp]:
        names = self._model.layout.names
        return [
            Clamp(field, names[joint], float(wanted[joint]), float(sent[joint]))
            for joint in np.flatnonzero(cut)
        ]


_LARGEST: Final = float(np.finfo(np.float32).max)


def _bounds(model: RobotModel) -> tuple[FloatArray, FloatArray]:
    """Lower and upper limits, (6, N); the step row is filled in by the first frame."""
    zero = np.zeros_like(model.lower)
    lower = np.array([model.lower, -model.velocity, zero, zero, -model.effort, zero], dtype=np.float32)
    upper = np.array(
        [model.upper, model.velocity, model.max_kp, model.max_kd, model.effort, zero], dtype=np.float32
    )
    return lower, upper
