"""What a state sees of the robot, its inputs and the machine that runs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from bxi_framework.mod_api.speed import SpeedProfile
from bxi_framework.robot import FloatArray, Heard, JointLayout, JointReadings, MotorFrame


@dataclass(frozen=True, slots=True)
class InferenceFrame:
    """One moment as a policy sees it: joints in the robot layout, orientation, angular velocity, velocity
    command.
    """

    joints: JointReadings
    quat_xyzw: FloatArray
    omega: FloatArray
    cmd_vel: FloatArray


class StateContext(Protocol):
    """The context handed to every hook of a state. Arrays are read-only by agreement and belong to the
    framework.

    Preparation hooks get a snapshot of it on which `set_motor_target` and `request_state` are refused.
    """

    @property
    def dt(self) -> float:
        """Seconds since the last tick: the period times the cycles that have passed."""

    @property
    def loop_count(self) -> int:
        """Ticks since the start."""

    @property
    def robot_layout(self) -> JointLayout:
        """The layout in which frames are emitted; not readable in `on_bind`."""

    @property
    def robot_joints(self) -> JointReadings:
        """What the joints report, in the robot layout."""

    @property
    def default_gains(self) -> tuple[FloatArray, FloatArray]:
        """The robot model's default (kp, kd), each (N,), read-only."""

    @property
    def current_quat_wxyz(self) -> FloatArray:
        """Orientation as a unit quaternion w, x, y, z."""

    @property
    def current_quat_xyzw(self) -> FloatArray:
        """Orientation as a unit quaternion x, y, z, w."""

    @property
    def current_omega(self) -> FloatArray:
        """Angular velocity in rad/s, (3,)."""

    @property
    def current_raw_cmd_vel(self) -> FloatArray:
        """The operator's velocity wish (vx, vy, yaw) before any profile, (3,)."""

    @property
    def current_cmd_vel(self) -> FloatArray:
        """The velocity command (m/s, m/s, rad/s) through the current state's speed profile, (3,)."""

    def heard(self, topic: str) -> Heard | None:
        """The newest message of a topic that some state `listens` to, and its age; ``None`` if none came yet.

        All calls of one tick see the same message.
        """

    @property
    def inference_frame(self) -> InferenceFrame:
        """This moment as a policy sees it."""

    @property
    def last_motor_frame(self) -> MotorFrame:
        """The frame that was emitted last, after all limits, in the robot layout."""

    @property
    def speed_profiles(self) -> Mapping[str, SpeedProfile]:
        """All speed profiles by full name."""

    @property
    def ros_node(self) -> Any:
        """The control node, or ``None`` on the test bench."""

    def resolve_motor_frame(self, frame: MotorFrame, output: MotorFrame) -> MotorFrame:
        """Write a frame of any layout into ``output`` in the robot layout, by joint name, and return it.

        Joints that the frame lacks take the robot's default command.
        """

    def set_motor_target(self, frame: MotorFrame) -> None:
        """Submit this tick's frame, in any layout; the last call of a tick counts.

        Raises:
            RuntimeError: called from a preparation hook.
        """

    def request_state(
        self,
        name: str,
        *,
        trigger: str,
        transition: str | None = None,
        delay: float = 0.0,
        force: bool = False,
    ) -> bool:
        """Ask for a switch after this tick.

        Args:
            name: a state's full name, or a local name of the calling state's Mod.
            trigger: why, in a word or two; shown to the operator.
            transition: a transition profile; by default that of the route to the state, else the default
                transition.
            delay: seconds to wait before the switch begins.
            force: skip the target's `is_available`, nothing else.

        Returns:
            True if the request was accepted, which does not mean that it is done; a refusal is logged with
            its reason.
        """

    def preheat_model(self, model: Any, command: FloatArray | None = None) -> None:
        """Run a model once on this moment's inputs so that its first real call is not a slow one.

        Calls ``model.preheat(frame)`` if there is such a method, else ``model.step(frame, 0.0,
        advance=False)``; ``command`` stands in for the velocity command.
        """

    def is_orientation_unsafe(self, quat_xyzw: FloatArray) -> bool:
        """True if the body leans more than 60 degrees from upright."""
