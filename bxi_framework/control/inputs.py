"""The newest of everything heard: written by callbacks under a lock, read as one snapshot per tick."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeAlias

import numpy as np

from bxi_framework.control.command import CommandArbiter
from bxi_framework.machine.gamepad import Gamepad, GamepadState
from bxi_framework.machine.gamepad_mapping import GamepadMapping
from bxi_framework.robot import FloatArray, ImuReading, InputAges, InputSnapshot, JointReadings, RobotModel
from bxi_framework.robot.inputs import NO_TOPICS, Topics

Numbers: TypeAlias = Sequence[float] | FloatArray

RECONNECT_NS = 1_000_000_000
"""A gamepad that was silent for longer than this counts as connected anew."""

FRESH = 0.1
"""Seconds for which a joint is where it was last reported to be."""

UNIT = 0.05
"""How far the length of an IMU's quaternion may be from 1."""


class InputHub:
    """Takes messages from any thread; `snapshot` never sees half of one.

    Values that are not finite are refused as a whole message; the first refusal of each kind is told to
    ``warn``.

    Args:
        model: names and order of the joints.
        command_timeout: seconds that a velocity wish holds without a newer one.
        now_ns: monotonic time.
        gamepad: turns axes and buttons into slots; ``None`` if the robot has no gamepad mapping.
        warn: receives one-time messages.
    """

    def __init__(
        self,
        model: RobotModel,
        *,
        command_timeout: float,
        now_ns: Callable[[], int],
        gamepad: Gamepad | None,
        warn: Callable[[str], None],
    ) -> None:
        self._layout = model.layout
        self._now_ns = now_ns
        self._gamepad = gamepad
        self._warn = warn
        self._warned: set[str] = set()
        self._lock = Lock()
        self._joints = JointReadings.zeros(model.layout.names).fixed()
        self._joints_ns: int | None = None
        self._named_ns = np.full(model.layout.dof_num, -round(FRESH * 1e9) - 1, dtype=np.int64)
        self._known = np.zeros(model.layout.dof_num, dtype=np.bool_)
        self._imu_ns: int | None = None
        self._imu = ImuReading()
        self._slots: tuple[int, ...] | None = None
        self._epoch = 0
        self._joy_ns: int | None = None
        mapping = GamepadMapping() if gamepad is None else gamepad.mapping
        self._commands = CommandArbiter(round(command_timeout * 1e9), round(mapping.longest_hold * 1e9), warn)
        self._stop_held = False
        self._topics: Topics = NO_TOPICS
        self._joint_order: tuple[tuple[str, ...], list[int], list[int]] | None = None

    @property
    def unnamed_joints(self) -> tuple[str, ...]:
        """The joints that recent joint states have left out; all of them while none has come."""
        return tuple(self._layout.names[joint] for joint in np.flatnonzero(~self._known))

    @property
    def unheard_joints(self) -> tuple[str, ...]:
        """The joints that recent joint states have left out; none of a robot that reports no joint at all,
        which shows in the age.
        """
        return () if self._joints_ns is None else self.unnamed_joints

    @property
    def velocity_source(self) -> str:
        """Who commands the velocity: ``gamepad``, ``topic`` or ``none``."""
        return self._commands.owner

    def joint_states(
        self,
        names: Sequence[str],
        position: Numbers,
        velocity: Numbers = (),
        effort: Numbers = (),
    ) -> None:
        """What the joints report, in any order; joints that are not named keep their last reading."""
        fields = {"position": position, "velocity": velocity, "effort": effort}
        if any(len(values) not in (0, len(names)) for values in fields.values()) or not len(position):
            self._once("joint_states", f"joint states with {len(names)} names and other lengths are dropped")
            return
        with np.errstate(over="ignore"):
            arrays = {name: np.asarray(values, dtype=np.float32) for name, values in fields.items()}
        if not all(np.isfinite(array).all() for array in arrays.values()):
            self._once("joint_states finite", "joint states with a value that is not finite are dropped")
            return
        with self._lock:
            source, target = self._order(tuple(names))
            last = self._joints
            merged = {}
            for name, array in arrays.items():
                merged[name] = getattr(last, name).copy()
                if len(array):
                    merged[name][target] = array[source]
            self._joints_ns = now = self._now_ns()
            self._named_ns[target] = now
            known = self._named_ns >= now - round(FRESH * 1e9)
            if (known != self._known).any():
                self._known = known
                known.setflags(write=False)
            self._joints = JointReadings(self._layout.names, **merged, known=self._known).fixed()

    def _order(self, names: tuple[str, ...]) -> tuple[list[int], list[int]]:
        if self._joint_order is None or self._joint_order[0] != names:
            source = [index for index, name in enumerate(names) if name in self._layout]
            self._joint_order = (names, source, [self._layout.index(names[index]) for index in source])
        return self._joint_order[1], self._joint_order[2]

    def imu(self, quat_xyzw: Numbers, omega: Numbers) -> None:
        """Orientation (x, y, z, w) and angular velocity (rad/s)."""
        with np.errstate(over="ignore"):
            quat, rates = np.array(quat_xyzw, dtype=np.float32), np.array(omega, dtype=np.float32)
        if quat.shape != (4,) or rates.shape != (3,):
            self._once("imu shape", f"IMU readings of {quat.size} and {rates.size} values are dropped")
            return
        if not (np.isfinite(quat).all() and np.isfinite(rates).all()):
            self._once("imu", "IMU readings with a value that is not finite are dropped")
            return
        length = math.sqrt(math.fsum(float(part) ** 2 for part in quat))
        if abs(length - 1.0) > UNIT:
            said = f"IMU readings whose quaternion has the length {length:.3g} instead of 1 are dropped"
            self._once("imu unit", said)
            return
        quat /= np.float32(length)
        quat.setflags(write=False)
        rates.setflags(write=False)
        with self._lock:
            self._imu = ImuReading(quat, rates)
            self._imu_ns = self._now_ns()

    def velocity(self, vx: float, vy: float, yaw: float) -> None:
        """A velocity wish (m/s, m/s, rad/s) from a topic or a program."""
        if not all(math.isfinite(value) and abs(value) < 1e6 for value in (vx, vy, yaw)):
            self._once("velocity", f"the velocity command ({vx}, {vy}, {yaw}) is not usable; it counts as 0")
            vx = vy = yaw = 0.0
        with self._lock:
            self._commands.hear("topic", (vx, vy, yaw), self._now_ns())

    def joy(self, axes: Sequence[float], buttons: Sequence[int]) -> GamepadState | None:
        """A gamepad's axes and buttons; the result says among other things if the stop chord is held."""
        if self._gamepad is None:
            self._once("joy", "gamepad messages arrive, but the configuration names no gamepad mapping")
            return None
        with self._lock:
            now = self._now_ns()
            if self._joy_ns is None or now - self._joy_ns > RECONNECT_NS:
                self._gamepad.reset()
                self._epoch += 1
            self._joy_ns = now
            state = self._gamepad.update(axes, buttons)
            self._slots = state.slots
            self._stop_held = state.stop
            self._commands.hear("gamepad", state.velocity, now)
            return state

    def set_slots(self, slots: tuple[int, ...]) -> None:
        """Slot values from another remote control than the gamepad, in the fixed order of the slots."""
        with self._lock:
            self._slots = slots

    def message(self, topic: str, message: object) -> None:
        """A message of a topic that a state listens to; it is kept as it is."""
        with self._lock:
            self._topics = {**self._topics, topic: (message, self._now_ns())}

    def snapshot(self) -> InputSnapshot:
        """Everything as it stands now."""
        with self._lock:
            velocity = self._commands.decide(self._now_ns)
            now = self._now_ns()
            return InputSnapshot(
                self._joints,
                self._imu,
                velocity,
                self._slots,
                self._epoch,
                self._ages(now),
                self._topics,
                now,
                self._stop_held and self._joy_ns is not None and now - self._joy_ns <= RECONNECT_NS,
            )

    def _ages(self, now: int) -> InputAges:
        joints, imu, pad, topic = (
            self._joints_ns,
            self._imu_ns,
            self._joy_ns,
            self._commands.heard_ns("topic"),
        )
        return InputAges(
            math.inf if joints is None else (now - joints) / 1e9,
            math.inf if imu is None else (now - imu) / 1e9,
            math.inf if pad is None else (now - pad) / 1e9,
            math.inf if topic is None else (now - topic) / 1e9,
        )

    def _once(self, key: str, message: str) -> None:
        if key not in self._warned:
            self._warned.add(key)
            self._warn(message)
